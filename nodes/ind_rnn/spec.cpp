// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

#include <cmath>

namespace unroll::nodes::ind_rnn {

/// The product, then an element: u h 2 and the activation 1 forward; its derivative 2, u and h and the sum over steps 4
/// backward. Floats kept: h, and what the kernel walked; workspace: the gradient of the sum.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units");
    return sum(denseCost(scope.dimension("x"), units, scope.boolean("use_bias")), elementCost(units, 3, 6, 1, 1));
}

static void infer(InferScope& scope)
{
    inferRecurrent(scope, scope.integer("units"), stateOf(scope.integer("units"), 1), "h");
}

/// growth^(±1 / time_steps).
static double root(const WeightScope& scope, double sign)
{
    return std::pow(scope.real("growth"), sign / static_cast<double>(scope.integer("time_steps")));
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize units{scope.integer("units"), "units"};
    std::vector<WeightSpec> list = denseWeights(scope, portSize(scope, "x", "in"), units, scope.boolean("use_bias"));
    list.front().name = "weight_ih";
    const bool isLong = scope.text("recurrent_initializer") == "long";
    const double most = root(scope, 1), least = isLong ? root(scope, -1) : 0;
    WeightSpec recurrent = plainWeight(
        "weight_hh", {units, {1, "1"}},
        shifted(uniformValues((most - least) / 2, isLong ? "half of growth^(1/T) - growth^(-1/T)" : "½ growth^(1/T)"),
                (most + least) / 2),
        "Li et al. 2018");
    recurrent.recurrent = true;
    recurrent.rule.decay = false;
    recurrent.rule.constraint = {WeightConstraint::Kind::MaxNorm, most}; // of rows of one element: its magnitude
    list.push_back(std::move(recurrent));
    return list;
}

static std::vector<ParamSpec> params()
{
    return followedBy(
        {integerParam("units", 128, 1, kWidest, "units", "Width of the state."),
         choiceParam("nonlinearity",
                     {{"relu", "max(a, 0): does not saturate, so that layers can be stacked deeply."},
                      {"tanh", "Range -1 to 1: the state is bounded."}},
                     "Activation of the pre-activation."),
         flagParam("use_bias", true, "Whether there is a learned bias."),
         trainingParam(
             "Recurrent weights",
             integerParam("time_steps", 100, 1, 1'000'000, "steps",
                          "T, the longest dependency: over so many steps nothing grows by more than growth.")),
         trainingParam("Recurrent weights",
                       realParam("growth", 2, 1, 1e6, "Largest factor of a state, or of a gradient, over T steps.")),
         initializerParam("recurrent_initializer",
                          {{"uniform", "Uniform from 0 to growth^(1/T): memories of all lengths."},
                           {"long", "From growth^(-1/T) to growth^(1/T): long memories, for what is read at the end."}},
                          "Initialisation of the recurrent weights.")},
        denseInitializers());
}

BlockSpec spec()
{
    return trainable(
        {.id = "ind_rnn",
         .title = "IndRNN",
         .summary = "Independently recurrent network: each unit reads only its own state, h_t = relu(W x_t + u ∘ "
                    "h_{t-1} + b).",
         .synonyms = {"independently recurrent", "elementwise recurrence", "diagonal", "relu RNN"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step.", "h after the last step.", {"h"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "IndRNN",
         .recurrent = true,
         .trainingPath = [](const Params&, const auto&) { return std::string(kCellStepsPath); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Li et al. 2018, arXiv:1803.04831: recurrent weights held within growth^(1/T), equation 7."});
}

} // namespace unroll::nodes::ind_rnn
