// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::dropout {

BlockSpec spec()
{
    return {
        .id = "dropout",
        .title = "Dropout",
        .summary = "Dropout: in training, zeroes elements with probability p and scales the rest by 1/(1 - p).",
        .synonyms = {"regularisation"},
        .category = Category::Layer,
        .inputs = {sequenceOrVector("The sequence to drop elements of.", "x")},
        .outputs = {sequenceOrVector("x in evaluation; with dropout in training.", "y")},
        .params = {realParam("rate", 0.1, 0, 0.99,
                             "Probability p that an element is zeroed; the others are divided by 1 - p.")},
        .signalSpecs = {{"y", SignalKind::Signed, "The output."}},
        .dimensions = {{"input_size", "x"}},
        .pythonClass = "Dropout",
        .infer = [](InferScope& scope) { inferEqualWidths(scope, {"x"}); },
        // Scaled mask and product forward, one product backward; bytes: y and the mask; workspace: the gradient of x.
        .cost = [](const CostScope& scope) { return elementCost(scope.dimension("x"), 2, 1, 2, 1); },
        .provenance = "Srivastava et al. 2014, scaled while training as in torch.nn.Dropout."};
}

} // namespace unroll::nodes::dropout
