// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/run/start_run.h"
#include "core/remote/remote_session.h"

#include <QString>
#include <QStringList>
#include <functional>

class QSettings;

namespace unroll {

/// The program unroll-cli that belongs to this one: UNROLL_CLI, beside it, in the build's folder, else by its name in
/// PATH.
QString cliProgram();

/// Runs that train in a process of their own where `ownProcess` says so when they begin, else as `local` has them; runs
/// from the disk that are only shown are always local. The registry must outlive the runs.
StartRun chosenRuns(const BlockRegistry& registry, StartRun local, std::function<bool()> ownProcess);

/// Where a line leads that a user typed (placeOfLine()); empty: a process of this computer.
RemotePlace placeOfTyped(const QString& line);

/// Runs that begin in that place; runs that are shown or resumed lie here, and are local.
StartRun hostRuns(const BlockRegistry& registry, RemotePlace place, StartRun local);

/// Lines that were used, newest first, at most ten; kept in the settings.
QStringList hostLines(const QSettings& settings);
void keepHostLine(QSettings& settings, const QString& line);

} // namespace unroll
