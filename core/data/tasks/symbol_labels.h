// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

inline constexpr int64_t kMostSymbols = 52; // a label for each: a .. z, A .. Z

/// "a", "b", ... of the first `count` symbols.
inline std::vector<std::string> symbolLabels(int64_t count)
{
    std::vector<std::string> labels;
    for (int64_t i = 0; i < count; ++i)
        labels.emplace_back(1, static_cast<char>(i < 26 ? 'a' + i : 'A' + i - 26));
    return labels;
}

} // namespace unroll
