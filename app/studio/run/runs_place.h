// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace unroll {

/// Where the runs of an experiment lie: in the folder that was chosen for all runs, where there is one ("~" is a home
/// folder); else in runs/ beside its file, or under the user's data when it was never saved. Need not be there.
QString runsPlace(const QString& experimentFile, const QString& chosen = {});

/// A folder of its own for a new run there, or in `place`: <name>, <name>-2, ... The first name that is free; nothing
/// is made.
QString newRunFolder(const QString& experimentFile, const QString& title, const QString& place = {});

/// The one of those folders that was written to last and holds a run; empty where there is none.
QString lastRunFolder(const QString& experimentFile, const QString& title, const QString& place = {});

} // namespace unroll
