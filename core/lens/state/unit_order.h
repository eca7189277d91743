// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/state/cells.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// What the rows of a heat map go by.
enum class UnitOrder {
    Index,      ///< as the node counts its units
    Peak,       ///< the step at which the modulus is greatest, the earliest on top
    Mean,       ///< the mean modulus, the greatest on top
    Similarity, ///< units whose values rise and fall together stand together, see similarRows
    Given,      ///< as another lens ranks them (unit_ranking.h); unitRows has them by index
};

/// Units that the order by similarity takes at most: its distances are a table of units by units.
inline constexpr std::int64_t kMostSimilar = 1024;

/// The units of the cells from the top row to the last. Equal ones stay in the order of their index; cells that are no
/// numbers do not count, and a unit without a number comes last. O(steps x width), besides sorting the units. More than
/// kMostSimilar units are by index, not by similarity.
std::vector<std::int64_t> unitRows(const HeatCells& cells, UnitOrder order);
/// Why the cells cannot be put in this order; empty: they can.
std::string orderFault(const HeatCells& cells, UnitOrder order);

/// Leaf order of an agglomerative clustering with average linkage, where two units are 1 - r apart, r the correlation
/// of their values over the steps. Where two clusters join, the ends that are nearest to each other meet. The first
/// unit has a lower index than the last of them. Units that do not change come behind, then those with a cell that is
/// no number, each by index. O(steps x width^2), in double. Source: F. Murtagh, "A survey of recent advances in
/// hierarchical clustering algorithms" (1983): the chain of nearest neighbours.
std::vector<std::int64_t> similarRows(const HeatCells& cells);

/// The same cells with unit rows[r] in row r; rows has each unit once.
HeatCells inRows(const HeatCells& cells, const std::vector<std::int64_t>& rows);

} // namespace unroll
