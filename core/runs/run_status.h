// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/runs/run_state.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace unroll {

/// status.json of a run's folder: what the run said last of itself, for those who look at it from outside. Nothing that
/// is trained depends on it.
struct RunStatus {
    /// As storedState() has it. One that says Running while nobody writes its folder was interrupted.
    RunState state = RunState::Running;
    std::string reason;       ///< why it failed; empty otherwise
    std::int64_t started = 0; ///< seconds since 1970
    std::int64_t changed = 0; ///< likewise: when it was written last
    std::int64_t process = 0; ///< id of the one that wrote it; 0: not known

    bool operator==(const RunStatus&) const = default;
};

/// Errors: a state that is none, or none that a folder can say; other members that are missing keep their defaults.
Result<RunStatus> runStatusFromJson(const Json& json, const std::string& source);
Result<RunStatus> readRunStatus(const std::filesystem::path& run);
/// Whole or not at all (see format/atomic_file.h).
Result<void> writeRunStatus(const std::filesystem::path& run, const RunStatus& status);

/// Who keeps others from writing a run, for a folder that is locked: "Another program (pid 4711) is training this run".
std::string holderText(const std::filesystem::path& run);

} // namespace unroll
