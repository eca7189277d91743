// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/recent_files.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace unroll {

QStringList fileLabels(const QStringList& paths)
{
    QStringList names, labels;
    for (const QString& path : paths)
        names << QFileInfo(path).fileName();
    for (qsizetype i = 0; i < paths.size(); ++i)
        labels << (names.count(names[i]) == 1
                       ? names[i]
                       : QCoreApplication::translate("RecentFiles", "%1 – %2").arg(names[i], shortFolder(paths[i])));
    return labels;
}

QString shortFolder(const QString& path)
{
    const QString folder = QFileInfo(path).absolutePath(), home = QDir::homePath();
    const bool ofHome = folder == home || folder.startsWith(home + '/');
    return ofHome ? "~" + folder.mid(home.size()) : folder;
}

} // namespace unroll
