// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"

namespace unroll::nodes::mingru {

/// The product, then an element of the scan: z 1, c 2, h 4 forward; activations again 3, h 5, their derivatives 6
/// backward. Floats kept besides the product: h and y; workspace: the gradients of both parts.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units");
    return sum(denseCost(scope.dimension("x"), 2 * units, scope.boolean("use_bias")), elementCost(units, 7, 14, 2, 2));
}

static void infer(InferScope& scope)
{
    inferRecurrent(scope, scope.integer("units"), stateOf(scope.integer("units"), 1), "h");
}

/// One product, so one matrix for the spread of its elements.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), rows{2 * scope.integer("units"), "2 units"};
    return within("to_hidden_and_gate", denseWeights(scope, in, rows, scope.boolean("use_bias")));
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
         flagParam("use_bias", false, "Whether gate and candidate have learned biases; the authors' code has none.")},
        denseInitializers());
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "mingru",
         .title = "minGRU",
         .summary = "Minimal GRU: gate and candidate depend on the input only; h_t = (1 - z) ∘ h_{t-1} + z ∘ c.",
         .synonyms = {"minimal GRU", "were RNNs all we needed", "linear recurrence", "log-space scan"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step.", "h after the last step.", {"h"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."},
                         keepingGate("z", "Update gate: share of the state replaced."),
                         {"c", SignalKind::Signed, "Candidate: the new value."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "MinGRU",
         .recurrent = true,
         .trainingPath = [](const Params&,
                            const auto&) { return std::string("The kernel gated_scan, all steps in one pass."); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Feng et al. 2024, arXiv:2410.01201. Weights, their names and the order hidden, gate of "
                       "minGRU-pytorch."});
}

} // namespace unroll::nodes::mingru
