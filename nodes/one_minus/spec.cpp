// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::one_minus {

BlockSpec spec()
{
    return {.id = "one_minus",
            .title = "One minus",
            .summary = "Elementwise complement: y = 1 - x, as for the other share of a gate.",
            .synonyms = {"complement", "subtract from one", "1 - x", "inverse gate"},
            .category = Category::Layer,
            .inputs = {sequenceOrVector("The input sequence.", "x")},
            .outputs = {sequenceOrVector("1 - x.", "y")},
            .signalSpecs = {{"y", SignalKind::Signed, "1 - x."}},
            .pythonClass = "OneMinus",
            .infer = [](InferScope& scope) { inferEqualWidths(scope, {"x"}); },
            // One subtraction an element forward, one negation backward; bytes: y; workspace: the gradient of x.
            .cost = [](const CostScope& scope) { return elementCost(scope.dimension("x"), 1, 1, 1, 1); },
            .provenance = "Elementwise 1 - x."};
}

} // namespace unroll::nodes::one_minus
