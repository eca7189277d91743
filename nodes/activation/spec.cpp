// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::activation {

BlockSpec spec()
{
    return {
        .id = "activation",
        .title = "Activation",
        .summary = "A fixed function of every element.",
        .synonyms = {"nonlinearity", "tanh", "sigmoid", "relu", "gelu", "silu", "swish", "softplus"},
        .category = Category::Layer,
        .inputs = {sequenceOrVector("The sequence to transform.", "x")},
        .outputs = {sequenceOrVector("The function of every element.", "y")},
        .params = {choiceParam("function",
                               {{"tanh", "Squashes to -1 to 1, with slope 1 at 0."},
                                {"sigmoid", "Squashes to 0 to 1: 1 / (1 + exp(-x))."},
                                {"relu", "max(x, 0): what is negative becomes 0."},
                                {"silu", "x sigmoid(x), also called swish: a smooth relu that dips below 0."},
                                {"gelu", "x Phi(x), exactly: Phi is the normal distribution's."},
                                {"softplus", "ln(1 + exp(x)): a smooth relu that is always positive."}},
                               "Which function is applied.")},
        .signalSpecs = {{"y", SignalLook::Signed, "The output."}},
        .dimensions = {{"input_size", "x"}},
        .pythonClass = "Activation",
        .infer = [](InferScope& scope) { inferEqualWidths(scope, {"x"}); },
        // One operation an element forward, two backward (derivative, product); bytes: y; workspace: the gradient of x.
        .cost = [](const CostScope& scope) { return elementCost(scope.dimension("x"), 1, 2, 1, 1); },
        .provenance = "The functions of torch.nn.functional."};
}

} // namespace unroll::nodes::activation
