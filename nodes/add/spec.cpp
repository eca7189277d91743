// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::add {

static void infer(InferScope& scope)
{
    const Shape* a = scope.input("a");
    const Shape* b = scope.input("b");
    if (a != nullptr && b != nullptr && a->width != b->width) {
        scope.error("b", "width-mismatch",
                    "b has width " + std::to_string(b->width) + ", a has width " + std::to_string(a->width) +
                        ": both must be equal");
        scope.offerWidth("b", a->width);
        return;
    }
    if (a != nullptr || b != nullptr)
        scope.output("y", sequenceOf(a != nullptr ? a->width : b->width));
}

BlockSpec spec()
{
    return {.id = "add",
            .title = "Add",
            .summary = "The sum of two sequences: a residual connection.",
            .synonyms = {"plus", "sum", "residual", "skip connection"},
            .category = Category::Combine,
            .inputs = {sequencePort("One sequence.", "a"), sequencePort("Another of the same width.", "b")},
            .outputs = {sequencePort("a + b.", "y")},
            .signalSpecs = {{"y", SignalLook::Signed, "The sum."}},
            .pythonClass = "Add",
            .infer = infer,
            // One addition an element; the gradient goes through unchanged; bytes: y.
            .cost = [](const CostScope& scope) { return elementCost(scope.dimension("a"), 1, 0, 1); },
            .provenance = "Elementwise addition."};
}

} // namespace unroll::nodes::add
