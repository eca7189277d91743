// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::one_hot {

static void infer(InferScope& scope)
{
    if (const Shape* tokens = scope.input("tokens"))
        scope.output("y", sequenceOf(tokens->classes));
    scope.same({"tokens", "y"});
}

BlockSpec spec()
{
    return {.id = "one_hot",
            .title = "One-hot",
            .summary = "One-hot encoding: y_t = e_i with i = token_t.",
            .synonyms = {"indicator", "1 of k", "dummy variables"},
            .category = Category::Embedding,
            .inputs = {{"tokens", PortType::Tokens, "Class indices."}},
            .outputs = {sequencePort("1 at the token's feature, 0 elsewhere; as wide as there are classes.", "y")},
            .signalSpecs = {{"y", SignalKind::Gate, "1 at the token's feature."}},
            .dimensions = {{"classes", "tokens"}},
            .pythonClass = "OneHot",
            .infer = infer,
            // Writes only; bytes: y.
            .cost = [](const CostScope& scope) { return elementCost(scope.dimension("tokens"), 0, 0, 1); },
            .provenance = "Unit vectors."};
}

} // namespace unroll::nodes::one_hot
