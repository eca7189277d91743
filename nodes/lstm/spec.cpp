// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_weights.h"

namespace unroll::nodes::lstm {

/// gatedCost with four gates; an element forward: five activations, c 3, h 1. Backward: do 1, dc 5, di dg df and the
/// carry 4, three sigmoids 9, tanh 3, the carried dh 1. Floats kept: y, c, four gates and their gradients;
/// twice as many where ATen takes oneDNN's operation, for its workspace.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units");
    return sum(gatedCost(scope.dimension("x"), units, 4), elementCost(units, 9, 23, 20));
}

static void infer(InferScope& scope)
{
    if (scope.integer("chrono") == 1) {
        scope.error("chrono", "chrono-too-short",
                    "chrono = 1 leaves no step to remember over; take 2 or more steps, or 0 for none");
        scope.offerParam("No chrono initialization", "chrono", std::int64_t{0});
    }
    inferRecurrent(scope, scope.integer("units"), stateOf(scope.integer("units"), 2), "h and c");
}

/// With chrono initialization the gates' biases alone say how long a fresh unit remembers, and o and g keep theirs.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const auto steps = static_cast<double>(scope.integer("chrono"));
    std::vector<WeightSpec> list = gatedWeights(scope, {"i", "f", "g", "o"}, "torch.nn.LSTM");
    WeightSpec &input = list[2], &recurrent = list[3];
    if (steps > 0) {
        input.parts[0].initial = logUniformValues(1, steps - 1, -1);
        input.parts[1].initial = logUniformValues(1, steps - 1, 1);
        recurrent.parts[0].initial = recurrent.parts[1].initial = zeroValues();
        input.source = recurrent.source = "Tallec, Ollivier 2018";
    }
    input.parts[1].initial = shifted(input.parts[1].initial, scope.real("forget_bias"));
    return list;
}

static std::vector<ParamSpec> params()
{
    return withGatedInitializers(
        {integerParam("units", 128, 1, kWidest, "units", "Width of h and of c."),
         realParam("forget_bias", 0, -20, 20,
                   "Added to the forget gate's initial bias; 1 makes a fresh network remember, 0 is PyTorch's."),
         integerParam("chrono", 0, 0, 1'000'000, "steps",
                      "Chrono initialization: fresh units remember over 1 to this many steps, evenly spread; "
                      "0 leaves it off.")});
}

BlockSpec spec()
{
    return trainable(
        {.id = "lstm",
         .title = "LSTM",
         .summary = "Long short-term memory: a cell that gates decide to keep, write and show.",
         .synonyms = {"long short-term memory", "gated recurrent network", "memory cell"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h and c before the first step; zeros when free."),
         .outputs = recurrentOutputs("h at every step.", "h and c after the last step."),
         .params = params(),
         .signalSpecs = {{"c", SignalLook::Signed, "The cell after each step."},
                         {"h", SignalLook::Bounded, "The output after each step, o tanh(c)."},
                         {"i", SignalLook::Gate, "Input gate: how much of g is written."},
                         {"f", SignalLook::Gate, "Forget gate: how much of the cell is kept."},
                         {"g", SignalLook::Bounded, "Candidate: what would be written."},
                         {"o", SignalLook::Gate, "Output gate: how much of the cell is shown."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "LSTM",
         .recurrent = true,
         .trainingPath = gatedPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Hochreiter, Schmidhuber 1997, with the forget gate of Gers, Schmidhuber, Cummins 2000; no "
                       "peepholes. Weights, names, "
                       "gate order i f g o and initial values of torch.nn.LSTM with one layer. Chrono initialization: "
                       "Tallec, Ollivier 2018, arXiv:1804.11188."});
}

} // namespace unroll::nodes::lstm
