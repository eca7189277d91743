// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

namespace unroll::nodes::layer_norm {

static void infer(InferScope& scope)
{
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    scope.output("y", sequenceOf(x->width));
    scope.same({"x", "y"});
    if (x->width == 1)
        scope.warning("x", "one-feature", "layer norm of one feature is always 0: the output is the bias only");
}

/// Forward, an element: mean 1, variance 3, centre and scale 2, gain 1, bias 1. Backward: xhat 2, gain 1, two means 3,
/// combination 4; gain's gradient 2, bias's 1. Bytes: y, and mean and deviation of the row; workspace: the gradient of
/// x.
static Cost cost(const CostScope& scope)
{
    const std::int64_t width = scope.dimension("x");
    const int gain = scope.boolean("gain") ? 1 : 0;
    const int bias = scope.boolean("bias") ? 1 : 0;
    Cost total = elementCost(width, 6 + gain + bias, 9 + 3 * gain + bias, 1, 1);
    total.activationBytes += 2 * kFloatBytes;
    return total;
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize width = portSize(scope, "x", "in");
    std::vector<WeightSpec> list;
    if (scope.boolean("gain"))
        list.push_back(plainWeight("weight", {width}, constantValues(1)));
    if (scope.boolean("bias"))
        list.push_back(plainWeight("bias", {width}, zeroValues()));
    return list;
}

BlockSpec spec()
{
    return trainable(
        {.id = "layer_norm",
         .title = "Layer norm",
         .summary = "Layer normalisation, centres and scales the features: y = (x - mean) / √(var + ε) ∘ gain + bias.",
         .synonyms = {"normalisation", "LN"},
         .category = Category::Layer,
         .inputs = {sequenceOrVector("The sequence to normalise.", "x")},
         .outputs = {sequenceOrVector("The normalised sequence.", "y")},
         .params = {realParam("epsilon", 1e-5, 1e-12, 1, "Added to the variance for numerical stability."),
                    flagParam("gain", true, "Whether a learned gain multiplies each feature."),
                    flagParam("bias", true, "Whether a learned bias is added to each feature.")},
         .signalSpecs = {{"y", SignalKind::Signed, "The normalised sequence."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "LayerNorm",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Ba, Kiros, Hinton 2016, arXiv:1607.06450; torch.nn.LayerNorm over the last dimension."});
}

} // namespace unroll::nodes::layer_norm
