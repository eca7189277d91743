// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

#include <algorithm>

namespace unroll::nodes::pool {

static void infer(InferScope& scope)
{
    if (const Shape* x = scope.input("x"))
        scope.output("y", {.type = PortType::Vector, .width = x->width});
    scope.same({"x", "y"});
}

/// One operation an element; the maximum's gradient compares, counts and shares it out, and keeps what it compares. The
/// vector itself is one for all steps. Workspace: what real steps leave of x, and its gradient.
static Cost cost(const CostScope& scope)
{
    const bool maximum = scope.text("kind") == "max";
    const double vector = 1 / static_cast<double>(std::max<std::int64_t>(scope.steps, 1));
    return elementCost(scope.dimension("x"), 1, maximum ? 3 : 1, (maximum ? 1 : 0) + vector, 2);
}

BlockSpec spec()
{
    return {
        .id = "pool",
        .title = "Pool over time",
        .summary = "Pooling over time: maximum, mean, last or first step of a sequence.",
        .synonyms = {"max over time", "mean over time", "last step", "average pooling", "summary vector"},
        .category = Category::Layer,
        .inputs = {sequencePort("The sequence to pool.", "x"),
                   {"mask", PortType::Mask, "Real steps; the others are ignored.", true}},
        .outputs = {{"y", PortType::Vector, "One vector per sequence, known after the last step."}},
        .params = {choiceParam("kind",
                               {{"max", "The largest value of each feature."},
                                {"mean", "The mean of each feature."},
                                {"last", "The last step."},
                                {"first", "The first step: the final state of a cell that reads backward."}},
                               "Pooling operation.")},
        .signalSpecs = {{"running", SignalKind::Signed, "The same over the steps so far; equals y at the last step."}},
        .pythonClass = "Pool",
        .causal = [](const Params&) { return false; },
        .infer = infer,
        .cost = cost,
        .provenance = "Max over time: Collobert et al. 2011, arXiv:1103.0398."};
}

} // namespace unroll::nodes::pool
