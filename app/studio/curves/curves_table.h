// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/shown_run.h"

#include <span>
#include <string>

namespace unroll {

/// The numbers of the chosen metric as CSV (RFC 4180), one line a run and logged step: the columns run, step, tokens,
/// seconds, then the raw metric, its smoothed form and the one measured now and then, by the names of metrics.csv, then
/// flops and epochs; cells without a value are empty. All rows, not those in view, of the runs that can be shown so.
/// The current run has no name: it is called `thisRun`.
std::string curvesTable(const ShownRun& run, std::span<const ShownRun> others, const CurveChoice& choice,
                        const std::string& thisRun);

} // namespace unroll
