// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <vector>

namespace unroll {

/// Predicted and actual values at every step of the reading.
struct ForecastData : LensData {
    std::vector<Forecast> columns; ///< the target columns, one at least, in their own units
    std::string of;                ///< what was read

    Figure figure() const override;
};

inline LensQuery forecastQuery()
{
    return {"forecast", {}, {}, {}};
}

} // namespace unroll
