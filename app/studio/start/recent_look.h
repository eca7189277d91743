// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QStringList>
#include <vector>

namespace unroll {

/// A file opened or saved before, as it is found now.
struct RecentFile {
    QString path;
    bool there = false;
    QDateTime changed; ///< when it was last written
};

/// Checks recent files on a separate thread: they may be on a sleeping disk or another machine.
class RecentLook : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// looked() tells; only the newest question is answered.
    void ask(const QStringList& paths);

Q_SIGNALS:
    void looked(const std::vector<unroll::RecentFile>& files);

private:
    int m_asked = 0;
};

/// "just now", "5 min ago", "3 h ago", "yesterday", "4 days ago", and after two weeks the day.
QString ageText(const QDateTime& then, const QDateTime& now);

} // namespace unroll
