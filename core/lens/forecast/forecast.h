// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <vector>

namespace unroll {

/// What a network of numbers tells on the first validation window, beside what was right.
struct ForecastData : LensData {
    std::vector<Forecast> columns; ///< the target columns, one at least, in their own units
};

inline LensQuery forecastQuery()
{
    return {"forecast", {}, {}, {}};
}

} // namespace unroll
