// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/state/cells.h"

#include <cstdint>
#include <vector>

namespace unroll {

/// What the two ends of a colour map stand for.
struct HeatScale {
    float low = -1;
    float high = 1;
    bool diverging = true; ///< zero in the middle

    bool operator==(const HeatScale&) const = default;
};

/// Bounded signals and gates have their own ends. Others take the 99th percentile of the modulus, rounded up to 1, 1.2,
/// 1.6, 2, 3, 4, 6 or 8 times a power of ten, so that the numbers on the bar, quarters of it, are short and stand still
/// while the signal moves a little. So do weights of attention, which among many steps are small, up to 1 at most.
HeatScale heatScale(SignalKind look, const HeatCells& cells);
/// Of cells that were scaled: those of the units' own scale are within -1..1, or 0..1 where none is negative;
/// standardised ones are shown to three standard deviations.
HeatScale heatScale(SignalKind look, const HeatCells& cells, UnitScale scale);

/// `cells` at the size of the picture where that is smaller: each entry is the one of greatest modulus behind it (mean
/// colours would hide spikes); a cell that is not a number wins, so that none is ever lost. Sizes larger than the cells
/// are cut to the cells.
HeatCells reduced(const HeatCells& cells, std::int64_t columns, std::int64_t rows);

/// `beside` at that size, each entry the one that stands where reduced() found the greatest modulus of `cells`.
HeatCells reducedBeside(const HeatCells& cells, const HeatCells& beside, std::int64_t columns, std::int64_t rows);

} // namespace unroll
