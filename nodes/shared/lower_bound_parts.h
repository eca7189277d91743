// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of HGRN and HGRN2 share: the lower bound of the forget gate (nodes/shared/lower_bound.h) and the two
// forms that are in use. Standard library only.
#pragma once

#include "nodes/shared/weight_parts.h"

#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

inline std::vector<ParamSpec> lowerBoundParams()
{
    return {
        integerParam("layer", 0, 0, 4095, "",
                     "Index of the layer among all of its kind, from 0; above 0 the forget gate has a lower bound."),
        integerParam("layers", 24, 1, 4096, "layers", "Number of such layers in the model.")};
}

inline void inferLowerBound(InferScope& scope)
{
    const std::int64_t layer = scope.integer("layer"), layers = scope.integer("layers");
    if (layer < layers)
        return;
    scope.error("layer", "layer-beyond-layers",
                "layer = " + std::to_string(layer) +
                    " counts from 0, so it must be below layers = " + std::to_string(layers));
    scope.offerParam("Set layers to " + std::to_string(layer + 1), "layers", layer + 1);
}

/// The table of a layer that has a lower bound.
inline void addLowerBound(std::vector<WeightSpec>& list, const WeightScope& scope, const WeightSize& units)
{
    if (scope.integer("layer") > 0)
        list.push_back(plainWeight("lower_bounds", {{scope.integer("layers"), "layers"}, units}, zeroValues()));
}

/// Operations an element of the bound, forward.
inline double lowerBoundWork(const CostScope& scope)
{
    return scope.integer("layer") > 0 ? 3 : 0;
}

} // namespace unroll::nodes
