// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/bootstrap.h"
#include "core/runs/race_results.h"

#include <vector>

namespace unroll {

/// What the curves of a race show.
enum class RaceMetric {
    Validation, ///< loss
    Accuracy,   ///< of the validation
    Training,   ///< loss, the mean over spans of steps that are equally long
};

/// A value at a step; tokens and seconds are those of the run, or the means of several.
struct RacePoint {
    std::int64_t step = 0;
    double tokens = 0;
    double seconds = 0;
    double mean = 0;
    Interval band; ///< of the mean over seeds: of one seed its value
    std::size_t seeds = 0;
};

/// A lane's curve. The mean is of the same seeds at every step, so that it never jumps where a seed is ahead: it goes
/// as far as all that have started; what single ones have beyond it is in `ahead`. Runs that diverged are left out
/// unless all did.
struct RaceCurve {
    std::vector<RacePoint> mean;
    std::vector<std::vector<RacePoint>> ahead; ///< each begins at the last step that is shared
};

/// A curve has at most so many points where all seeds are.
inline constexpr std::int64_t kRaceSpans = 200;

RaceCurve raceCurve(const RaceLaneResults& lane, RaceMetric metric, std::int64_t steps);

} // namespace unroll
