// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activation_parts.h"

namespace unroll::nodes::activation {

BlockSpec spec()
{
    return {
        .id = "activation",
        .title = "Activation",
        .summary = "Elementwise activation function: y = f(x).",
        .synonyms = {"nonlinearity", "tanh", "sigmoid", "relu", "gelu", "silu", "swish", "softplus", "elu", "mish",
                     "leaky relu"},
        .category = Category::Layer,
        .inputs = {sequenceOrVector("The sequence to transform.", "x")},
        .outputs = {sequenceOrVector("f(x), element by element.", "y")},
        .params = {choiceParam("function", elementFunctions(), "The activation function.")},
        .signalSpecs = {{"y", SignalKind::Signed, "The output."}},
        .dimensions = {{"input_size", "x"}},
        .pythonClass = "Activation",
        .infer = [](InferScope& scope) { inferEqualWidths(scope, {"x"}); },
        // One operation an element forward, two backward (derivative, product); bytes: y; workspace: the gradient of x.
        .cost = [](const CostScope& scope) { return elementCost(scope.dimension("x"), 1, 2, 1, 1); },
        .provenance = "The elementwise activations of Keras 3, computed as in torch.nn.functional."};
}

} // namespace unroll::nodes::activation
