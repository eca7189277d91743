// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of blocks over the LRU's recurrence share (nodes/shared/linear_recurrence.h). Standard library only.
#pragma once

#include "nodes/shared/state_space_parts.h"
#include "nodes/shared/weight_parts.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

inline constexpr double kTwoPi = 6.283185; // as much of it as a field shows
inline constexpr const char* kRecurrenceSource = "Orvieto et al. 2023";

/// Of the recurrence and the skip; the products come on top. An element of the state forward: λh + b 8; backward: the
/// carried gradient 8, that of λ 8, and the products twice. Floats kept: h, complex, and y; workspace: `passing` for an
/// element of the state.
inline Cost recurrenceCost(std::int64_t states, std::int64_t units, const std::string& skip, double passing)
{
    return sum(elementCost(states, 8, 16, 2, passing),
               elementCost(units, skip == "none" ? 0 : 2, skip == "vector" ? 4 : 1, 1));
}

inline void inferSkip(InferScope& scope, std::int64_t in)
{
    const std::int64_t units = scope.integer("units");
    if (scope.text("skip") != "vector" || in == units)
        return;
    scope.error("skip", "skip-needs-equal-width",
                "skip = vector multiplies the input elementwise, so units must equal its width, " + std::to_string(in) +
                    "; it is " + std::to_string(units));
    scope.offerParam("Set units to " + std::to_string(in), "units", in);
    scope.offerParam("Use a full matrix for skip", "skip", std::string("full"));
}

inline void inferRecurrence(InferScope& scope)
{
    if (scope.real("r_min") >= scope.real("r_max")) {
        scope.error("r_min", "radii-out-of-order",
                    "r_min must be smaller than r_max; they bound |λ| at initialisation");
        scope.offerParam("Set r_min to 0", "r_min", 0.0);
    }
    inferRecurrent(scope, scope.integer("units"), stateOf(scope.integer("state_size"), 2),
                   "the real and the imaginary part of h");
    if (const Shape* x = scope.input("x"))
        inferSkip(scope, x->width);
}

/// Weights of the recurrence and of B learn with half the rate and no weight decay, as minimal-LRU trains them.
inline WeightRule recurrenceRule()
{
    return {.decay = false, .learningRateScale = 0.5};
}

/// nu_log, theta_log and, where it is free, gamma_log.
inline std::vector<WeightSpec> recurrenceWeights(const WeightScope& scope)
{
    const WeightSize states{scope.integer("state_size"), "state_size"};
    const double low = scope.real("r_min"), high = scope.real("r_max");
    std::vector<WeightSpec> list = {
        plainWeight("nu_log", {states}, logOfLogValues(low * low, high * high), kRecurrenceSource),
        plainWeight("theta_log", {states}, logUniformValues(0, scope.real("max_phase"), 1), kRecurrenceSource)};
    if (scope.text("gamma") == "free")
        list.push_back(plainWeight("gamma_log", {states},
                                   scaled(logUniformValues(1 - high * high, 1 - low * low, 1), 0.5),
                                   kRecurrenceSource));
    for (WeightSpec& weight : list)
        weight.rule = recurrenceRule();
    return list;
}

/// How the elements of B begin, and those of C.
inline InitialValues intoState(const WeightSize& in)
{
    return normalValues(1 / std::sqrt(2 * static_cast<double>(in.size)), "1/√(2 in)");
}

inline InitialValues outOfState(const WeightSize& states)
{
    return normalValues(1 / std::sqrt(static_cast<double>(states.size)), "1/√state_size");
}

/// Of `skip`; the first one is the block's default.
inline ChoiceSpec vectorSkip()
{
    return {"vector", "D is a vector (elementwise); requires units = width of x."};
}

inline ChoiceSpec fullSkip()
{
    return {"full", "D is a matrix, units × in."};
}

inline ChoiceSpec noSkip()
{
    return {"none", "No D."};
}

inline ParamSpec skipParam(std::vector<ChoiceSpec> choices)
{
    return choiceParam("skip", std::move(choices), "Skip connection D x from input to output.");
}

inline ParamSpec gammaParam()
{
    return choiceParam(
        "gamma",
        {{"free", "γ starts at √(1 - |λ|²) and is trained independently."}, {"tied", "γ = √(1 - |λ|²), tied to λ."}},
        "Input normalisation γ, which keeps the state's scale independent of |λ|.");
}

/// Where λ begins.
inline std::vector<ParamSpec> ringParams()
{
    std::vector<ParamSpec> params = {
        realParam("r_min", 0, 0, 0.999999, "Smallest initial |λ|; close to 1 means long memory."),
        realParam("r_max", 1, 0, 1, "Largest initial |λ|."),
        realParam("max_phase", kTwoPi, 0, kTwoPi, "Largest initial angle of λ, in radians.")};
    for (ParamSpec& param : params)
        param = trainingParam("Initial values", std::move(param));
    return params;
}

/// The ports, the signal h and the path, which are the same for all.
inline BlockSpec onLinearRecurrence(BlockSpec spec)
{
    spec = onComplexModes(std::move(spec));
    for (ParamSpec& param : ringParams())
        spec.params.push_back(std::move(param));
    return spec;
}

} // namespace unroll::nodes
