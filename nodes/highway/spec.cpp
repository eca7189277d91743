// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::highway {

BlockSpec spec()
{
    return {.id = "highway",
            .title = "Highway",
            .summary = "Gated (convex) mix of two sequences: y = g ∘ a + (1 - g) ∘ b.",
            .synonyms = {"mix", "interpolate", "lerp", "blend", "convex combination"},
            .category = Category::Combine,
            .inputs = {sequenceOrVector("The gate g, between 0 and 1.", "g"),
                       sequenceOrVector("Passed where the gate is 1.", "a"),
                       sequenceOrVector("Passed where the gate is 0.", "b")},
            .outputs = {sequenceOrVector("g a + (1 - g) b.", "y")},
            .signalSpecs = {{"y", SignalKind::Signed, "The mixture."}},
            .pythonClass = "Highway",
            .infer =
                [](InferScope& scope) {
                    inferEqualWidths(scope, {"g", "a", "b"});
                },
            // Difference, product, sum forward; difference, three products and 1 - g backward; bytes: y; workspace: the
            // gradients of g, a and b.
            .cost = [](const CostScope& scope) { return elementCost(scope.dimension("a"), 3, 5, 1, 3); },
            .provenance = "Srivastava, Greff, Schmidhuber 2015, arXiv:1505.00387, with the carry gate 1 - g."};
}

} // namespace unroll::nodes::highway
