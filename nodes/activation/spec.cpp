// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activation_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace unroll::nodes::activation {

/// Operations an element forward, transcendental ones as one; backward one more.
static double elementOperations(const std::string& function)
{
    static const std::map<std::string, double> several = {{"identity", 0},    {"softsign", 3},      {"hard_sigmoid", 3},
                                                          {"hard_silu", 4},   {"tanh_shrink", 2},   {"squareplus", 5},
                                                          {"sparse_plus", 7}, {"sparse_sigmoid", 3}};
    const auto found = several.find(function);
    return found == several.end() ? 1 : found->second;
}

/// Over features, an element: softmax the largest, difference, exp, sum, quotient; log_softmax a second difference for
/// the quotient; backward two products, or one and exp, a sum and a difference. Bytes: y; workspace: the gradient of x.
///
/// sparsemax: the largest, difference and bound 3, sorting log2 of the width, running sum 1, test 3, sums of what is
/// open 3, comparison 1, difference and relu 2; backward relu, choice, sum, difference. Bytes: y, and a byte for what
/// is open; workspace: x less its largest, what is sorted and was, and its order in int64, less the output to come.
static Cost overFeaturesCost(const std::string& function, std::int64_t width)
{
    if (function == "sparsemax")
        return elementCost(width, 13 + std::log2(std::max(static_cast<double>(width), 1.0)), 4, 1.25, 3.75);
    return elementCost(width, 5, 4, 1, 1);
}

/// Of elementwise functions, bytes: y; workspace: the gradient of x.
static Cost cost(const CostScope& scope)
{
    const std::string& function = scope.text("function");
    const std::int64_t width = scope.dimension("x");
    if (functionKind(function) == FunctionKind::OverFeatures)
        return overFeaturesCost(function, width);
    const double operations = elementOperations(function);
    return elementCost(width, operations, operations > 0 ? operations + 1 : 0, 1, 1);
}

/// A function over features treats them all alike, so that y has the features of x there too.
static void infer(InferScope& scope)
{
    inferEqualWidths(scope, {"x"});
    const Shape* x = scope.input("x");
    const std::string& function = scope.text("function");
    if (x != nullptr && x->width == 1 && functionKind(function) == FunctionKind::OverFeatures)
        scope.warning("x", "one-feature",
                      function + " of one feature is always " + (function == "log_softmax" ? "0" : "1"));
}

BlockSpec spec()
{
    return {
        .id = "activation",
        .title = "Activation",
        .summary = "Activation function: y = f(x), element by element or over the features of each step.",
        .synonyms = {"nonlinearity", "tanh", "sigmoid", "relu", "gelu", "silu", "swish", "softplus", "elu", "mish",
                     "leaky relu", "softmax", "log softmax", "sparsemax", "threshold"},
        .category = Category::Layer,
        .inputs = {sequenceOrVector("The sequence to transform.", "x")},
        .outputs = {sequenceOrVector("f(x), of the width of x.", "y")},
        .params = {choiceParam("function", activationChoices(), "The activation function."),
                   countsWith("function", {"threshold"}, realParam("threshold", 0, -1e6, 1e6, "Above it x is kept.")),
                   countsWith("function", {"threshold"},
                              realParam("default_value", 0, -1e6, 1e6, "What stands for x elsewhere."))},
        .signalSpecs = {{"y", SignalKind::Signed, "The output."}},
        .dimensions = {{"input_size", "x"}},
        .pythonClass = "Activation",
        .infer = infer,
        .cost = cost,
        .provenance = "The activations of Keras 3, computed as in torch.nn.functional; sparsemax: Martins, Astudillo "
                      "2016, arXiv:1602.02068."};
}

} // namespace unroll::nodes::activation
