// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::activation {

BlockSpec spec()
{
    return {
        .id = "activation",
        .title = "Activation",
        .summary = "Elementwise activation function: y = f(x).",
        .synonyms = {"nonlinearity", "tanh", "sigmoid", "relu", "gelu", "silu", "swish", "softplus"},
        .category = Category::Layer,
        .inputs = {sequenceOrVector("The sequence to transform.", "x")},
        .outputs = {sequenceOrVector("f(x), element by element.", "y")},
        .params = {choiceParam("function",
                               {{"tanh", "Range -1 to 1, slope 1 at 0."},
                                {"sigmoid", "Range 0 to 1: 1 / (1 + exp(-x))."},
                                {"relu", "max(x, 0): negative values become 0."},
                                {"silu", "x sigmoid(x), also called swish: a smooth relu that dips below 0."},
                                {"gelu", "x Phi(x), exact: Phi is the CDF of the standard normal distribution."},
                                {"softplus", "ln(1 + exp(x)): a smooth relu that is always positive."}},
                               "The activation function.")},
        .signalSpecs = {{"y", SignalKind::Signed, "The output."}},
        .dimensions = {{"input_size", "x"}},
        .pythonClass = "Activation",
        .infer = [](InferScope& scope) { inferEqualWidths(scope, {"x"}); },
        // One operation an element forward, two backward (derivative, product); bytes: y; workspace: the gradient of x.
        .cost = [](const CostScope& scope) { return elementCost(scope.dimension("x"), 1, 2, 1, 1); },
        .provenance = "The functions of torch.nn.functional."};
}

} // namespace unroll::nodes::activation
