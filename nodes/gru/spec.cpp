// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_weights.h"

namespace unroll::nodes::gru {

/// gatedCost with three gates; an element forward: three activations, the reset product 1, h 3. Backward: dz 2, dg 2
/// and its tanh 3, dr 1 and dq 1, two sigmoids 6, the carry 3. Floats kept: y, three gates, the reset product's q, the
/// hoisted input product 3, three gradients.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units");
    return sum(gatedCost(scope.dimension("x"), units, 3), elementCost(units, 7, 18, 11));
}

static void infer(InferScope& scope)
{
    inferRecurrent(scope, scope.integer("units"), stateOf(scope.integer("units"), 1), "h");
    const std::string& convention = scope.text("convention");
    if (convention == "reset_after")
        return;
    scope.error("convention", "not-built", "convention = " + convention + " is not built yet; only reset_after is");
    scope.offerParam("Use reset_after", "convention", std::string("reset_after"));
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    return gatedWeights(scope, {"r", "z", "n"}, "torch.nn.GRU");
}

static std::vector<ParamSpec> params()
{
    return withGatedInitializers(
        {integerParam("units", 128, 1, kWidest, "units", "Width of the state."),
         choiceParam("convention",
                     {{"reset_after", "r times (W h): PyTorch's and cuDNN's form, one product for all gates."},
                      {"reset_before", "W (r times h), as first published by Cho and others; not built yet."},
                      {"reset_before_inverted_z", "W (r times h), and z and 1 - z exchanged; not built yet."}},
                     "Where the reset gate acts; weights of one form do not fit another.")});
}

BlockSpec spec()
{
    return trainable(
        {.id = "gru",
         .title = "GRU",
         .summary =
             "Gated recurrent unit: one gate mixes old and new, another decides what of the old the new may see.",
         .synonyms = {"gated recurrent unit", "gated recurrent network"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step; zeros when free."),
         .outputs = recurrentOutputs("h at every step.", "h after the last step."),
         .params = params(),
         .signalSpecs = {{"h", SignalLook::Bounded, "The state after each step."},
                         {"r", SignalLook::Gate, "Reset gate: how much of the old state the candidate sees."},
                         {"z", SignalLook::Gate, "Update gate: how much of the old state is kept."},
                         {"n", SignalLook::Bounded, "Candidate: what would be written."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "GRU",
         .recurrent = true,
         .trainingPath = gatedPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Cho et al. 2014, arXiv:1406.1078, in the form of cuDNN and torch.nn.GRU (reset after the "
                       "matrix product). Weights, "
                       "names, gate order r z n and initial values of torch.nn.GRU with one layer."});
}

} // namespace unroll::nodes::gru
