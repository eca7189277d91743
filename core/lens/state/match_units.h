// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/lens/state/cells.h"

#include <cstdint>
#include <vector>

namespace unroll {

/// A unit of one side and the unit of the other that goes with it.
struct UnitPair {
    std::int64_t first = 0;
    std::int64_t second = 0;
    /// Correlation of their values over the steps; NaN: one of them does not change, or has a value that is not a
    /// number.
    double r = 0;
};

/// Units paired so that the sum of |r| is greatest, by the index of the first; as many pairs as the side with fewer
/// units has. Correlations in double over the steps of one reading. An error: other steps, attention, whose rows are no
/// units, more units than mostSimilar.
Result<std::vector<UnitPair>> matchUnits(const HeatCells& first, const HeatCells& second);

/// Median |r| of pairs whose r is a number; NaN where there is none.
double medianSize(const std::vector<UnitPair>& pairs);

/// The same of pairs that chance makes: the second side's steps are moved on by half of the reading, round its end, so
/// that each unit keeps its own course. Only where matchUnits() pairs the sides.
double chanceSize(const HeatCells& first, const HeatCells& second);

} // namespace unroll
