// SPDX-License-Identifier: GPL-3.0-or-later
// What the parameters of attention say, to its spec, its block and its export alike. Standard library only.
#pragma once

#include <algorithm>
#include <cstdint>

namespace unroll::nodes::attention {

/// Features over all heads: of queries and keys, and of values.
struct HeadSizes {
    std::int64_t keys, values;

    std::int64_t together() const { return 2 * keys + values; } ///< queries, keys and values side by side
};

/// By the width of x and the parameters key_size and value_size, 0: not set. Projections make all three of x, as wide
/// as it where not set; without, x holds them, and what is not set shares what is left. Sizes that do not fit x are
/// given as they come, at least 0.
inline HeadSizes headSizes(std::int64_t width, std::int64_t keys, std::int64_t values, bool projections)
{
    if (projections)
        return {keys > 0 ? keys : width, values > 0 ? values : width};
    if (keys > 0)
        return {keys, values > 0 ? values : std::max<std::int64_t>(width - 2 * keys, 0)};
    return values > 0 ? HeadSizes{std::max<std::int64_t>(width - values, 0) / 2, values}
                      : HeadSizes{width / 3, width / 3};
}

/// Of a scope, a block's set-up or a step to export; `width`: that of x.
template <class Scope>
HeadSizes sizesOf(const Scope& scope, std::int64_t width)
{
    return headSizes(width, scope.integer("key_size"), scope.integer("value_size"), scope.boolean("projections"));
}

/// Whether queries and keys are rotated.
template <class Scope>
bool turns(const Scope& scope)
{
    return scope.text("positions") == "rope" || scope.text("positions") == "xpos";
}

} // namespace unroll::nodes::attention
