// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/recent_list.h"

#include <QSettings>

namespace unroll {

QStringList RecentList::entries() const
{
    return m_settings.value(m_key).toStringList().mid(0, m_most);
}

void RecentList::note(const QString& entry)
{
    QStringList all = m_settings.value(m_key).toStringList();
    all.removeAll(entry);
    all.prepend(entry);
    m_settings.setValue(m_key, QStringList(all.mid(0, m_most)));
}

void RecentList::clear()
{
    m_settings.remove(m_key);
}

} // namespace unroll
