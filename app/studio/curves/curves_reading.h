// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/shown_run.h"
#include "app/studio/plot/chart.h"

#include <span>
#include <vector>

namespace unroll {

/// What all curves are at one place.
struct CurvesReading {
    double x = 0;               ///< of the logged step that lies nearest
    std::vector<Reading> lines; ///< the place in words, then a line a curve; empty: nothing is drawn
};

/// Reads the curves at x. Each gives the point of its own that lies nearest, as it was measured; a run that had not
/// started there or was over is said to be.
CurvesReading readCurves(const ShownRun& run, std::span<const ShownRun> others, const CurveChoice& choice, XUnit unit,
                         double x);

} // namespace unroll
