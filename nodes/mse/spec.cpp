// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out_parts.h"

namespace unroll::nodes::mse {

/// What reads x (readOutCost), then an element of the prediction: comparison, difference, choice and square forward,
/// two products backward. Kept: prediction, difference, and a byte for what is there; workspace: the square, and the
/// difference where it is there.
static Cost cost(const CostScope& scope)
{
    const std::int64_t width = scope.dimension("targets");
    return sum(readOutCost(scope, width), elementCost(width, 4, 2, 1.25, 2));
}

static void infer(InferScope& scope)
{
    scope.output("loss", {.type = PortType::Loss});
    const Shape* targets = scope.input("targets");
    if (targets == nullptr)
        return;
    scope.output("prediction", sequenceOf(targets->width));
    scope.same({"targets", "prediction"});
    inferReadOut(scope, targets->width);
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    return readOutWeights(scope, portSize(scope, "targets", "targets"));
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "mse",
         .title = "MSE head",
         .summary = "Linear regression head with mean squared error: prediction_t = W x_t + b.",
         .synonyms = {"loss", "regression", "forecast", "mean squared error", "l2", "output"},
         .category = Category::Output,
         .inputs = {sequenceOrVector("The sequence to read from.", "x"),
                    {"targets", PortType::TargetValues, "Target values of each step; NaN is not scored."}},
         .outputs = {{"loss", PortType::Loss, "Mean squared error over the scored values."},
                     sequenceOrVector("Predicted values.", "prediction")},
         .params = readOutParams("number"),
         .signalSpecs = {{"prediction", SignalKind::Signed, "Predicted values, in the units of the targets."}},
         .dimensions = {{"input_size", "x"}, {"output_size", "targets"}},
         .pythonClass = "MseHead",
         .lossUnit = "squared error",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "torch.nn.Linear and mean squared error; missing targets are left out."});
}

} // namespace unroll::nodes::mse
