// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/frame.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// Cells of one signal as they are drawn: values[t * width + unit]. A complex signal (pairs along the unit axis) has
/// its moduli here.
struct HeatCells {
    std::int64_t steps = 0;
    std::int64_t width = 0;
    std::vector<float> values;
    std::int64_t missing = 0; ///< cells that are NaN or infinite
    std::int64_t heads = 0;   ///< as attentionHeads

    float at(std::int64_t step, std::int64_t unit) const
    {
        return values[static_cast<std::size_t>(step * width + unit)];
    }
};
HeatCells heatCells(const SignalFrame& frame);

/// Phases of a complex signal in radians, -pi..pi, as the cells: NaN where a part is not a number. Empty: the signal is
/// not complex.
std::vector<float> phasesOf(const SignalFrame& frame);

/// Scale of the values of each unit.
enum class UnitScale {
    Shared,       ///< all units alike: the values as they are
    Unit,         ///< divided by the unit's own largest modulus: within -1..1, zero stays zero
    Standardised, ///< less the unit's mean, divided by its standard deviation (divided by the count)
};

/// Under a scale a value x is drawn as (x - centre) / size.
struct UnitRange {
    double centre = 0;
    double size = 1;
};
/// Of each unit, over the steps whose values are numbers; a unit that has none, or does not differ from its centre, has
/// the size 1. Sums in double.
std::vector<UnitRange> unitRanges(const HeatCells& cells, UnitScale scale);

/// The cells under a scale: those that are not numbers stay as they are. Attention, whose rows are not units, is not
/// scaled.
HeatCells scaled(HeatCells cells, UnitScale scale);
/// Likewise with ranges that are known, of each unit; none: the cells as they are.
HeatCells scaled(HeatCells cells, const std::vector<UnitRange>& ranges);

} // namespace unroll
