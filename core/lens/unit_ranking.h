// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// Data of a lens that puts units in an order are this too, so that others can show a signal in it.
struct UnitRanking {
    virtual ~UnitRanking() = default;
    /// Units of the signal, each once, the first on top; those that it says nothing of are left out.
    virtual std::vector<std::int64_t> unitsRanked(const std::string& node, const std::string& signal) const = 0;
};

/// All `width` units of the signal as the data rank them, those that are left out behind by index. Nothing: the data
/// rank no units.
std::vector<std::int64_t> rankedRows(const LensData& data, const std::string& node, const std::string& signal,
                                     std::int64_t width);

/// The question whose answer ranks the units of a signal by what they track.
LensQuery rankingQuery(const std::string& node, const std::string& signal);

} // namespace unroll
