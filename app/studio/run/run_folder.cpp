// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/run_folder.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace unroll {

QString newRunFolder(const QString& experimentFile, const QString& title)
{
    const QFileInfo file(experimentFile);
    const bool saved = !experimentFile.isEmpty();
    const QDir base(saved ? file.absolutePath()
                          : QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation));
    static const QRegularExpression unfit("[^a-z0-9]+");
    QString name = (saved ? file.completeBaseName() : title).toLower().replace(unfit, "-");
    if (name.isEmpty() || name == "-")
        name = "run";
    for (int number = 1;; ++number) {
        const QString folder = base.filePath(QString("runs/%1-%2").arg(name).arg(number));
        if (!QFileInfo::exists(folder))
            return folder;
    }
}

} // namespace unroll
