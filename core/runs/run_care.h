// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace unroll {

// What a user does with run folders beside training them.

/// The user's words about a run, in its note.txt; empty where there are none.
std::string readRunNote(const std::filesystem::path& run);
/// Empty words take the note away.
Result<void> writeRunNote(const std::filesystem::path& run, const std::string& words);

/// Gives the folder another name beside where it is, and says where it is now. Errors: a name that is empty, taken, or
/// none for a folder; a run that is going.
Result<std::filesystem::path> renameRun(const std::filesystem::path& run, const std::string& name);

} // namespace unroll
