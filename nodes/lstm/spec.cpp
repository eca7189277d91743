// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_weights.h"

namespace unroll::nodes::lstm {

/// gatedCost with four gates; an element forward: five activations, c 3, h 1. Backward: do 1, dc 5, di dg df and the
/// carry 4, three sigmoids 9, tanh 3, the carried dh 1. Floats kept: 16, for
/// oneDNN's operation keeps all that it computes in a workspace beside y; step by step 8: the sums, the gates, or
/// what is made of them. Workspace: the four gates' gradients, that of c step by step, and that of x.
static Cost cost(const CostScope& scope)
{
    const bool fused = scope.text("activation") == "tanh" && !scope.inputs.contains("mask");
    return gatedStackCost(scope, 4,
                          [&](std::int64_t units) { return elementCost(units, 9, 23, fused ? 16 : 8, fused ? 4 : 5); });
}

static void infer(InferScope& scope)
{
    if (scope.boolean("bias") && scope.integer("chrono") == 1) {
        scope.error("chrono", "chrono-too-short",
                    "chrono = 1 leaves no step to remember over; take 2 or more steps, or 0 for none");
        scope.offerParam("No chrono initialization", "chrono", std::int64_t{0});
    }
    inferGated(scope, 2, "h and c");
}

static std::string trainingPath(const Params& params, const std::map<std::string, Shape>& inputs)
{
    if (std::get<std::string>(params.at("activation")) != "tanh")
        return "Step by step: Torch's fused operation has tanh alone.";
    return inputs.contains("mask")
               ? "Torch's fused operation, all steps at once; step by step where a batch has a mask."
               : "Torch's fused operation, all steps at once.";
}

/// With chrono initialization the gates' biases alone say how long a fresh unit remembers, and o and g keep theirs.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const auto steps = static_cast<double>(scope.integer("chrono"));
    std::vector<WeightSpec> list = gatedWeights(scope, {"i", "f", "g", "o"}, "torch.nn.LSTM");
    if (!scope.boolean("bias"))
        return list;
    for (std::size_t place = 0; place < list.size(); place += 4) {
        WeightSpec &input = list[place + 2], &recurrent = list[place + 3];
        if (steps > 0) {
            input.parts[0].initial = logUniformValues(1, steps - 1, -1);
            input.parts[1].initial = logUniformValues(1, steps - 1, 1);
            recurrent.parts[0].initial = recurrent.parts[1].initial = zeroValues();
            input.source = recurrent.source = "Tallec, Ollivier 2018";
        }
        input.parts[1].initial = shifted(input.parts[1].initial, scope.real("forget_bias"));
    }
    return list;
}

static std::vector<ParamSpec> params()
{
    return withGatedParams(
        {integerParam("units", 128, 1, kWidest, "units", "Width of h and of c."),
         countsWhere("bias", true,
                     realParam("forget_bias", 0, -20, 20,
                               "Added to the forget gate's initial bias; 1 makes a fresh network remember, 0 is "
                               "PyTorch's.")),
         countsWhere("bias", true,
                     integerParam("chrono", 0, 0, 1'000'000, "steps",
                                  "Chrono initialization: fresh units remember over 1 to this many steps, evenly "
                                  "spread; 0 leaves it off.")),
         choiceParam("activation",
                     {{"tanh", "Between -1 and 1, as published and as torch.nn has it; the only one that is fused."},
                      {"softsign", "a / (1 + |a|): between -1 and 1 as well, with a longer way to the ends."},
                      {"relu", "max(a, 0): the cell can only grow and be forgotten, and is not bounded."},
                      {"identity", "a itself: nothing but the gates holds what is written and shown."}},
                     "What squashes the candidate, and the cell where it is shown.")});
}

BlockSpec spec()
{
    return trainable({.id = "lstm",
                      .title = "LSTM",
                      .summary = "Long short-term memory: a cell that gates decide to keep, write and show.",
                      .synonyms = {"long short-term memory", "gated recurrent network", "memory cell"},
                      .category = Category::Recurrent,
                      .inputs = recurrentInputs("h and c before the first step; zeros when free."),
                      .outputs = recurrentOutputs("h at every step.", "h and c after the last step.", {"h", "c"}),
                      .params = params(),
                      .signalSpecs = {{"c", SignalLook::Signed, "The cell after each step."},
                                      {"h", SignalLook::Signed,
                                       "The output after each step: o tanh(c), or another activation of c."},
                                      {"i", SignalLook::Gate, "Input gate: how much of g is written."},
                                      {"f", SignalLook::Gate, "Forget gate: how much of the cell is kept."},
                                      {"g", SignalLook::Signed, "Candidate: what would be written."},
                                      {"o", SignalLook::Gate, "Output gate: how much of the cell is shown."}},
                      .dimensions = {{"input_size", "x"}},
                      .pythonClass = "LSTM",
                      .recurrent = true,
                      .trainingPath = trainingPath,
                      .causal = gatedIsCausal,
                      .infer = infer,
                      .weights = weights,
                      .cost = cost,
                      .provenance =
                          "Hochreiter, Schmidhuber 1997, with the forget gate of Gers, Schmidhuber, Cummins 2000; no "
                          "peepholes. Weights, names, "
                          "gate order i f g o and initial values of torch.nn.LSTM. Chrono initialization: "
                          "Tallec, Ollivier 2018, arXiv:1804.11188."});
}

} // namespace unroll::nodes::lstm
