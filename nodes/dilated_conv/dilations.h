// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/infer.h"

#include <cstdint>
#include <limits>

namespace unroll::nodes::dilated_conv {

inline constexpr std::int64_t kSaturated = std::numeric_limits<std::int64_t>::max();

/// Spacing of the steps that a layer reads, the first layer being 0: growth^layer. Saturating.
inline std::int64_t dilationOf(std::int64_t layer, std::int64_t growth)
{
    std::int64_t dilation = 1;
    for (std::int64_t i = 0; i < layer; ++i)
        dilation = unroll::product({dilation, growth});
    return dilation;
}

/// Earlier steps that the output reads. Saturating.
inline std::int64_t reach(std::int64_t layers, std::int64_t kernel, std::int64_t growth)
{
    std::int64_t steps = 0;
    for (std::int64_t layer = 0; layer < layers; ++layer)
        steps = unroll::sum({steps, unroll::product({kernel - 1, dilationOf(layer, growth)})});
    return steps;
}

} // namespace unroll::nodes::dilated_conv
