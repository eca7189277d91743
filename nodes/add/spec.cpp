// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::add {

BlockSpec spec()
{
    return {.id = "add",
            .title = "Add",
            .summary = "Elementwise sum of two sequences, as in a residual connection: y = a + b.",
            .synonyms = {"plus", "sum", "residual", "skip connection"},
            .category = Category::Combine,
            .inputs = {sequenceOrVector("One sequence.", "a"), sequenceOrVector("Another of the same width.", "b")},
            .outputs = {sequenceOrVector("a + b.", "y")},
            .signalSpecs = {{"y", SignalKind::Signed, "The sum."}},
            .pythonClass = "Add",
            .sums = true,
            .infer =
                [](InferScope& scope) {
                    inferEqualWidths(scope, {"a", "b"});
                },
            // One addition an element; the gradient goes through unchanged; bytes: y.
            .cost = [](const CostScope& scope) { return elementCost(scope.dimension("a"), 1, 0, 1); },
            .provenance = "Elementwise addition."};
}

} // namespace unroll::nodes::add
