// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/number_table.h"

namespace unroll {

/// The built-in series: one column `wave`, 6,000 rows, three sines whose periods have no common measure (9.7, 23.3 and
/// 61.9 rows; amplitudes 0.5, 1 and 0.7) and Gaussian noise of standard deviation 0.1, all rounded to three decimals as
/// a file would have them. It never changes. Who knows the sines forecasts it with a mean squared error of 0.01 in its
/// own units; the last value said again has 0.11.
NumberTable makeWaves();

} // namespace unroll
