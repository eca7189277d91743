// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/heat_scale.h"

#include <cstdint>
#include <vector>

namespace unroll {

/// What the rows of a heat map go by.
enum class UnitOrder {
    Index, ///< as the node counts its units
    Peak,  ///< the step at which the modulus is greatest, the earliest on top
    Mean,  ///< the mean modulus, the greatest on top
};

/// The units of the cells from the top row to the last. Equal ones stay in the order of their index; cells that are no numbers do not count,
/// and a unit without a number comes last. O(steps x width), besides sorting the units.
std::vector<std::int64_t> unitRows(const HeatCells& cells, UnitOrder order);

/// The same cells with unit rows[r] in row r; rows has each unit once.
HeatCells inRows(const HeatCells& cells, const std::vector<std::int64_t>& rows);

} // namespace unroll
