// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/run_elsewhere.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <utility>

namespace unroll {

namespace {

const QString hostsKey = QStringLiteral("run/hosts");
constexpr qsizetype kMostHostLines = 10;

} // namespace

QString cliProgram()
{
    if (const QString named = qEnvironmentVariable("UNROLL_CLI"); !named.isEmpty())
        return named;
    const QDir here(QCoreApplication::applicationDirPath());
    for (const char* place : {"unroll-cli", "../cli/unroll-cli", "../../app/cli/unroll-cli", "../app/cli/unroll-cli"})
        if (const QFileInfo file(here.filePath(place)); file.isExecutable())
            return file.canonicalFilePath();
    return QStringLiteral("unroll-cli");
}

StartRun chosenRuns(const BlockRegistry& registry, StartRun local, std::function<bool()> ownProcess)
{
    return [&registry, local = std::move(local), ownProcess = std::move(ownProcess)](
               const Experiment& experiment, SessionOptions options) -> std::unique_ptr<Session> {
        if (options.ended || !ownProcess())
            return local(experiment, options);
        options.keepsSummaries = true;
        return startRemoteSession(experiment, registry, options, localPlace(cliProgram().toStdString()));
    };
}

RemotePlace placeOfTyped(const QString& line)
{
    return line.isEmpty() ? localPlace(cliProgram().toStdString()) : placeOfLine(line.toStdString());
}

StartRun hostRuns(const BlockRegistry& registry, RemotePlace place, StartRun local)
{
    return [&registry, place = std::move(place), local = std::move(local)](
               const Experiment& experiment, SessionOptions options) -> std::unique_ptr<Session> {
        if (options.ended || options.resume)
            return local(experiment, options);
        options.keepsSummaries = true;
        return startRemoteSession(experiment, registry, options, place);
    };
}

QStringList hostLines(const QSettings& settings)
{
    return settings.value(hostsKey).toStringList().mid(0, kMostHostLines);
}

void keepHostLine(QSettings& settings, const QString& line)
{
    QStringList lines = hostLines(settings);
    lines.removeAll(line);
    lines.prepend(line);
    settings.setValue(hostsKey, lines.mid(0, kMostHostLines));
}

} // namespace unroll
