// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"

namespace unroll::nodes::linear {

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    return denseWeights(scope, portSize(scope, "x", "in"), {scope.integer("width"), "width", "y"},
                        scope.boolean("bias"));
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
                              denseInitializers()),
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
