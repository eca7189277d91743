// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/chart.h"
#include "core/runs/race_bands.h"

#include <utility>
#include <vector>

namespace unroll {

enum class RaceAxis { Steps, Tokens, Seconds, Flops };

/// What the curves of a race show, and over what.
struct RaceWatch {
    RaceMetric metric = RaceMetric::Validation;
    bool inBits = false; ///< a loss in nats divided by ln 2
    RaceAxis axis = RaceAxis::Steps;
    bool logX = false, logY = false;
    std::optional<std::pair<AxisRange, AxisRange>> held; ///< moved or zoomed by hand: x, y
};

/// A curve a lane, in the race's order.
using RaceCurves = std::vector<RaceCurve>;
RaceCurves raceCurves(const RaceResults& results, RaceMetric metric);

/// The mean of each lane with a band, the interval of the mean over seeds; seeds that are ahead of the others as faint
/// lines. As many lanes as there are colours.
ChartPicture racePicture(const RaceResults& results, const RaceCurves& curves, const RaceWatch& watch);

struct RaceReadings {
    double x = 0; ///< where the crosshair stands
    std::vector<Reading> lines;
};
/// Every lane at the place nearest to x; no line where there is no curve.
RaceReadings readRaceAt(const RaceResults& results, const RaceCurves& curves, const RaceWatch& watch, double x);

} // namespace unroll
