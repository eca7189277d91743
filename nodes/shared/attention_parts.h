// SPDX-License-Identifier: GPL-3.0-or-later
// Shared parts of the specs of blocks with attention (nodes/shared/causal_attention.h). Standard library only.
#pragma once

#include "nodes/shared/spec_parts.h"

#include <algorithm>
#include <string>
#include <utility>

namespace unroll::nodes {

inline constexpr double kMostSteps = 65536;

/// How many of its scales a pass with xPos may be long: queries and keys grow to 3.5^60, 4e32, and fp32 ends at 3e38.
inline constexpr double kMostXposScales = 60;

inline ParamSpec windowParam()
{
    return integerParam("window", 256, 2, kMostSteps, "steps",
                        "Attention span in steps, the current one included; the state keeps one less.");
}

inline SignalSpec attentionSignal(std::string help)
{
    return {"weights", SignalKind::Attention, std::move(help), {}};
}

/// Floats that a sequence is remembered by: key, value and number of each step of the window but the present one.
inline std::int64_t memoryWidth(std::int64_t window, std::int64_t keys, std::int64_t values)
{
    return unroll::product({window - 1, unroll::sum({keys, values, 1})});
}

/// Steps that one sees, itself included, on average over a sequence of `steps` in a window of `window`.
inline double meanSeen(double steps, double window)
{
    const double rising = std::min(steps, window); // the first ones see 1, 2, 3 ...
    return (rising * (rising + 1) / 2 + (steps - rising) * window) / steps;
}

/// Whether all steps are looked back from by the kernel at once.
inline bool inOneKernel(const CostScope& scope, bool dropsWeights)
{
    return !dropsWeights && !scope.inputs.contains("mask") && scope.steps <= scope.integer("window");
}

/// What heads look at.
struct Attending {
    std::int64_t keys, values; ///< features over all heads: of queries and keys, and of values
    bool dropsWeights = false;
    bool causal = true; ///< back over a window, else at all steps of a sequence
};

/// Of num_heads heads: q·k and the sum of values, 2 keys + 2 values a step that is seen; softmax 6 a head and such a
/// step. Backward twice the products and 5 a weight. Where the kernel serves (canAttendInOne) q, k and v are kept once,
/// as the product makes them, and what the heads give; workspace: their gradients. Elsewhere floats are kept of q, k
/// and v, and of what the heads give in both orders; where weights are dropped out three times the weights of all T
/// steps, and where there is a mask two masks of them.
inline Cost attentionCost(const CostScope& scope, const Attending& form)
{
    const double steps = static_cast<double>(std::max<std::int64_t>(scope.steps, 1));
    const double seen = form.causal ? meanSeen(steps, static_cast<double>(scope.integer("window"))) : steps;
    const bool inOne = form.causal && form.keys == form.values && inOneKernel(scope, form.dropsWeights);
    Cost total = sum(elementCost(form.keys, 2 * seen, 4 * seen, inOne ? 0 : 2),
                     elementCost(form.values, 2 * seen, 4 * seen, inOne ? 1 : 3));
    total.workspaceBytes = kFloatBytes * static_cast<double>(unroll::sum({form.keys, form.keys, form.values}));
    total.forwardElements = total.backwardElements = 0; // these are products
    total += elementCost(scope.integer("num_heads"), 6 * seen, 5 * seen, form.dropsWeights ? 3 * steps : 0);
    if (scope.inputs.contains("mask"))
        total.activationBytes += kFloatBytes * 2 * steps;
    return total;
}

} // namespace unroll::nodes
