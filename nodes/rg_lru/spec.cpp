// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/ring.h"
#include "nodes/shared/weight_parts.h"

#include <cmath>

namespace unroll::nodes::rg_lru {

constexpr const char* kSource = "De et al. 2024, RecurrentGemma";

/// Both gates' products over the features of a head and their biases, then an element: gates 2, ln a 1, a 1, sqrt(1 -
/// a²) 4, products 2 and the scan 2 forward; scan 3, products 4, root 5, a 1, ln a 2, gates 6 backward. Floats kept:
/// both gates, a, three of the root, i x and h; workspace: gradients of the gates, of ln a, of what enters and of x.
static Cost cost(const CostScope& scope)
{
    const std::int64_t width = scope.dimension("x"), n = width / scope.integer("num_heads");
    Cost total = denseCost(n, 2 * width, true);
    total.activationBytes = 0;
    total.workspaceBytes = 0;
    return sum(total, elementCost(width, 12, 21, 8, 5));
}

static void infer(InferScope& scope)
{
    if (scope.real("min_rad") >= scope.real("max_rad")) {
        scope.error("min_rad", "radii-out-of-order",
                    "min_rad must be smaller than max_rad; they bound the decay at initialisation");
        scope.offerParam("Set min_rad to 0", "min_rad", 0.0);
    }
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    inferRecurrent(scope, x->width, stateOf(x->width, 1), "h");
    const std::int64_t heads = scope.integer("num_heads");
    if (x->width % heads == 0)
        return;
    scope.error("num_heads", "heads-do-not-divide",
                "num_heads must divide the width of x, " + std::to_string(x->width) + "; it is " +
                    std::to_string(heads));
    std::int64_t better = std::min(heads, x->width);
    while (x->width % better != 0)
        --better;
    scope.offerParam("Set num_heads to " + std::to_string(better), "num_heads", better);
}

/// At the ring's ends.
static InitialValues decayValues(const WeightScope& scope)
{
    const Ring ring{scope.real("min_rad"), scope.real("max_rad")};
    const bool ofA = scope.text("ring_of") == "a";
    const auto at = [&](double square) { return std::log(std::expm1(-(ofA ? 1.0 : 0.125) / 2 * std::log(square))); };
    return computedValues(at(ring.most()), at(ring.least()),
                          std::string("ln(exp(-ln ρ") + (ofA ? ")" : " / 8)") +
                              " - 1), ρ² uniform from min_rad² to max_rad²");
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize width = inputSize(scope, /*tied=*/true), heads{scope.integer("num_heads"), "num_heads"};
    const WeightSize n{width.size / heads.size, "in / num_heads"};
    const InitialValues values = normalValues(1 / std::sqrt(static_cast<double>(n.size)), "√(num_heads / in)");
    std::vector<WeightSpec> list = {plainWeight("a_param", {{width.size, "in"}}, decayValues(scope), kSource)};
    for (const std::string gate : {"input_gate", "a_gate"}) {
        list.push_back(plainWeight(gate + ".w", {heads, n, n}, values, kSource));
        list.push_back(plainWeight(gate + ".b", {heads, n}, zeroValues()));
        list.back().rule.decay = false;
    }
    return list;
}

static std::vector<ParamSpec> params()
{
    const auto initial = [](ParamSpec param) { return trainingParam("Initial values", std::move(param)); };
    return {
        integerParam("num_heads", 1, 1, kWidest, "heads",
                     "Diagonal blocks of both gates: each gate of a head reads the features of that head alone."),
        initial(realParam("min_rad", 0.9, 0, 0.999999, "Smallest initial radius; close to 1 means long memory.")),
        initial(realParam("max_rad", 0.999, 0, 1, "Largest initial radius.")),
        initial(choiceParam(
            "ring_of",
            {{"a", "Of a, the decay of a gate r = 1/8, as in RecurrentGemma's code."},
             {"a_to_c", "Of a to the power of c = 8, the decay of an open gate, as the paper says: longer memories."}},
            "Which quantity is initialised uniformly in the ring between both radii."))};
}

BlockSpec spec()
{
    return trainable(
        {.id = "rg_lru",
         .title = "RG-LRU",
         .summary = "Real-gated linear recurrent unit of Griffin and Hawk: h_t = a_t ∘ h_{t-1} + √(1 - a_t²) ∘ (i_t ∘ "
                    "x_t), a and i from the input.",
         .synonyms = {"griffin", "hawk", "recurrentgemma", "real-gated linear recurrent unit", "linear recurrence"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step.", "h after the last step.", {"h"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."},
                         keepingGate("a", "Decay: share of the state kept."),
                         {"r", SignalKind::Gate, "Recurrence gate; open, it lets the state decay at its full rate."},
                         {"i", SignalKind::Gate, "Input gate: share of x that enters."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "RGLRU",
         .recurrent = true,
         .trainingPath = [](const Params&,
                            const auto&) { return std::string("The kernel diag_scan, all steps in one pass."); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .forShortSequences = {{"min_rad", 0.2}, {"max_rad", 0.9}},
         .provenance = "De et al. 2024, arXiv:2402.19427, eq. 1-4. Weights, their names and initial values of "
                       "RecurrentGemma 1.0.1 (torch), RGLRU."});
}

} // namespace unroll::nodes::rg_lru
