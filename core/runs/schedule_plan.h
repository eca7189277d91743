// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll {

/// Over which updates a schedule runs. Of a run that was never changed: from 0 to its `steps`.
struct SchedulePlan {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    double share = 1;  ///< of the peak, where it begins
    bool warms = true; ///< rises to that over `warmup` updates; else it is there at once

    bool operator==(const SchedulePlan&) const = default;
};

} // namespace unroll
