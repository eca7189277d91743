// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of blocks with a loss share (nodes/shared/read_out.h). Standard library only.
#pragma once

#include "nodes/shared/dense_rules.h"

#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

template <class Scope>
bool hasLinearReadOut(const Scope& scope)
{
    return scope.text("readout") == "linear";
}

/// `one` is what a bias belongs to: "class".
inline std::vector<ParamSpec> readOutParams(const std::string& one)
{
    std::vector<ParamSpec> params = {
        choiceParam("readout",
                    {{"linear", "A learned matrix makes one number a " + one + " of x."},
                     {"none", "x as it comes, as wide as the targets: for a network that is wired by hand."}},
                    "What is compared with the targets."),
        flagParam("bias", true, "Whether each " + one + " has a learned bias.")};
    for (ParamSpec& param : denseInitializers())
        params.push_back(std::move(param));
    for (std::size_t i = 1; i < params.size(); ++i)
        params[i] = countsWith("readout", {"linear"}, std::move(params[i]));
    return params;
}

/// `width`: classes or numbers of the targets.
inline void inferReadOut(InferScope& scope, std::int64_t width)
{
    const Shape* x = scope.input("x");
    if (hasLinearReadOut(scope) || x == nullptr || x->width == width)
        return;
    scope.error("readout", "readout-width",
                "readout none compares x itself, which is " + std::to_string(x->width) +
                    " wide where the targets need " + std::to_string(width));
    scope.offerParam("Read x through a linear layer", "readout", std::string("linear"));
}

inline std::vector<WeightSpec> readOutWeights(const WeightScope& scope, const WeightSize& out)
{
    if (!hasLinearReadOut(scope))
        return {};
    return denseWeights(scope, {scope.dimension("x"), "in"}, out, scope.boolean("bias"));
}

/// See denseCost.
inline Cost readOutCost(const CostScope& scope, std::int64_t width)
{
    return hasLinearReadOut(scope) ? denseCost(scope.dimension("x"), width, scope.boolean("bias")) : Cost{};
}

} // namespace unroll::nodes
