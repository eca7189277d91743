// SPDX-License-Identifier: GPL-3.0-or-later
// What the parameters of attention say, to its spec, its block and its export alike. Standard library only.
#pragma once

#include <cstdint>

namespace unroll::nodes::attention {

/// Features over all heads: of queries and keys, and of values.
struct HeadSizes {
    std::int64_t keys, values;
};

/// 0 stands for `width`, that of x. Of a scope, a block's set-up or a step to export.
template <class Scope>
HeadSizes sizesOf(const Scope& scope, std::int64_t width)
{
    const auto size = [&](const char* param) { return scope.integer(param) > 0 ? scope.integer(param) : width; };
    return {size("key_size"), size("value_size")};
}

/// Whether queries and keys are rotated.
template <class Scope>
bool turns(const Scope& scope)
{
    return scope.text("positions") == "rope" || scope.text("positions") == "xpos";
}

} // namespace unroll::nodes::attention
