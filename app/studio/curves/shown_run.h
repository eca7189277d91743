// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/curve_choice.h"
#include "app/studio/curves/run_curves.h"
#include "app/studio/curves/smoothed_series.h"
#include "app/studio/theme/theme.h"

#include <QString>

namespace unroll {

/// A run as the chart shows it: its curves, and the smoothed form of the raw metric chosen.
struct ShownRun {
    QString name; ///< empty: the current run
    QString folder;
    Theme::Role color = Theme::Role::ChartTrain;
    RunCurves curves = {};
    SmoothedSeries smoothed = {};
    RunMeasures measures = {};

    void setMeasures(const RunMeasures& is)
    {
        measures = is;
        curves.setMeasures(is);
    }
    void resmooth(const CurveChoice& choice, double weight)
    {
        smoothed.restart(choice.isNoisy ? weight : 0, curves.find(choice.raw));
    }
    /// The one line drawn for the run: smoothed where the metric is measured at each step. nullptr: it has none.
    const SeriesStore* mainLine(const CurveChoice& choice) const
    {
        if (choice.raw.empty())
            return curves.find(choice.marked);
        return smoothed.store().empty() ? nullptr : &smoothed.store();
    }
};

} // namespace unroll
