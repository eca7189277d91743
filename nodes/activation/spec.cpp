// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::activation {

static void infer(InferScope& scope)
{
    if (const Shape* x = scope.input("x"))
        scope.output("y", sequenceOf(x->width));
}

BlockSpec spec()
{
    return {.id = "activation",
            .title = "Activation",
            .summary = "A fixed function of every element.",
            .synonyms = {"nonlinearity", "tanh", "sigmoid", "relu", "gelu", "silu", "swish", "softplus"},
            .category = Category::Layer,
            .inputs = {sequencePort("The sequence to transform.", "x")},
            .outputs = {sequencePort("The function of every element.", "y")},
            .params = {choiceParam("function", {"tanh", "sigmoid", "relu", "silu", "gelu", "softplus"},
                                   "Which function; gelu is the exact one, x Phi(x).")},
            .signalSpecs = {{"y", SignalLook::Signed, "The output."}},
            .dimensions = {{"input_size", "x"}},
            .pythonClass = "Activation",
            .infer = infer,
            // One operation an element forward, two backward (derivative, product); bytes: y.
            .cost = [](const CostScope& scope) { return elementCost(scope.dimension("x"), 1, 2, 1); },
            .provenance = "The functions of torch.nn.functional."};
}

} // namespace unroll::nodes::activation
