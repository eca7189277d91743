// SPDX-License-Identifier: GPL-3.0-or-later
// How the weights of a node, their gradients and its updates are spread, as counts that are kept over training, and as
// heat maps: an update a column. Weights are counted by value, in bins of a range that is a power of two, so that bins
// of a narrower range lie within those of a wider one; gradients and updates by size, an octave a bin.
#pragma once

#include "core/lens/figure.h"
#include "core/lens/history.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// The counts of one node at one update.
struct Spread {
    static constexpr int kBins = 20;
    static constexpr int kLeastOctave = -40, kMostOctave = 20; ///< sizes below and above are counted in these

    std::int64_t count = 0; ///< numbers that are finite
    /// Of values: bin b is from (b / 10 - 1) 2^exponent on, the upper end belongs to the last. Of sizes: octave o, from
    /// 2^o on, is bin o - kLeastOctave; a last bin is of zeros.
    std::vector<std::int64_t> bins;
    int exponent = 0; ///< of values
};

/// As numbers of a history: "weights_count.NODE", "weights_exponent.NODE", "weights_bin_7.NODE"; bins that are empty
/// are left out. `what`: weights, gradients or updates.
void addSpread(std::vector<LensNumber>& numbers, const std::string& what, const std::string& node,
               const Spread& spread);

/// Whether the last counts are so long ago that others are worth their space.
bool wantsSpread(const LensHistory& history, std::int64_t step);

/// A heat map for each node with counts in the history, by their names: rows are values, or sizes with zeros below
/// them, columns updates, a cell the share of the node's finite numbers. Of many updates 96 at most, evenly spaced,
/// the newest among them. A column of no finite number is NaN.
std::vector<FigurePanel> spreadPanels(const LensHistory& history, const std::string& what);

} // namespace unroll
