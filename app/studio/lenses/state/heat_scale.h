// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/frame.h"

#include <cstdint>
#include <span>
#include <vector>

namespace unroll {

/// What the two ends of a colour map stand for.
struct HeatScale {
    float low = -1;
    float high = 1;
    bool diverging = true; ///< zero in the middle

    bool operator==(const HeatScale&) const = default;
};

/// Cells of one frame as they are drawn: cells[t * width + unit]. A complex signal (pairs along the unit axis) is shown by its modulus.
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

/// Bounded signals and gates have their own ends. Others take the 99th percentile of the modulus, rounded up to 1, 1.2, 1.6, 2, 3, 4, 6 or
/// 8 times a power of ten, so that the numbers on the bar, quarters of it, are short and stand still while the signal moves a little. So do
/// weights of attention, which among many steps are small, up to 1 at most.
HeatScale heatScale(SignalKind look, const HeatCells& cells);

/// `cells` at the size of the picture where that is smaller: each entry is the one of greatest modulus behind it (mean colours would hide
/// spikes); a cell that is no number wins, so that none is ever lost. Sizes larger than the cells are cut to the cells.
HeatCells reduced(const HeatCells& cells, std::int64_t columns, std::int64_t rows);

} // namespace unroll
