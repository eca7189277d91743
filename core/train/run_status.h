// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/graph/json.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace unroll {

/// What a run said last of itself. One that says Going while nobody writes its folder was broken off: its process ended before it could say more.
enum class RunPhase { Going, Finished, Stopped, Failed };

/// status.json of a run's folder: for those who look at it from outside. Nothing that is trained depends on it.
struct RunStatus {
    RunPhase phase = RunPhase::Going;
    std::string reason;       ///< why it failed; empty otherwise
    std::int64_t started = 0; ///< seconds since 1970
    std::int64_t changed = 0; ///< likewise: when it was written last
    std::int64_t process = 0; ///< id of the one that wrote it; 0: not known

    bool operator==(const RunStatus&) const = default;
};

/// Errors: a state that is none; other members that are missing keep their defaults.
Result<RunStatus> runStatusFromJson(const Json& json, const std::string& source);
Result<RunStatus> readRunStatus(const std::filesystem::path& run);
/// Whole or not at all (see format/atomic_file.h).
Result<void> writeRunStatus(const std::filesystem::path& run, const RunStatus& status);

/// Who keeps others from writing a run, for a folder that is locked: "Another program (pid 4711) is training this run".
std::string holderWords(const std::filesystem::path& run);

} // namespace unroll
