// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of state space models with complex modes share (nodes/shared/state_space.h). Standard library only.
#pragma once

#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

inline ParamSpec discretizationParam()
{
    return choiceParam("discretization",
                       {{"zoh", "Zero-order hold: the input is held over a step."},
                        {"bilinear", "Bilinear transform (Tustin): the trapezoidal rule."}},
                       "Discretisation of the modes, which are in continuous time.");
}

/// Steps begin log-uniformly between both. `reach`: how far back memories reach, 1 / (-Re A step) steps, with the
/// smallest initial -Re A of the block.
inline std::vector<ParamSpec> stepParams(const std::string& reach)
{
    return {
        trainingParam("Initial values", realParam("dt_min", 0.001, 1e-6, 10,
                                                  "Smallest initial step; memories reach " + reach + " steps back.")),
        trainingParam("Initial values", realParam("dt_max", 0.1, 1e-6, 10, "Largest initial step."))};
}

inline void inferSteps(InferScope& scope)
{
    if (scope.real("dt_min") <= scope.real("dt_max"))
        return;
    scope.error("dt_min", "steps-out-of-order", "dt_min must not be larger than dt_max; steps begin between them");
    scope.offerParam("Set dt_min to dt_max", "dt_min", scope.real("dt_max"));
}

/// Of the logarithm of a step.
inline InitialValues stepValues(const WeightScope& scope)
{
    const double low = std::log(scope.real("dt_min")), high = std::log(scope.real("dt_max"));
    return shifted(uniformValues((high - low) / 2, "½ ln(dt_max / dt_min)"), (low + high) / 2);
}

/// No eigenvalue of HiPPO-N [size, size] is larger: the largest sum of a row (Gershgorin).
inline double largestHippoFrequency(std::int64_t size)
{
    double sum = 0;
    for (std::int64_t k = 0; k < size; ++k)
        sum += std::sqrt(static_cast<double>(k) + 0.5);
    return std::sqrt(static_cast<double>(size) + 0.5) * sum;
}

/// The ports, the signal h and the path.
inline BlockSpec onComplexModes(BlockSpec spec)
{
    spec.category = Category::Recurrent;
    spec.inputs = recurrentInputs("Real and imaginary part of h before the first step; zeros when unwired.");
    spec.outputs =
        recurrentOutputs("y at every step.", "Real and imaginary part of h after the last step.", {"Re h", "Im h"});
    spec.signalSpecs.insert(spec.signalSpecs.begin(), {"h", SignalKind::Complex, "The complex state after each step."});
    spec.dimensions = {{"input_size", "x"}};
    spec.recurrent = true;
    spec.trainingPath = [](const Params&, const auto&) {
        return std::string("The kernel diag_scan, all steps in one pass.");
    };
    return spec;
}

} // namespace unroll::nodes
