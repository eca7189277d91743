// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/chart_pen.h"
#include "core/runs/metrics.h"
#include "core/runs/run_measures.h"

#include <QString>
#include <vector>

namespace unroll {

/// Another run whose curves are drawn beside those of the current run. Whoever reads the run folder fills it in, away
/// from the window's thread: a row a logged step, in the order of the steps, with tokens and seconds as metrics.csv has
/// them.
struct CurveOverlay {
    QString name;   ///< in the legend and at the crosshair
    QString folder; ///< which run this is: no two overlays have the same
    std::vector<MetricRow> rows;
    RunMeasures measures = {};
};

} // namespace unroll
