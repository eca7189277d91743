// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activation_parts.h"

#include <map>
#include <string>

namespace unroll::nodes::activation {

/// Operations an element forward, transcendental ones as one; backward one more.
static double operationsOf(const std::string& function)
{
    static const std::map<std::string, double> several = {{"identity", 0},    {"softsign", 3},      {"hard_sigmoid", 3},
                                                          {"hard_silu", 4},   {"tanh_shrink", 2},   {"squareplus", 5},
                                                          {"sparse_plus", 7}, {"sparse_sigmoid", 3}};
    const auto found = several.find(function);
    return found == several.end() ? 1 : found->second;
}

BlockSpec spec()
{
    return {.id = "activation",
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
            // Bytes: y; workspace: the gradient of x.
            .cost =
                [](const CostScope& scope) {
                    const double operations = operationsOf(scope.text("function"));
                    return elementCost(scope.dimension("x"), operations, operations > 0 ? operations + 1 : 0, 1, 1);
                },
            .provenance = "The elementwise activations of Keras 3, computed as in torch.nn.functional."};
}

} // namespace unroll::nodes::activation
