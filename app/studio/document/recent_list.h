// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QSettings;

namespace unroll {

/// What was used last, kept in the settings and so the same in all windows. A handle; the settings must outlive it.
class RecentList {
public:
    QStringList entries() const;     ///< newest first; what is named may be gone, or unknown to this version
    void note(const QString& entry); ///< it was used just now
    void clear();

protected:
    /// `key` in the settings; of more than `most` the oldest is forgotten.
    RecentList(QSettings& settings, const char* key, qsizetype most) : m_settings(settings), m_key(key), m_most(most) {}

private:
    QSettings& m_settings;
    const char* m_key;
    qsizetype m_most;
};

} // namespace unroll
