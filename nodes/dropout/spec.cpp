// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::dropout {

BlockSpec spec()
{
    return {
        .id = "dropout",
        .title = "Dropout",
        .summary = "Zeroes elements at random while training, and scales the rest up.",
        .synonyms = {"regularisation"},
        .category = Category::Layer,
        .inputs = {sequenceOrVector("The sequence to thin.", "x")},
        .outputs = {sequenceOrVector("x while looking or evaluating; thinned while training.", "y")},
        .params = {realParam("rate", 0.1, 0, 0.99,
                             "Probability that an element is zeroed; the others are divided by 1 - rate.")},
        .signalSpecs = {{"y", SignalLook::Signed, "The output."}},
        .dimensions = {{"input_size", "x"}},
        .pythonClass = "Dropout",
        .infer = [](InferScope& scope) { inferEqualWidths(scope, {"x"}); },
        // Scaled mask and product forward, one product backward; bytes: y and the mask; workspace: the gradient of x.
        .cost = [](const CostScope& scope) { return elementCost(scope.dimension("x"), 2, 1, 2, 1); },
        .provenance = "Srivastava et al. 2014, scaled while training as in torch.nn.Dropout."};
}

} // namespace unroll::nodes::dropout
