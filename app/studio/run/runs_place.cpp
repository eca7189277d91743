// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/runs_place.h"

#include "core/base/home_path.h"
#include "core/runs/run_names.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace unroll {

namespace {

/// What the names of an experiment's runs begin with.
std::string runName(const QString& experimentFile, const QString& title)
{
    static const QRegularExpression unfit("[^a-z0-9]+"), ends("^-+|-+$");
    QString name = experimentFile.isEmpty() ? title : QFileInfo(experimentFile).completeBaseName();
    name = name.toLower().replace(unfit, "-").remove(ends);
    return name.isEmpty() ? "run" : name.toStdString();
}

} // namespace

QString runsPlace(const QString& experimentFile, const QString& chosen)
{
    if (!chosen.isEmpty())
        return QDir::cleanPath(QString::fromStdString(withHome(chosen.toStdString())));
    const QDir base(experimentFile.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)
                                             : QFileInfo(experimentFile).absolutePath());
    return base.filePath("runs");
}

QString newRunFolder(const QString& experimentFile, const QString& title, const QString& place)
{
    const QString base = place.isEmpty() ? runsPlace(experimentFile) : place;
    return QString::fromStdString(freeRunFolder(base.toStdString(), runName(experimentFile, title)).string());
}

QString lastRunFolder(const QString& experimentFile, const QString& title, const QString& place)
{
    const QString base = place.isEmpty() ? runsPlace(experimentFile) : place;
    return QString::fromStdString(lastRunFolder(base.toStdString(), runName(experimentFile, title)).string());
}

} // namespace unroll
