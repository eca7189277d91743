// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace unroll {

/// What one of two sides is of.
struct SideFacts {
    std::string run;       ///< folder of the run, or what stands for it
    std::int64_t step = 0; ///< updates behind the weights
    std::string node = {}; ///< whose signal is shown; empty: the whole network
    std::string edit = {}; ///< that the reading is made under; empty: none
    std::string signal = {};

    bool operator==(const SideFacts&) const = default;
};

/// Short names of both sides, of what distinguishes them: the last part of the run's path, the step, the node, the
/// edit. Equal sides have equal names.
std::pair<std::string, std::string> sideNames(const SideFacts& first, const SideFacts& second);

} // namespace unroll
