// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/value.h"

#include <cstdint>
#include <optional>
#include <string>

namespace unroll {

/// The second side of a figure that compares two.
struct ComparedSource {
    std::string as;            ///< "beside", "difference"
    std::string first, second; ///< names of the sides
    std::int64_t step = 0;     ///< updates behind the second
};

/// Where a figure comes from, for files that hold it.
struct FigureSource {
    std::string lens;                            ///< LensSpec::id
    std::string title;                           ///< heading of the picture: "State"
    std::string node = {};                       ///< of the query; empty: the whole model
    std::string signal = {};                     ///< likewise
    Params settings = {};                        ///< of the query
    std::int64_t step = 0;                       ///< updates that were trained
    std::optional<ComparedSource> compared = {}; ///< nothing: it is of one side
    bool ofRun = true;                           ///< false: no training is behind it, `step` says nothing
};

} // namespace unroll
