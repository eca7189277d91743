// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/figure/inks.h"
#include "core/lens/figure.h"

#include <cstddef>
#include <vector>

namespace unroll {

/// The values at the ends of the colours of cells.
struct CellRange {
    double low = 0, high = 1;
    bool diverging = false; ///< its middle, zero, is neutral
    bool clipped = false;   ///< some values are beyond the ends
    bool cyclic = false;    ///< both ends have one colour
};

/// Bounded cells and shares have ends of their own, and values that go round half a period to either side. Others take
/// FigureCells::reach, or the 99th percentile of the size of their values, rounded up, so that one large value does not
/// leave all others pale.
CellRange cellRange(const FigureCells& cells);

/// The colour of a value that is a number.
const Ink& cellInk(const CellRange& range, const Inks& inks, double value);

/// One value for each of columns x rows pixels, row by row from the top. A pixel that holds several cells has the one
/// of the largest size, NaN if one of them is not a number: nothing that stands out is lost.
std::vector<float> pixelValues(const FigureCells& cells, std::size_t columns, std::size_t rows);

} // namespace unroll
