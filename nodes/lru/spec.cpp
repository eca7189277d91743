// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/recurrence_parts.h"

namespace unroll::nodes::lru {

/// Complex products: B x takes 4 in N, Re(C h) 4 N units; D x 2 units, or 2 in units as a matrix. Workspace: the
/// complex gradients of h and of B x, and that of x.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), states = scope.integer("state_size"), units = scope.integer("units");
    Cost total = sum(denseCost(in, 2 * states, false), denseCost(2 * states, units, false));
    total.activationBytes = 0;
    if (scope.text("skip") == "full")
        total += denseCost(in, units, false);
    total += recurrenceCost(states, units, scope.text("skip"), 4);
    total.workspaceBytes += kFloatBytes * static_cast<double>(in);
    return total;
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = inputSize(scope, scope.text("skip") == "vector"),
                     states{scope.integer("state_size"), "state_size"};
    const WeightSize units{scope.integer("units"), "units"};
    std::vector<WeightSpec> list = recurrenceWeights(scope);
    for (const char* name : {"B_re", "B_im"}) {
        list.push_back(plainWeight(name, {states, in}, intoState(in), kRecurrenceSource));
        list.back().rule = recurrenceRule();
    }
    for (const char* name : {"C_re", "C_im"})
        list.push_back(plainWeight(name, {units, states}, outOfState(states), kRecurrenceSource));
    if (scope.text("skip") == "vector")
        list.push_back(plainWeight("D", {units}, normalValues(1), kRecurrenceSource));
    if (scope.text("skip") == "full")
        list.push_back(plainWeight("D", {units, in}, normalValues(1 / std::sqrt(static_cast<double>(in.size)), "1/√in"),
                                   "as LRU-pytorch"));
    return list;
}

static std::vector<ParamSpec> params()
{
    return {integerParam("units", 128, 1, kWidest, "units", "Width of the output."),
            integerParam("state_size", 128, 1, kWidest, "modes", "Number of complex modes in the state."),
            skipParam({vectorSkip(), fullSkip(), noSkip()}), gammaParam()};
}

BlockSpec spec()
{
    return trainable(onLinearRecurrence(
        {.id = "lru",
         .title = "LRU",
         .summary = "Linear recurrent unit: independent complex modes that rotate and decay, h_t = λ ∘ h_{t-1} + γ ∘ "
                    "(B x_t); no nonlinearity.",
         .synonyms = {"linear recurrent unit", "state space model", "s4", "s5", "diagonal", "complex"},
         .params = params(),
         .pythonClass = "LRU",
         .infer = inferRecurrence,
         .weights = weights,
         .cost = cost,
         .provenance = "Orvieto et al. 2023, arXiv:2303.06349, in the form of minimal-LRU (bbd71b1): exponential "
                       "parametrisation, no factor 2 before the real part."}));
}

} // namespace unroll::nodes::lru
