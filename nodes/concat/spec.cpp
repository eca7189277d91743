// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::concat {

static void infer(InferScope& scope)
{
    const Shape* a = scope.input("a");
    const Shape* b = scope.input("b");
    if (a == nullptr || b == nullptr)
        return;
    scope.output("y", sequenceOf(a->width + b->width));
    scope.same({.from = "a", .to = "y", .copied = true});
    scope.same({.from = "b", .to = "y", .toAt = a->width, .copied = true});
}

BlockSpec spec()
{
    return {
        .id = "concat",
        .title = "Concat",
        .summary = "Concatenates the features of two sequences: y_t = [a_t, b_t].",
        .synonyms = {"concatenate", "join", "cat", "stack features"},
        .category = Category::Combine,
        .inputs = {sequenceOrVector("The first features.", "a"), sequenceOrVector("The features after them.", "b")},
        .outputs = {sequenceOrVector("[a, b].", "y")},
        .signalSpecs = {{"y", SignalKind::Signed, "Both concatenated, a first."}},
        .pythonClass = "Concat",
        .infer = infer,
        // Copies only; bytes: y.
        .cost =
            [](const CostScope& scope) { return elementCost(scope.dimension("a") + scope.dimension("b"), 0, 0, 1); },
        .provenance = "Concatenation along the features."};
}

} // namespace unroll::nodes::concat
