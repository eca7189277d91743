// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace unroll {

/// What carried states belong to: they are good for the next batch of the same streams only.
struct StreamPlace {
    std::int64_t batches = 0;   ///< read so far
    std::int64_t sequences = 0; ///< B
    std::int64_t steps = 0;     ///< T
    std::string data;           ///< Dataset::contentHash

    bool operator==(const StreamPlace&) const = default;
};

} // namespace unroll
