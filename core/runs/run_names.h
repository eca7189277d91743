// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace unroll {

/// A folder in `place` for a new run: NAME, else NAME-2, NAME-3, the first that is free. Nothing is made.
std::filesystem::path freeRunFolder(const std::filesystem::path& place, const std::string& name);

/// The one of those folders that was written to last and holds a run; empty where there is none.
std::filesystem::path lastRunFolder(const std::filesystem::path& place, const std::string& name);

/// "; did you mean runs/mine?": runs beside the place, or in runs/, whose name may have been meant; or the run that it
/// lies in. Empty where there are none.
std::string runsNear(const std::filesystem::path& path);

/// The run that the place lies in, or is: its folder; empty where there is none. Nothing but the run itself is written
/// there.
std::filesystem::path runAround(const std::filesystem::path& place);
/// That as an error of the place.
Result<void> outsideRuns(const std::filesystem::path& place);

} // namespace unroll
