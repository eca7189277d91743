// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"

namespace unroll::nodes::causal_conv {

/// Earlier steps that an output reads.
template <class Scope>
static std::int64_t reach(const Scope& scope)
{
    return (scope.integer("kernel_size") - 1) * scope.integer("dilation");
}

static void infer(InferScope& scope)
{
    const std::int64_t width = scope.integer("width");
    const Shape* x = scope.input("x");
    if (x == nullptr) {
        scope.output("y", sequenceOf(width));
        return;
    }
    inferRecurrent(scope, width, stateOf(product({reach(scope), x->width}), 1), "the last inputs");
    if (!scope.boolean("depthwise") || x->width == width)
        return;
    scope.error("depthwise", "depthwise-needs-equal-width",
                "a depthwise convolution has a kernel for each feature of x, so width must equal that of x, " +
                    std::to_string(x->width) + "; it is " + std::to_string(width));
    scope.offerParam("Set width to " + std::to_string(x->width), "width", x->width);
    scope.offerParam("Turn depthwise off", "depthwise", false);
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    if (scope.boolean("depthwise")) // a feature of x is one of y: neither side alone says what it is for
        return denseWeights(scope, {scope.integer("kernel_size"), "kernel_size"}, {scope.integer("width"), "width"},
                            scope.boolean("bias"));
    return denseWeights(scope, portSize(scope, "x", "(kernel_size in)", scope.integer("kernel_size")),
                        {scope.integer("width"), "width", "y"}, scope.boolean("bias"));
}

/// A dense layer over the steps that are read. Bytes: y, and those steps side by side; workspace: their gradient.
/// Depthwise a product and a sum a tap, backward both gradients and their sums; kept are y and the inputs behind the
/// state.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), read = product({scope.integer("kernel_size"), in});
    if (scope.boolean("depthwise")) {
        const auto taps = static_cast<double>(scope.integer("kernel_size"));
        const double bias = scope.boolean("bias") ? 1 : 0;
        return sum(elementCost(in, 2 * taps - 1 + bias, 4 * taps + bias, 3, 3),
                   gatheredCost(scope, in, scope.integer("kernel_size")));
    }
    Cost total = denseCost(read, scope.integer("width"), scope.boolean("bias"));
    total.activationBytes += kFloatBytes * static_cast<double>(read);
    return total;
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "causal_conv",
         .title = "Causal convolution",
         .summary = "Causal 1-D convolution over time: y_t = Σ_i W_i x_{t-i·dilation} + b.",
         .synonyms = {"convolution", "conv1d", "temporal convolution", "TCN", "short convolution", "depthwise"},
         .category = Category::Layer,
         .inputs = recurrentInputs("The inputs before the first step, oldest first; zeros when unwired."),
         .outputs =
             recurrentOutputs("The convolution at every step.", "The last inputs, oldest first.", {"last inputs"}),
         .params = followedBy(
             {integerParam("width", 128, 1, kWidest, "features", "Features of the output."),
              integerParam("kernel_size", 4, 2, 64, "steps", "Steps that each output reads, the current one included."),
              integerParam("dilation", 1, 1, 1024, "steps", "Spacing of the steps that are read."),
              flagParam("bias", true, "Whether a learned bias is added."),
              flagParam("depthwise", false, "Whether each feature has a kernel of its own, as in Mamba and Hawk.")},
             denseInitializers()),
         .signalSpecs = {{"y", SignalKind::Signed, "The output."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "CausalConv",
         .recurrent = true,
         .trainingPath =
             [](const Params& params, const std::map<std::string, Shape>&) {
                 return std::get<bool>(params.at("depthwise")) ? "Elementwise, all steps at once."
                                                               : "One matrix product over all steps.";
             },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "van den Oord et al. 2016, arXiv:1609.03499 (WaveNet); torch.nn.Conv1d padded on the left, the "
                       "kernel written as one matrix."});
}

} // namespace unroll::nodes::causal_conv
