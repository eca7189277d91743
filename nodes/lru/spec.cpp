// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

#include <cmath>

namespace unroll::nodes::lru {

constexpr double kTwoPi = 6.283185307179586;

/// Complex products: B x takes 4 in N, Re(C h) 4 N units; D x 2 units, or 2 in units as a matrix. An element of the state forward: λh + b 8;
/// backward: the carried gradient 8, that of λ 8, and the products twice. Floats kept: b and h, complex, and their gradients; y.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), states = scope.integer("state_size"), units = scope.integer("units");
    Cost total = sum(denseCost(in, 2 * states, false), denseCost(2 * states, units, false));
    total.activationBytes = 0;
    if (scope.text("skip") == "full")
        total += denseCost(in, units, false);
    total += elementCost(states, 8, 16, 8);
    total += elementCost(units, scope.text("skip") == "none" ? 0 : 2, scope.text("skip") == "vector" ? 4 : 1, 1);
    return total;
}

static void inferSkip(InferScope& scope, std::int64_t in)
{
    const std::int64_t units = scope.integer("units");
    if (scope.text("skip") != "vector" || in == units)
        return;
    scope.error("skip", "skip-needs-equal-width",
                "skip = vector multiplies the input unit by unit, so units must be its width, " + std::to_string(in) +
                    "; it is " + std::to_string(units));
    scope.offerParam("Set units to " + std::to_string(in), "units", in);
    scope.offerParam("Skip through a full matrix", "skip", std::string("full"));
}

static void infer(InferScope& scope)
{
    const double low = scope.real("r_min"), high = scope.real("r_max");
    if (low >= high) {
        scope.error("r_min", "radii-out-of-order", "r_min must be smaller than r_max; they span the moduli of λ");
        scope.offerParam("Set r_min to 0", "r_min", 0.0);
    }
    inferRecurrent(scope, scope.integer("units"), stateOf(scope.integer("state_size"), 2),
                   "the real and the imaginary part of h");
    if (const Shape* x = scope.input("x"))
        inferSkip(scope, x->width);
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in{scope.dimension("x"), "in"}, states{scope.integer("state_size"), "state_size"};
    const WeightSize units{scope.integer("units"), "units"};
    const std::string source = "Orvieto et al. 2023";
    const double low = scope.real("r_min"), high = scope.real("r_max");
    const InitialValues intoState = normalValues(1 / std::sqrt(2 * static_cast<double>(in.size)), "1/√(2 in)");
    const InitialValues outOfState = normalValues(1 / std::sqrt(static_cast<double>(states.size)), "1/√state_size");
    std::vector<WeightSpec> list = {
        plainWeight("nu_log", {states}, logOfLogValues(low * low, high * high), source),
        plainWeight("theta_log", {states}, logUniformValues(0, scope.real("max_phase"), 1), source)};
    if (scope.text("gamma") == "free")
        list.push_back(plainWeight("gamma_log", {states},
                                   scaled(logUniformValues(1 - high * high, 1 - low * low, 1), 0.5), source));
    list.push_back(plainWeight("B_re", {states, in}, intoState, source));
    list.push_back(plainWeight("B_im", {states, in}, intoState, source));
    for (WeightSpec& weight : list)
        weight.rule = {.decay = false, .learningRateScale = 0.5};
    list.push_back(plainWeight("C_re", {units, states}, outOfState, source));
    list.push_back(plainWeight("C_im", {units, states}, outOfState, source));
    if (scope.text("skip") == "vector")
        list.push_back(plainWeight("D", {units}, normalValues(1), source));
    if (scope.text("skip") == "full")
        list.push_back(plainWeight("D", {units, in}, normalValues(1 / std::sqrt(static_cast<double>(in.size)), "1/√in"),
                                   "as LRU-pytorch"));
    return list;
}

static ParamSpec ringParam(std::string name, double value, double maximum, std::string help)
{
    ParamSpec param = inGroup("Initial values", realParam(std::move(name), value, 0, maximum, std::move(help)));
    param.computes = false;
    return param;
}

static std::vector<ParamSpec> params()
{
    return {integerParam("units", 128, 1, kWidest, "units", "Width of the output."),
            integerParam("state_size", 128, 1, kWidest, "numbers", "Complex numbers in the state."),
            choiceParam("skip",
                        {{"vector", "D is a vector: each unit gets its own input, scaled; needs units = width of x."},
                         {"full", "D is a matrix, units × in."},
                         {"none", "No D: all that comes out went through the state."}},
                        "How the input reaches the output beside the state."),
            choiceParam("gamma",
                        {{"free", "γ begins at √(1 - |λ|²) and is trained on its own."},
                         {"tied", "γ = √(1 - |λ|²) throughout."}},
                        "What scales the input, so that the state keeps its size while its memory is long."),
            ringParam("r_min", 0, 0.999999, "Least modulus that λ begins with; near 1, memories are long."),
            ringParam("r_max", 1, 1, "Greatest modulus that λ begins with."),
            ringParam("max_phase", kTwoPi, kTwoPi, "Greatest angle that λ begins with, in radians.")};
}

BlockSpec spec()
{
    return trainable(
        {.id = "lru",
         .title = "LRU",
         .summary = "Linear recurrent unit: complex numbers that turn and fade, each on its own; nothing is squashed.",
         .synonyms = {"linear recurrent unit", "state space model", "s4", "s5", "diagonal", "complex"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("Real and imaginary part of h before the first step; zeros when free."),
         .outputs = recurrentOutputs("y at every step.", "Real and imaginary part of h after the last step."),
         .params = params(),
         .signalSpecs = {{"h", SignalLook::Complex, "The complex state after each step."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "LRU",
         .recurrent = true,
         .trainingPath = [](const Params&,
                            const auto&) { return std::string("The kernel diag_scan, all steps in one pass."); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Orvieto et al. 2023, arXiv:2303.06349, in the form of minimal-LRU (bbd71b1): exponential "
                       "parametrisation, no factor 2 before the real part."});
}

} // namespace unroll::nodes::lru
