// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::append_vector {

static void infer(InferScope& scope)
{
    const Shape* x = scope.input("x");
    const Shape* v = scope.input("v");
    if (x == nullptr || v == nullptr)
        return;
    scope.output("y", sequenceOf(x->width + v->width));
    scope.same({.from = "x", .to = "y", .copied = true});
    scope.same({.from = "v", .to = "y", .toAt = x->width, .copied = true});
}

BlockSpec spec()
{
    return {
        .id = "append_vector",
        .title = "Append vector",
        .summary = "Concatenates one vector per sequence to the features of every step: y_t = [x_t, v].",
        .synonyms = {"broadcast", "repeat vector", "condition", "context vector"},
        .category = Category::Combine,
        .inputs = {sequencePort("The sequence.", "x"), {"v", PortType::Vector, "The vector appended at every step."}},
        .outputs = {sequencePort("[x_t, v].", "y")},
        .signalSpecs = {{"y", SignalKind::Signed, "Both concatenated, x first."}},
        .pythonClass = "AppendVector",
        .infer = infer,
        // Copies only; the vector's gradient is a sum. Bytes: y.
        .cost =
            [](const CostScope& scope) {
                return sum(elementCost(scope.dimension("x"), 0, 0, 1), elementCost(scope.dimension("v"), 0, 1, 1));
            },
        .provenance = "Concatenation along the features."};
}

} // namespace unroll::nodes::append_vector
