// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/member_reader.h"
#include "core/lens/lens.h"

#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// How the data of a lens go to another process and come back equal, for lenses whose views read more than the figure:
/// a file pack.cpp in the lens's folder. All others go as their figure.
struct LensPacking {
    std::string lens; ///< LensSpec::id
    /// An object; numbers go into the blocks. Null: the data are not those of the lens.
    Json (*pack)(const LensData& data, BlockWriter& blocks);
    /// What is wrong is the reader's fault; never null.
    std::shared_ptr<const LensData> (*unpack)(const MemberReader& members);
};

/// Of every lens that has one; the list is made by cmake/Lenses.cmake.
const std::vector<LensPacking>& allLensPackings();
/// nullptr: this lens goes as its figure.
const LensPacking* findLensPacking(const std::string& lens);

// Parts that two lenses have.
Json packedForecasts(const std::vector<Forecast>& forecasts, BlockWriter& blocks);
std::vector<Forecast> unpackedForecasts(const MemberReader& members, const char* name);

} // namespace unroll
