// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_state.h"

#include <algorithm>
#include <iterator>

namespace unroll {
namespace {

constexpr const char* kWords[] = {"idle",    "building", "running",     "paused", "finished",
                                  "stopped", "failed",   "interrupted", "unknown"}; // in the order of RunState
constexpr std::string_view kRunningBefore = "going"; ///< Running in folders of earlier versions

static_assert(std::size(kWords) == static_cast<std::size_t>(RunState::Unknown) + 1);

} // namespace

const char* runStateWord(RunState state)
{
    return kWords[static_cast<std::size_t>(state)];
}

std::optional<RunState> runStateFromWord(std::string_view word)
{
    if (word == kRunningBefore)
        return RunState::Running;
    const auto* const found = std::find(std::begin(kWords), std::end(kWords), word);
    return found == std::end(kWords) ? std::nullopt : std::optional(static_cast<RunState>(found - std::begin(kWords)));
}

bool hasEnded(RunState state)
{
    return state == RunState::Finished || state == RunState::Stopped || state == RunState::Failed ||
           state == RunState::Interrupted;
}

RunState storedState(RunState state)
{
    switch (state) {
    case RunState::Finished:
    case RunState::Stopped:
    case RunState::Failed: return state;
    case RunState::Idle:
    case RunState::Building:
    case RunState::Running:
    case RunState::Paused:
    case RunState::Interrupted:
    case RunState::Unknown: break;
    }
    return RunState::Running;
}

} // namespace unroll
