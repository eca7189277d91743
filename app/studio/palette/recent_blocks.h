// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QSettings;

namespace unroll {

/// The blocks that were placed last, kept in the settings ("palette/recent") and so the same in all windows. A handle;
/// the settings must outlive it.
class RecentBlocks {
public:
    static constexpr qsizetype most = 8;

    explicit RecentBlocks(QSettings& settings) : m_settings(settings) {}

    QStringList ids() const;      ///< newest first; a block may be unknown to this version
    void note(const QString& id); ///< it was placed just now

private:
    QSettings& m_settings;
};

} // namespace unroll
