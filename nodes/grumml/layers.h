// SPDX-License-Identifier: GPL-3.0-or-later
// Which dense layers each variant has. Standard library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unroll::nodes::grumml {

/// One of the layers that read x.
struct GateLayer {
    std::string name;       ///< of the gates it makes, in the order of its rows: "fc"
    std::int64_t gates = 1; ///< its rows are so many times units
    bool ternary = true;
};

/// Side by side their outputs read f, c, g.
inline std::vector<GateLayer> gateLayers(const std::string& variant, bool fully)
{
    if (variant != "keras")
        return {{"f"}, {"c"}, {"g"}};
    if (fully)
        return {{"fcg", 3}};
    return {{"fc", 2}, {"g", 1, false}};
}

inline bool ternaryOutput(const std::string& variant, bool fully)
{
    return variant != "keras" || fully;
}

} // namespace unroll::nodes::grumml
