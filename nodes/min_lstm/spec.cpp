// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"

namespace unroll::nodes::min_lstm {

/// The product, then an element: the logarithms of both gates 2, their difference 1, and of the scan f 1, c 2, h 4
/// forward; activations again 3, h 5, derivatives of f and c 6 and of the logarithms 4 backward. Floats kept besides
/// the product: the difference, h and y; workspace: the gradients of all three parts.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units");
    return sum(denseCost(scope.dimension("x"), 3 * units, scope.boolean("use_bias")), elementCost(units, 10, 18, 3, 3));
}

static void infer(InferScope& scope)
{
    inferRecurrent(scope, scope.integer("units"), stateOf(scope.integer("units"), 1), "h");
}

/// One product, so one matrix for the spread of its elements.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), rows{3 * scope.integer("units"), "3 units"};
    return within("to_hidden_and_f_i_gate", denseWeights(scope, in, rows, scope.boolean("use_bias")));
}

static std::vector<ParamSpec> params()
{
    return followedBy(
        {integerParam("units", 128, 1, kWidest, "units", "Width of the state."),
         choiceParam("activation",
                     {{"g", "a + 1/2 where a >= 0, else sigmoid(a): always positive, as the log-space form requires."},
                      {"identity", "a, as in the paper's plain form: the state is a weighted mean of the inputs."},
                      {"tanh", "Range -1 to 1, so the state is bounded too."}},
                     "Activation of the candidate, given its pre-activation a."),
         flagParam("use_bias", false, "Whether gates and candidate have learned biases; the authors' code has none.")},
        denseInitializers());
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "min_lstm",
         .title = "minLSTM",
         .summary = "Minimal LSTM: forget and input gate depend on the input only and are scaled to a sum of 1; h_t = "
                    "f' ∘ h_{t-1} + i' ∘ c.",
         .synonyms = {"minimal LSTM", "minlstm", "were RNNs all we needed", "linear recurrence", "log-space scan"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step.", "h after the last step.", {"h"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."},
                         keepingGate("f", "Forget gate f' = f / (f + i): share of the state kept."),
                         {"i", SignalKind::Gate, "Input gate i' = i / (f + i): share of the candidate written."},
                         {"c", SignalKind::Signed, "Candidate: the new value."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "MinLSTM",
         .recurrent = true,
         .trainingPath = [](const Params&,
                            const auto&) { return std::string("The kernel gated_scan, all steps in one pass."); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Feng et al. 2024, arXiv:2410.01201. Weights, their names and the order hidden, f, i of "
                       "minGRU-pytorch 0.2.1 (its minLSTM)."});
}

} // namespace unroll::nodes::min_lstm
