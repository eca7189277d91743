// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_weights.h"

namespace unroll::nodes::janet {

/// gatedCost with two gates; an element forward: three activations, β - s 1, h 3. Backward: df, di, dg and the carry 4,
/// three derivatives 9, the sum of both shares' 2. Floats kept: h, and what the kernel walked, h and
/// both sums; workspace: the gradients of the sums, and that of x.
static Cost cost(const CostScope& scope)
{
    return gatedStackCost(scope, 2, [](std::int64_t units) { return elementCost(units, 7, 15, 4, 2); });
}

static void infer(InferScope& scope)
{
    if (scope.boolean("bias") && scope.integer("chrono") == 1) {
        scope.error("chrono", "chrono-too-short",
                    "chrono = 1 leaves no step to remember over; set 2 or more steps, or 0 for none");
        scope.offerParam("No chrono initialisation", "chrono", std::int64_t{0});
    }
    inferGated(scope, 1, "h");
}

/// With chrono initialisation the biases alone say how long a fresh unit remembers.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const auto steps = static_cast<double>(scope.integer("chrono"));
    std::vector<WeightSpec> list = gatedWeights(scope, {"f", "g"}, "torch.nn.LSTM");
    if (!scope.boolean("bias") || steps == 0)
        return withLearnedState(scope, std::move(list), {"h"});
    for (std::size_t place = 0; place < list.size(); place += 4) {
        WeightSpec &input = list[place + 2], &recurrent = list[place + 3];
        input.parts[0].initial = logUniformValues(1, steps - 1, 1);
        input.parts[1].initial = recurrent.parts[0].initial = recurrent.parts[1].initial = zeroValues();
        input.source = recurrent.source = "Tallec, Ollivier 2018";
    }
    return withLearnedState(scope, std::move(list), {"h"});
}

static std::vector<ParamSpec> params()
{
    return withGatedParams(
        {integerParam("units", 128, 1, kWidest, "units", "Width of h."),
         realParam("beta", 1, 0, 20,
                   "How much more is written than is forgotten: i = 1 - sigmoid(s - beta); 0 ties both, i = 1 - f."),
         countsWhere("bias", true,
                     integerParam("chrono", 0, 0, 1'000'000, "steps",
                                  "Chrono initialisation: longest time scale, in steps; initial memories spread "
                                  "uniformly over 1 to it. 0 is off."))});
}

BlockSpec spec()
{
    return trainable({.id = "janet",
                      .title = "JANET",
                      .summary = "Just another network: an LSTM with the forget gate alone, h_t = f ∘ h_{t-1} + i ∘ g "
                                 "with i from the same gate.",
                      .synonyms = {"forget gate", "minimal LSTM", "MGU", "UGRNN", "gated recurrent network"},
                      .category = Category::Recurrent,
                      .inputs = recurrentInputs("h before the first step; zeros when unwired."),
                      .outputs = recurrentOutputs("h at every step.", "h after the last step.", {"h"}),
                      .params = params(),
                      .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."},
                                      keepingGate("f", "Forget gate: share of the state kept."),
                                      {"i", SignalKind::Gate, "Share of the candidate written, 1 - sigmoid(s - beta)."},
                                      {"g", SignalKind::Bounded, "Candidate: the new value."}},
                      .dimensions = {{"input_size", "x"}},
                      .pythonClass = "JANET",
                      .recurrent = true,
                      .trainingPath = [](const Params&, const auto&) { return std::string(kCellStepsPath); },
                      .causal = gatedIsCausal,
                      .infer = infer,
                      .weights = weights,
                      .cost = cost,
                      .provenance = "Van der Westhuizen, Lasenby 2018, arXiv:1804.04849. Weights and names in "
                                    "torch.nn.LSTM's form with rows f g, whose sum of two biases is the paper's one. "
                                    "Chrono initialisation: Tallec, Ollivier 2018, arXiv:1804.11188."});
}

} // namespace unroll::nodes::janet
