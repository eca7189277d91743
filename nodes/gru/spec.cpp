// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activation_parts.h"
#include "nodes/shared/gated_weights.h"

namespace unroll::nodes::gru {

/// gatedCost with three gates; an element forward: three activations, the reset product 1, h 3. Backward: dz 2, dg 2
/// and its tanh 3, dr 1 and dq (with reset_before dp) 1, two sigmoids 6, the carry 3. Floats kept: y, the
/// sums of r and z, n, the reset product's q or p; workspace: the gradients of the sums and of q, and that of x.
static Cost cost(const CostScope& scope)
{
    return gatedStackCost(scope, 3, [](std::int64_t units) { return elementCost(units, 7, 18, 5, 4); });
}

static void infer(InferScope& scope)
{
    inferGated(scope, 1, "h");
}

static std::string trainingPath(const Params& params, const std::map<std::string, Shape>& inputs)
{
    if (std::get<std::string>(params.at("activation")) != "tanh" ||
        std::get<std::string>(params.at("gate_activation")) != "sigmoid")
        return "Step by step: the kernel has tanh and sigmoid only.";
    return stepsPath("gru_steps", std::get<std::string>(params.at("convention")) == "reset_after", inputs);
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    return withLearnedState(scope, gatedWeights(scope, {"r", "z", "n"}, "torch.nn.GRU"), {"h"});
}

static std::vector<ParamSpec> params()
{
    return withGatedParams(
        {integerParam("units", 128, 1, kWidest, "units", "Width of the state."),
         choiceParam(
             "convention",
             {{"reset_after", "r ∘ (W h): form of PyTorch and cuDNN, one product for all gates."},
              {"reset_before", "W (r ∘ h): as published by Cho et al.; two products per step."},
              {"reset_before_inverted_z", "W (r ∘ h), with z and 1 - z exchanged: an open z replaces the state."}},
             "Where the reset gate acts; weights of one form are not valid for another."),
         functionParam("activation",
                       recurrentFunctions({{"tanh", "Range -1 to 1, as published; the only one with a kernel."},
                                           {"softsign", "a / (1 + |a|): range -1 to 1, saturates more slowly."},
                                           {"silu", "a sigmoid(a), also called swish: unbounded above."}}),
                       "Activation of the candidate n"),
         choiceParam("gate_activation",
                     boundedFunctions("Range 0 to 1, as published; the only one with a kernel.",
                                      "a / 6 + 1/2 clipped to 0..1: can close and open fully."),
                     "Activation of the gates r and z.")});
}

BlockSpec spec()
{
    return trainable(formedBy(
        {"convention"},
        {.id = "gru",
         .title = "GRU",
         .summary = "Gated recurrent unit: h_t = (1 - z) ∘ n + z ∘ h_{t-1}, n = tanh(W x_t + r ∘ (R h_{t-1})).",
         .synonyms = {"gated recurrent unit", "gated recurrent network"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step.", "h after the last step.", {"h"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."},
                         {"r", SignalKind::Gate, "Reset gate: share of the previous state that the candidate reads."},
                         keepingGate("z", "Update gate: share of the previous state kept (with inverted z: replaced)."),
                         {"n", SignalKind::Signed, "Candidate: the new value."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "GRU",
         .recurrent = true,
         .trainingPath = trainingPath,
         .causal = gatedIsCausal,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Cho et al. 2014, arXiv:1406.1078 (reset_before), and the form of cuDNN and torch.nn.GRU "
                       "(reset_after); z inverted as in char-rnn. Weights, names, gate order r z n and initial values "
                       "of torch.nn.GRU."}));
}

} // namespace unroll::nodes::gru
