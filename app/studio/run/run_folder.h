// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace unroll {

/// A folder of its own for a new run: runs/<name>-1, -2, ... beside the experiment's file, or under the user's data when it was never
/// saved. The first name that is free; nothing is made.
QString newRunFolder(const QString& experimentFile, const QString& title);

/// The one of those folders that was written to last and holds a run; empty where there is none.
QString lastRunFolder(const QString& experimentFile, const QString& title);

} // namespace unroll
