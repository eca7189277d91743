// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/shown_run.h"
#include "app/studio/plot/chart.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace unroll {

/// The axis ranges chosen by the user, in the data's units; nothing of it changes when new rows come.
struct HeldView {
    std::pair<double, double> x;
    std::optional<std::pair<double, double>> y; ///< nothing: as high as what lies within x
};

/// How a picture of curves is wanted.
struct CurvesWish {
    CurveChoice choice;
    XUnit unit = XUnit::Steps;
    bool logX = false;
    bool logY = false;
    std::optional<HeldView> held; ///< nothing: the whole run, and what it grows by
    double width = 600;           ///< of the plot, in pixels
    std::size_t budget = 1800;    ///< points of all series together
    std::vector<ChartLevel> levels = {};
};

/// What a chart shows of these runs. The current run is drawn above the others; it shows the raw metric, its smoothed
/// form, and the metric that is measured now and then, the others one line each. On logarithmic axes what is not above
/// 0 is a mark on the lower edge (y) or left out (x). Time goes with the width, not with the length of the runs.
ChartPicture pictureOf(const ShownRun& run, std::span<const ShownRun> others, const CurvesWish& wish);

} // namespace unroll
