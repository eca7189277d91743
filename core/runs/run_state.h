// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace unroll {

/// What has become of a run: as its worker has it, as viewers see it, as its folder says it.
enum class RunState {
    Idle,     ///< nothing built yet
    Building, ///< data, model
    Running,  ///< of a folder: someone writes it now, here or in another process, also while the run is built or rests
    Paused,
    Finished,    ///< all steps done, or stopped early by patience
    Stopped,     ///< by command, or with its window
    Failed,      ///< see Snapshot::failure, RunSummary::failure
    Interrupted, ///< of a folder alone: its process ended before it could say more
    Unknown,     ///< of a folder alone: nothing can be said, see RunSummary::trouble
};

/// The state's name, in files and on the command line: "finished". Never null.
const char* runStateWord(RunState state);
/// The state of that name, or of one that earlier versions gave it; nothing for any other word.
std::optional<RunState> runStateFromWord(std::string_view word);

/// Whether a run in this state has come to its end.
bool hasEnded(RunState state);
/// What a run in this state says of itself in its folder: Finished, Stopped, Failed, else Running.
RunState storedState(RunState state);

} // namespace unroll
