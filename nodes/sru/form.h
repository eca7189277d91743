// SPDX-License-Identifier: GPL-3.0-or-later
// How wide U is, for the spec, the block and the export. Standard library only.
#pragma once

#include <cstdint>

namespace unroll::nodes::sru {

/// k, the parts of U for each unit: 4 where the skip term is not x as it comes. That is x as wide as the output, `out`,
/// from which U is still to be made. Of a scope, a block's set-up or a step to export; `in`: the width of x.
template <class Scope>
std::int64_t partsOf(const Scope& scope, std::int64_t in, std::int64_t out)
{
    const bool takesInput = scope.boolean("projections") && in == out;
    return scope.boolean("has_skip_term") && !takesInput ? 4 : 3;
}

} // namespace unroll::nodes::sru
