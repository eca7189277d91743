// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which value of one side stands where a value of the other does.

#include "core/base/result.h"
#include "core/lens/figure.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// What is known of both sides as a whole.
struct SidesFit {
    bool sameReading = true; ///< step t of the one is step t of the other
    bool paired = false;     ///< row i goes with row i, whatever units they are of
};

/// Indices of the first side, each with the index of the second that it goes with.
using PlacePairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Rows of the cells of two panels that both have some. An error says why they do not fit; every row is paired else.
Result<PlacePairs> rowPairs(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit);

/// Rows of the same units, whatever their columns are.
PlacePairs unitPairs(const FigureCells& first, const FigureCells& second);

/// Points of two series: at the same steps, labels or places of x. An error where none fits.
Result<PlacePairs> pointPairs(const FigurePanel& first, const FigureSeries& one, const FigurePanel& second,
                              const FigureSeries& other, const SidesFit& fit);

/// The same place of the other labels for each of the labels; empty: they are not the same ones in any order.
std::vector<std::size_t> sameLabels(const std::vector<std::string>& labels, const std::vector<std::string>& others);

/// Pairs of two lists with the same key, the first with the first of several; and what is left over of each.
template <class Element, class Key>
struct KeyPairs {
    PlacePairs pairs;
    std::vector<std::size_t> onlyFirst, onlySecond;

    KeyPairs(const std::vector<Element>& first, const std::vector<Element>& second, const Key& key)
    {
        std::vector<bool> taken(second.size(), false);
        for (std::size_t i = 0; i < first.size(); ++i) {
            std::size_t j = 0;
            while (j < second.size() && (taken[j] || key(second[j]) != key(first[i])))
                ++j;
            if (j == second.size()) {
                onlyFirst.push_back(i);
                continue;
            }
            taken[j] = true;
            pairs.emplace_back(i, j);
        }
        for (std::size_t j = 0; j < second.size(); ++j)
            if (!taken[j])
                onlySecond.push_back(j);
    }
};

} // namespace unroll
