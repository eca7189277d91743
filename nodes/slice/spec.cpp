// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::slice {

static void infer(InferScope& scope)
{
    const std::int64_t start = scope.integer("start"), width = scope.integer("width");
    const Shape* x = scope.input("x");
    if (x == nullptr) {
        scope.output("y", sequenceOf(width));
        return;
    }
    if (start + width <= x->width) {
        scope.output("y", sequenceOf(width));
        scope.same({.from = "x", .to = "y", .fromAt = start, .count = width, .copied = true});
        return;
    }
    scope.error("width", "slice-outside",
                "features " + std::to_string(start) + " to " + std::to_string(start + width - 1) +
                    " are requested; x has width " + std::to_string(x->width));
    if (start < x->width)
        scope.offerParam("Take the " + std::to_string(x->width - start) + " that follow", "width", x->width - start);
    else
        scope.offerParam("Start at feature 0", "start", std::int64_t{0});
}

BlockSpec spec()
{
    return {.id = "slice",
            .title = "Slice",
            .summary = "Slice of the features: y_t = x_t[start .. start + width - 1].",
            .synonyms = {"narrow", "chunk", "select features", "split"},
            .category = Category::Layer,
            .inputs = {sequenceOrVector("The input sequence.", "x")},
            .outputs = {sequenceOrVector("The selected features.", "y")},
            .params = {integerParam("start", 0, 0, kWidest, "", "First feature, counted from 0."),
                       integerParam("width", 8, 1, kWidest, "features", "Number of features.")},
            .signalSpecs = {{"y", SignalKind::Signed, "The selected features."}},
            .pythonClass = "Slice",
            .infer = infer,
            // Copies only; bytes: y; workspace: the gradient of all features.
            .cost =
                [](const CostScope& scope) {
                    return sum(elementCost(scope.integer("width"), 0, 0, 1),
                               elementCost(scope.dimension("x"), 0, 0, 0, 1));
                },
            .provenance = "A slice along the features."};
}

} // namespace unroll::nodes::slice
