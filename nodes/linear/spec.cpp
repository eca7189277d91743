// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"
#include "nodes/shared/keras_initializers.h"

namespace unroll::nodes::linear {

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    std::vector<WeightSpec> list =
        denseWeights(scope, portSize(scope, "x", "in"), {scope.integer("width"), "width", "y"}, scope.boolean("bias"));
    if (scope.text("weights_initializer") == "normal")
        list.front().parts.front().initial = normalValues(scope.real("init_std"), "init_std");
    return list;
}

/// denseInitializers, with a deviation for `normal`: in GPT-2 it depends on where in the model the layer is.
static std::vector<ParamSpec> initializers()
{
    std::vector<ParamSpec> params = denseInitializers();
    for (ChoiceSpec& choice : params.front().choices)
        if (choice.value == "normal")
            choice.explanation = "Normal with standard deviation init_std.";
    const char* help = "Standard deviation; in GPT-2 the last matrix of a residual branch has 0.02 / √(2 layers).";
    params.push_back(initialNumber("weights_initializer", {"normal"}, realParam("init_std", 0.02, 0, 100, help)));
    return params;
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "linear",
         .title = "Linear",
         .summary = "Affine map at every step: y_t = W x_t + b.",
         .synonyms = {"dense", "fully connected", "projection"},
         .category = Category::Layer,
         .inputs = {sequenceOrVector("The sequence to transform.", "x")},
         .outputs = {sequenceOrVector("x W^T + b at every step.", "y")},
         .params = followedBy({integerParam("width", 128, 1, kWidest, "features", "Features of the output."),
                               flagParam("bias", true, "Whether a learned bias is added.")},
                              initializers()),
         .signalSpecs = {{"y", SignalKind::Signed, "The output."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "Linear",
         .infer = [](InferScope& scope) { scope.output("y", sequenceOf(scope.integer("width"))); },
         .weights = weights,
         // See denseCost.
         .cost =
             [](const CostScope& scope) {
                 return denseCost(scope.dimension("x"), scope.integer("width"), scope.boolean("bias"));
             },
         .provenance = "torch.nn.Linear: its weight, bias and initial values, U(-1/sqrt(in), 1/sqrt(in))."});
}

} // namespace unroll::nodes::linear
