// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

namespace unroll::nodes::rms_norm {

static void infer(InferScope& scope)
{
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    scope.output("y", sequenceOf(x->width));
    scope.same({"x", "y"});
    if (x->width == 1)
        scope.warning("x", "one-feature", "RMS norm of one feature keeps only its sign");
}

/// Forward, an element: square and mean 2, scale 1, gain 1. Backward: gain 1, xhat 1, mean of products 2, combination
/// 3; gain's gradient 2. Floats kept: y and the row's scale; workspace: the gradient, the normalised input, the
/// gradient before the gain, two products.
static Cost cost(const CostScope& scope)
{
    const std::int64_t width = scope.dimension("x");
    const int gain = scope.boolean("gain") ? 1 : 0;
    Cost total = elementCost(width, 3 + gain, 6 + 3 * gain, 1, 5);
    total.activationBytes += kFloatBytes;
    return total;
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    if (!scope.boolean("gain"))
        return {};
    return {plainWeight("weight", {portSize(scope, "x", "in")}, constantValues(1))};
}

BlockSpec spec()
{
    return trainable({.id = "rms_norm",
                      .title = "RMS norm",
                      .summary = "Root mean square normalisation over the features: y = x / √(mean(x²) + ε) ∘ gain.",
                      .synonyms = {"normalisation", "root mean square norm"},
                      .category = Category::Layer,
                      .inputs = {sequenceOrVector("The sequence to normalise.", "x")},
                      .outputs = {sequenceOrVector("The scaled sequence.", "y")},
                      .params = {realParam("epsilon", 1e-6, 1e-12, 1,
                                           "Added to the mean square for numerical stability; a row of zeros stays 0."),
                                 flagParam("gain", true, "Whether a learned gain multiplies each feature.")},
                      .signalSpecs = {{"y", SignalKind::Signed, "The scaled sequence."}},
                      .dimensions = {{"input_size", "x"}},
                      .pythonClass = "RMSNorm",
                      .infer = infer,
                      .weights = weights,
                      .cost = cost,
                      .provenance = "Zhang, Sennrich 2019, arXiv:1910.07467."});
}

} // namespace unroll::nodes::rms_norm
