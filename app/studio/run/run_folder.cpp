// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/run_folder.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace unroll {

namespace {

/// Where the runs of an experiment lie, and what their names begin with.
struct RunNames {
    QDir folder;
    QString name;
};

RunNames runNames(const QString& experimentFile, const QString& title)
{
    const QFileInfo file(experimentFile);
    const bool saved = !experimentFile.isEmpty();
    static const QRegularExpression unfit("[^a-z0-9]+");
    QString name = (saved ? file.completeBaseName() : title).toLower().replace(unfit, "-");
    if (name.isEmpty() || name == "-")
        name = "run";
    return {QDir(runsPlace(experimentFile)), name};
}

} // namespace

QString runsPlace(const QString& experimentFile)
{
    const QDir base(experimentFile.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)
                                             : QFileInfo(experimentFile).absolutePath());
    return base.filePath("runs");
}

QString newRunFolder(const QString& experimentFile, const QString& title, const QString& place)
{
    const auto [own, name] = runNames(experimentFile, title);
    const QDir base = place.isEmpty() ? own : QDir(place);
    for (int number = 1;; ++number) {
        const QString folder = base.filePath(QString("%1-%2").arg(name).arg(number));
        if (!QFileInfo::exists(folder))
            return folder;
    }
}

QString lastRunFolder(const QString& experimentFile, const QString& title)
{
    const auto [base, name] = runNames(experimentFile, title);
    static const QRegularExpression number("^-[0-9]+$");
    for (const QFileInfo& run : base.entryInfoList({name + "-*"}, QDir::Dirs, QDir::Time))
        if (number.match(run.fileName().mid(name.size())).hasMatch() &&
            QFileInfo::exists(run.filePath() + "/environment.json"))
            return run.absoluteFilePath();
    return {};
}

} // namespace unroll
