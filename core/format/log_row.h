// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace unroll::format {

/// What was measured at one step; what was not measured is absent. Names look like "train/loss".
struct LogRow {
    std::int64_t step = 0;
    std::vector<std::pair<std::string, double>> values;
};

} // namespace unroll::format
