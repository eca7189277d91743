// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/recent_look.h"

#include <QFileInfo>
#include <QThreadPool>
#include <memory>

namespace unroll {

namespace {

std::vector<RecentFile> look(const QStringList& paths)
{
    std::vector<RecentFile> files;
    for (const QString& path : paths) {
        const QFileInfo info(path);
        files.push_back({path, info.isFile(), info.lastModified()});
    }
    return files;
}

} // namespace

/// The answer goes through an object that lives as long as the thread needs it: the one who asked may be gone by then.
void RecentLook::ask(const QStringList& paths)
{
    const int number = ++m_asked;
    const std::shared_ptr<RecentLook> messenger(new RecentLook, [](RecentLook* gone) { gone->deleteLater(); });
    connect(
        messenger.get(), &RecentLook::looked, this,
        [this, number](const std::vector<RecentFile>& files) {
            if (number == m_asked)
                Q_EMIT looked(files);
        },
        Qt::QueuedConnection);
    QThreadPool::globalInstance()->start([messenger, paths] { Q_EMIT messenger->looked(look(paths)); });
}

QString ageText(const QDateTime& then, const QDateTime& now)
{
    const qint64 minutes = std::max<qint64>(then.secsTo(now), 0) / 60;
    const qint64 days = then.date().daysTo(now.date());
    if (minutes < 1)
        return RecentLook::tr("just now");
    if (minutes < 60)
        return RecentLook::tr("%1 min ago").arg(minutes);
    if (days < 1)
        return RecentLook::tr("%1 h ago").arg(minutes / 60);
    if (days == 1)
        return RecentLook::tr("yesterday");
    if (days <= 14)
        return RecentLook::tr("%1 days ago").arg(days);
    return then.date().toString(Qt::ISODate);
}

} // namespace unroll
