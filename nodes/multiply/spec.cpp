// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::multiply {

BlockSpec spec()
{
    return {.id = "multiply",
            .title = "Multiply",
            .summary = "Elementwise (Hadamard) product, as in gating: y = a ∘ b.",
            .synonyms = {"times", "product", "hadamard", "elementwise product"},
            .category = Category::Combine,
            .inputs = {sequenceOrVector("One sequence.", "a"), sequenceOrVector("Another of the same width.", "b")},
            .outputs = {sequenceOrVector("a ∘ b.", "y")},
            .signalSpecs = {{"y", SignalKind::Signed, "The product."}},
            .pythonClass = "Multiply",
            .infer =
                [](InferScope& scope) {
                    inferEqualWidths(scope, {"a", "b"});
                },
            // One product an element, two for the gradients; bytes: y; workspace: both gradients.
            .cost = [](const CostScope& scope) { return elementCost(scope.dimension("a"), 1, 2, 1, 2); },
            .provenance = "Elementwise (Hadamard) product."};
}

} // namespace unroll::nodes::multiply
