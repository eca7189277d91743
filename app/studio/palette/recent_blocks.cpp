// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/recent_blocks.h"

#include <QSettings>

namespace unroll {

namespace {

constexpr const char* settingsKey = "palette/recent";

} // namespace

QStringList RecentBlocks::ids() const
{
    return m_settings.value(settingsKey).toStringList().mid(0, most);
}

void RecentBlocks::note(const QString& id)
{
    QStringList ids = m_settings.value(settingsKey).toStringList();
    ids.removeAll(id);
    ids.prepend(id);
    m_settings.setValue(settingsKey, ids.mid(0, most));
}

} // namespace unroll
