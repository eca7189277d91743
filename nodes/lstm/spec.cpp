// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activation_parts.h"
#include "nodes/shared/gated_weights.h"

namespace unroll::nodes::lstm {

/// gatedCost with four gates; an element forward: five activations, c 3, h 1. Backward: do 1, dc 5, di dg df and the
/// carry 4, three sigmoids 9, tanh 3, the carried dh 1. Floats kept: 16, for oneDNN's operation keeps all that it
/// computes in a workspace beside y; with a mask 7: h, and what the kernel walked, h, c and the sums; step by step 8:
/// the sums, the gates, or what is made of them. Peepholes: three products and sums, backward both factors' gradients;
/// kept are the sums. Workspace: the four gates' gradients, that of c step by step, and that of x.
static Cost cost(const CostScope& scope)
{
    const bool peepholes = scope.boolean("peepholes");
    const bool usual = scope.text("activation") == "tanh" && scope.text("gate_activation") == "sigmoid" && !peepholes;
    const double kept = !usual ? 8 : scope.inputs.contains("mask") ? 7 : 16;
    return gatedStackCost(scope, 4, [&](std::int64_t units) {
        const Cost plain = elementCost(units, 9, 23, kept, usual ? 4 : 5);
        return peepholes ? sum(plain, elementCost(units, 6, 12, 3, 0)) : plain;
    });
}

static void infer(InferScope& scope)
{
    if (scope.boolean("bias") && scope.integer("chrono") == 1) {
        scope.error("chrono", "chrono-too-short",
                    "chrono = 1 leaves no step to remember over; set 2 or more steps, or 0 for none");
        scope.offerParam("No chrono initialisation", "chrono", std::int64_t{0});
    }
    inferGated(scope, 2, "h and c");
}

static std::string trainingPath(const Params& params, const std::map<std::string, Shape>& inputs)
{
    if (std::get<std::string>(params.at("activation")) != "tanh")
        return "Step by step: PyTorch's fused operation has tanh only.";
    if (std::get<std::string>(params.at("gate_activation")) != "sigmoid")
        return "Step by step: PyTorch's fused operation has sigmoid gates only.";
    if (std::get<bool>(params.at("peepholes")))
        return "Step by step: PyTorch's fused operation has no peepholes.";
    return inputs.contains("mask") ? "PyTorch's fused operation, all steps at once; where a batch has a mask the "
                                     "kernel cell_steps, on a GPU "
                                     "step by step."
                                   : "PyTorch's fused operation, all steps at once.";
}

/// Of each layer and direction.
static std::vector<WeightSpec> withPeepholes(const WeightScope& scope, std::vector<WeightSpec> list)
{
    if (!scope.boolean("peepholes"))
        return list;
    const std::int64_t units = scope.integer("units");
    for (const std::string& place : gatedPlaces(scope.integer("num_layers"), scope.boolean("bidirectional")))
        list.push_back({.name = "peephole" + place,
                        .shape = {{unroll::product({3, units}), "3 units"}},
                        .parts = alike({"i", "f", "o"}, units, inverseRootValues({units, "units"}))});
    return list;
}

/// With chrono initialization the gates' biases alone say how long a fresh unit remembers, and o and g keep theirs.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const auto steps = static_cast<double>(scope.integer("chrono"));
    std::vector<WeightSpec> list = gatedWeights(scope, {"i", "f", "g", "o"}, "torch.nn.LSTM");
    if (!scope.boolean("bias"))
        return withPeepholes(scope, withLearnedState(scope, std::move(list), {"h", "c"}));
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
    return withPeepholes(scope, withLearnedState(scope, std::move(list), {"h", "c"}));
}

static std::vector<ParamSpec> params()
{
    return withGatedParams(
        {integerParam("units", 128, 1, kWidest, "units", "Width of h and of c."),
         countsWhere("bias", true,
                     realParam("forget_bias", 0, -20, 20,
                               "Added to the forget gate's initial bias; 1 makes an untrained network remember, 0 is "
                               "PyTorch's default.")),
         countsWhere("bias", true,
                     integerParam("chrono", 0, 0, 1'000'000, "steps",
                                  "Chrono initialisation: longest time scale, in steps; initial memories spread "
                                  "uniformly over 1 to it. 0 is off.")),
         functionParam("activation",
                       recurrentFunctions(
                           {{"tanh", "Range -1 to 1, as published and in torch.nn; the only one with a fused kernel."},
                            {"softsign", "a / (1 + |a|): range -1 to 1, saturates more slowly."},
                            {"relu", "max(a, 0): the cell is non-negative and unbounded."},
                            {"identity", "a: only the gates bound the cell and the output."}}),
                       "Activation of the candidate, and of the cell at the output"),
         choiceParam("gate_activation",
                     boundedFunctions("Range 0 to 1, as published and in torch.nn; the only one with a fused kernel.",
                                      "a / 6 + 1/2 clipped to 0..1: can close and open fully."),
                     "Activation of the gates i, f and o."),
         flagParam("peepholes", false,
                   "Whether gates also read the cell: i and f the one before the step, o the one after it.")});
}

BlockSpec spec()
{
    return trainable({.id = "lstm",
                      .title = "LSTM",
                      .summary = "Long short-term memory: c_t = f ∘ c_{t-1} + i ∘ g, h_t = o ∘ tanh(c_t).",
                      .synonyms = {"long short-term memory", "gated recurrent network", "memory cell"},
                      .category = Category::Recurrent,
                      .inputs = recurrentInputs("h and c before the first step; zeros when unwired."),
                      .outputs = recurrentOutputs("h at every step.", "h and c after the last step.", {"h", "c"}),
                      .params = params(),
                      .signalSpecs = {{"c", SignalKind::Signed, "Cell state after each step."},
                                      {"h", SignalKind::Signed,
                                       "The output after each step: o tanh(c), or another activation of c."},
                                      {"i", SignalKind::Gate, "Input gate: share of the candidate written."},
                                      keepingGate("f", "Forget gate: share of the cell kept."),
                                      {"g", SignalKind::Signed, "Candidate: the new value."},
                                      {"o", SignalKind::Gate, "Output gate: share of the cell output."}},
                      .dimensions = {{"input_size", "x"}},
                      .pythonClass = "LSTM",
                      .recurrent = true,
                      .trainingPath = trainingPath,
                      .causal = gatedIsCausal,
                      .infer = infer,
                      .weights = weights,
                      .cost = cost,
                      .provenance = "Hochreiter, Schmidhuber 1997, with the forget gate of Gers, Schmidhuber, Cummins "
                                    "2000; peepholes: Gers, Schraudolph, Schmidhuber 2002, J. Mach. Learn. Res. 3. "
                                    "Weights, names, gate order i f g o and initial values of "
                                    "torch.nn.LSTM. Chrono initialisation: Tallec, Ollivier 2018, arXiv:1804.11188."});
}

} // namespace unroll::nodes::lstm
