// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_scale.h"

namespace unroll {

/// The numbers of a column that lie at one end, far from all others.
struct FarNumbers {
    std::vector<double> values;
    int64_t times = 0;
    ColumnSpread others;
};

/// `sign`: 1 at the upper end, -1 at the lower one. At most three that stand there again and again, or that programs
/// are known to write.
FarNumbers farNumbers(const std::vector<double>& values, int sign);

} // namespace unroll
