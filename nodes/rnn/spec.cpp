// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_weights.h"

namespace unroll::nodes::rnn {

/// gatedCost with one gate; an element: activation 1 forward; derivative 3 and the carry's sum 1 backward. Floats kept:
/// y and the hoisted input product; workspace: its gradient.
static Cost cost(const CostScope& scope)
{
    return gatedStackCost(scope, 1, [](std::int64_t units) { return elementCost(units, 1, 4, 2, 1); });
}

static void infer(InferScope& scope)
{
    inferGated(scope, 1, "h");
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    return withLearnedState(scope, gatedWeights(scope, {""}, "torch.nn.RNN"), {"h"});
}

static std::vector<ParamSpec> params()
{
    return withGatedParams(
        {integerParam("units", 128, 1, kWidest, "units", "Width of the state."),
         choiceParam("nonlinearity",
                     {{"tanh", "Range -1 to 1: the state is bounded."},
                      {"relu", "max(a, 0): unbounded; initialise W_hh near the identity, or the state may explode."}},
                     "Activation of the pre-activation.")});
}

BlockSpec spec()
{
    return trainable(
        {.id = "rnn",
         .title = "RNN",
         .summary = "Elman RNN: h_t = tanh(W x_t + U h_{t-1} + b).",
         .synonyms = {"Elman", "vanilla RNN", "simple recurrent network"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step.", "h after the last step.", {"h"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "RNN",
         .recurrent = true,
         .trainingPath = [](const Params&, const auto& inputs) { return stepsPath("rnn_steps", true, inputs); },
         .causal = gatedIsCausal,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Elman 1990. Weights, names and initial values of torch.nn.RNN."});
}

} // namespace unroll::nodes::rnn
