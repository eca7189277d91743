// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/chart.h"
#include "core/lens/frame.h"

namespace unroll {

/// Predicted over actual values, step by step from 1. Steps that are not scored have no actual value.
ChartPicture forecastPicture(const Forecast& forecast);
/// Both at the step nearest to x, and how far they are apart.
std::vector<Reading> readForecast(const Forecast& forecast, double x);

} // namespace unroll
