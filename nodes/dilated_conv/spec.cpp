// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/dilated_conv/dilations.h"
#include "nodes/shared/dense_rules.h"

namespace unroll::nodes::dilated_conv {

static constexpr std::int64_t kLongestReach = 65'536; // steps; the state holds as many rows for each layer

template <class Scope>
static std::int64_t rowsPerFeature(const Scope& scope)
{
    return scope.text("activation") == "gated" ? 2 : 1;
}

/// Whether the first layer, too, adds what it reads: elsewhere widths differ.
template <class Scope>
static bool addsInput(const Scope& scope, std::int64_t in)
{
    return scope.boolean("residual") && in == scope.integer("width");
}

static void infer(InferScope& scope)
{
    const std::int64_t width = scope.integer("width");
    const Shape* x = scope.input("x");
    const std::int64_t layers = scope.integer("num_layers"), growth = scope.integer("growth");
    const std::int64_t kernel = scope.integer("kernel_size");
    if (reach(layers, kernel, growth) > kLongestReach) {
        std::int64_t most = layers;
        while (most > 1 && reach(most, kernel, growth) > kLongestReach)
            --most;
        scope.output("y", sequenceOf(width));
        scope.error("num_layers", "reach-too-long",
                    "the layers may reach back " + std::to_string(kLongestReach) + " steps at most; these reach back " +
                        (reach(layers, kernel, growth) == kSaturated ? "further than can be counted"
                                                                     : std::to_string(reach(layers, kernel, growth))));
        scope.offerParam("Set num_layers to " + std::to_string(most), "num_layers", most);
        return;
    }
    if (x == nullptr) {
        scope.output("y", sequenceOf(width));
        return;
    }
    std::int64_t kept = 0;
    for (std::int64_t layer = 0; layer < layers; ++layer)
        kept = unroll::sum(
            {kept, unroll::product({kernel - 1, dilationOf(layer, growth), layer == 0 ? x->width : width})});
    inferRecurrent(scope, width, stateOf(kept, 1), "the last inputs of every layer");
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const std::int64_t kernel = scope.integer("kernel_size"), width = scope.integer("width");
    const bool gated = rowsPerFeature(scope) == 2;
    const WeightSize rows{unroll::product({rowsPerFeature(scope), width}), gated ? "2 width" : "width"};
    const WeightSize later{unroll::product({kernel, width}), "(kernel_size width)"};
    const WeightSize first = addsInput(scope, scope.dimension("x")) // a feature of x is one of h, too
                                 ? WeightSize{later.size, "(kernel_size in)"}
                                 : portSize(scope, "x", "(kernel_size in)", kernel);
    std::vector<WeightSpec> list;
    for (std::int64_t layer = 0; layer < scope.integer("num_layers"); ++layer)
        list = followedBy(std::move(list), within("layers." + std::to_string(layer),
                                                  denseWeights(scope, layer == 0 ? first : later, rows, true)));
    return list;
}

/// Each layer a dense layer over the steps that it reads, and the function of its sums: gated 3 forward, backward
/// products 2 and derivatives 5; else 1 and 2; the sum with what was read 1. Bytes: the sums, what the function keeps,
/// the steps side by side; workspace: the gradients of the sums and of the steps.
static Cost cost(const CostScope& scope)
{
    const std::int64_t kernel = scope.integer("kernel_size"), width = scope.integer("width");
    const bool gated = rowsPerFeature(scope) == 2;
    Cost total;
    for (std::int64_t layer = 0; layer < scope.integer("num_layers"); ++layer) {
        const std::int64_t in = layer == 0 ? scope.dimension("x") : width, read = unroll::product({kernel, in});
        Cost one = denseCost(read, unroll::product({rowsPerFeature(scope), width}), true);
        one.activationBytes += kFloatBytes * static_cast<double>(read);
        one += gated ? elementCost(width, 3, 7, 3, 2) : elementCost(width, 1, 2, 1, 1);
        if (addsInput(scope, in))
            one += elementCost(width, 1, 1, 1);
        total += one;
    }
    return total;
}

static std::vector<ParamSpec> params()
{
    return followedBy(
        {integerParam("width", 128, 1, kWidest, "features", "Features of every layer and of the output."),
         integerParam("num_layers", 6, 1, 64, "layers", "Number of stacked convolutions."),
         integerParam("kernel_size", 2, 2, 64, "steps", "Steps that each layer reads, the current one included."),
         integerParam("growth", 2, 1, 16, "",
                      "Factor by which the dilation grows from layer to layer; 1: no layer is dilated."),
         choiceParam("activation",
                     {{"gated", "tanh(a) sigmoid(b), a and b convolutions of their own, as in WaveNet."},
                      {"relu", "max(a, 0), as in temporal convolutional networks."},
                      {"tanh", "Range -1 to 1."}},
                     "Function of each layer."),
         flagParam("residual", true, "Whether each layer adds what it reads, where widths are equal.")},
        denseInitializers());
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "dilated_conv",
         .title = "Dilated convolutions",
         .summary = "Stacked causal convolutions whose dilation grows from layer to layer: a context exponential in "
                    "their number.",
         .synonyms = {"WaveNet", "TCN", "temporal convolutional network", "fixed context", "dilated causal convolution",
                      "receptive field"},
         .category = Category::Layer,
         .inputs = recurrentInputs("What every layer read before the first step, layer by layer; zeros when unwired."),
         .outputs = recurrentOutputs("The last layer at every step.",
                                     "The last inputs of every layer, oldest first, layer by layer.", {"last inputs"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The output of every layer, the first layer first."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "DilatedConv",
         .recurrent = true,
         .trainingPath =
             [](const Params&, const std::map<std::string, Shape>&) {
                 return "One matrix product over all steps for each layer.";
             },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "van den Oord et al. 2016, arXiv:1609.03499 (WaveNet): dilations, gates and residual sums, "
                       "without its 1 x 1 convolutions and skip sums; Bai et al. 2018, arXiv:1803.01271 (TCN)."});
}

} // namespace unroll::nodes::dilated_conv
