// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::split_heads {

static void infer(InferScope& scope)
{
    const std::int64_t heads = scope.integer("num_heads"), head = scope.integer("head");
    if (head > heads) {
        scope.error("head", "no-such-head",
                    "head " + std::to_string(head) + " is requested; there are " + std::to_string(heads));
        scope.offerParam("Take head " + std::to_string(heads), "head", heads);
        return;
    }
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    if (x->width % heads == 0) {
        const std::int64_t width = x->width / heads;
        scope.output("y", sequenceOf(width));
        scope.same({.from = "x", .to = "y", .fromAt = (head - 1) * width, .count = width, .copied = true});
        return;
    }
    scope.error("num_heads", "heads-do-not-divide",
                "x has width " + std::to_string(x->width) + ", which " + std::to_string(heads) +
                    " heads do not divide");
    std::int64_t fitting = heads;
    while (x->width % fitting != 0)
        --fitting;
    scope.offerParam("Use " + std::to_string(fitting), "num_heads", fitting);
}

BlockSpec spec()
{
    return {
        .id = "split_heads",
        .title = "Split heads",
        .summary = "Splits the features into equal heads and selects one of them.",
        .synonyms = {"heads", "multi-head", "chunk", "part"},
        .category = Category::Layer,
        .inputs = {sequenceOrVector("The sequence whose features are split.", "x")},
        .outputs = {sequenceOrVector("The features of one head.", "y")},
        .params = {integerParam("num_heads", 2, 1, kWidest, "heads", "Number of heads the features are split into."),
                   integerParam("head", 1, 1, kWidest, "", "Index of the head, counted from 1.")},
        .signalSpecs = {{"y", SignalKind::Signed, "The features of the head."}},
        .dimensions = {{"input_size", "x"}},
        .pythonClass = "SplitHeads",
        .infer = infer,
        // Copies only; bytes: y; workspace: the gradient of all features.
        .cost =
            [](const CostScope& scope) {
                const std::int64_t in = scope.dimension("x");
                return sum(elementCost(in / scope.integer("num_heads"), 0, 0, 1), elementCost(in, 0, 0, 0, 1));
            },
        .provenance = "Heads as contiguous features, as in Vaswani et al. 2017, arXiv:1706.03762."};
}

} // namespace unroll::nodes::split_heads
