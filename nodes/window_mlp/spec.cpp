// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"

#include <algorithm>

namespace unroll::nodes::window_mlp {

static void infer(InferScope& scope)
{
    const Shape* x = scope.input("x");
    if (x == nullptr) {
        scope.output("y", sequenceOf(scope.integer("width")));
        return;
    }
    inferRecurrent(scope, scope.integer("width"), stateOf(product({scope.integer("window") - 1, x->width}), 1),
                   "the last inputs");
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize read = portSize(scope, "x", "(window in)", scope.integer("window"));
    const WeightSize hidden{scope.integer("hidden"), "hidden"}, width{scope.integer("width"), "width", "y"};
    std::vector<WeightSpec> list = within("hidden", denseWeights(scope, read, hidden, true));
    list = followedBy(std::move(list), within("output", denseWeights(scope, hidden, width, true)));
    return scope.boolean("direct")
               ? followedBy(std::move(list), within("direct", denseWeights(scope, read, width, false)))
               : list;
}

/// Two dense layers and the function of the hidden units between them, 1 forward and 2 backward; direct a product and a
/// sum. Bytes: the hidden units, for gelu also their sums, the output, and the steps that are read side by side;
/// workspace: what the gradient of the window needs beyond the hidden units, which are given back before it.
static Cost cost(const CostScope& scope)
{
    const std::int64_t read = product({scope.integer("window"), scope.dimension("x")});
    const std::int64_t hidden = scope.integer("hidden"), width = scope.integer("width");
    Cost total = denseCost(read, hidden, true);
    total += elementCost(hidden, 1, 2, scope.text("activation") == "gelu" ? 1 : 0);
    total += denseCost(hidden, width, true);
    total.workspaceBytes = kFloatBytes * static_cast<double>(std::max<std::int64_t>(read - hidden, 0));
    total.activationBytes += kFloatBytes * static_cast<double>(read);
    if (!scope.boolean("direct"))
        return total;
    total += denseCost(read, width, false);
    return sum(total, elementCost(width, 1, 0, 0));
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "window_mlp",
         .title = "Window MLP",
         .summary = "Multilayer perceptron over the last k inputs: y_t = W_2 f(W_1 [x_t, ..., x_{t-k+1}] + b_1) + b_2.",
         .synonyms = {"fixed context", "neural probabilistic language model", "NPLM", "feed-forward language model",
                      "time-delay network", "Bengio"},
         .category = Category::Layer,
         .inputs = recurrentInputs("The inputs before the first step, oldest first; zeros when unwired."),
         .outputs = recurrentOutputs("The perceptron's output at every step.", "The last inputs, oldest first.",
                                     {"last inputs"}),
         .params = followedBy(
             {integerParam("width", 128, 1, kWidest, "features", "Features of the output."),
              integerParam("window", 8, 2, 1024, "steps",
                           "Steps that each output reads, the current one included; parameters grow linearly with it."),
              integerParam("hidden", 256, 1, kWidest, "units", "Hidden units."),
              choiceParam("activation",
                          {{"tanh", "Range -1 to 1, as published."},
                           {"relu", "max(x, 0): negative values become 0."},
                           {"gelu", "x Phi(x), exact: Phi is the CDF of the standard normal distribution."}},
                          "Function of the hidden units."),
              flagParam("direct", false, "Whether the window is also read by a matrix without hidden units.")},
             denseInitializers()),
         .signalSpecs = {{"h", SignalKind::Signed, "The hidden units, after their function."},
                         {"y", SignalKind::Signed, "The output."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "WindowMLP",
         .recurrent = true,
         .trainingPath = [](const Params&,
                            const std::map<std::string, Shape>&) { return "Matrix products over all steps."; },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "Bengio et al. 2003, A Neural Probabilistic Language Model, J. Mach. Learn. Res. 3: hidden units "
             "and direct connections over the window; the embedding and the softmax are other blocks."});
}

} // namespace unroll::nodes::window_mlp
