// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/runs/run_measures.h"
#include "core/runs/run_state.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// One run folder in figures, for lists of runs. A plain value; what is not known is absent or 0.
struct RunSummary {
    std::filesystem::path folder;
    std::string title;                  ///< of its experiment
    RunState state = RunState::Unknown; ///< as far as its folder tells: none of those that only a window sees
    std::string failure;
    std::string trouble;        ///< why figures are missing: a sentence about the folder or one of its files
    bool isHeld = false;        ///< a window or another process has it open for writing, also when it has ended
    std::int64_t step = 0;      ///< of the newest row of metrics.csv
    std::int64_t steps = 0;     ///< planned
    std::optional<double> best; ///< validation loss, in the unit of the loss
    std::int64_t bestStep = 0;  ///< 0: never evaluated
    std::optional<double> last; ///< newest training loss, likewise; may be no number
    double seconds = 0;         ///< trained, pauses left out
    std::string device;         ///< "cpu, 2 threads"
    std::optional<std::uint64_t> seed;
    std::optional<double> learningRate; ///< the highest of its schedule
    RunMeasures measures;
    std::string note; ///< the user's
    std::vector<std::string> tags;
    std::int64_t started = 0;     ///< seconds since 1970
    std::int64_t changed = 0;     ///< likewise: of the newest figure or state
    std::int64_t checkpoint = -1; ///< step of the newest one; -1: none
    std::int64_t keptFrames = 0;  ///< of lenses, see core/frames
    std::uint64_t bytes = 0;      ///< on disk

    std::string name() const { return folder.filename().string(); }
    bool operator==(const RunSummary&) const = default;
};

/// Never fails: what is damaged or foreign is said in `trouble`. Reads small files and the end of metrics.csv, however
/// long that is.
RunSummary readRunSummary(const std::filesystem::path& folder);

/// Every folder in `place` that is not hidden, in the order of names; none where there is no such place. Ends early
/// once `enough` says so.
std::vector<RunSummary> listRuns(const std::filesystem::path& place, const std::function<bool()>& enough = {});

} // namespace unroll
