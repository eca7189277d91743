// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace unroll {

/// Pairs rows with columns, each with one at most, so that the sum of the costs of the pairs is least and as many are
/// paired as there can be. cost[row * columns + column] is finite. The column of each row; -1: there are more rows than
/// columns, and this one is left over. Of equally cheap pairings any. O(n^2 m) for the smaller and the larger of both
/// counts. Source: R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
/// assignment problems" (1987).
std::vector<std::int64_t> cheapestPairs(const std::vector<double>& cost, std::int64_t rows, std::int64_t columns);

} // namespace unroll
