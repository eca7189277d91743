// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of blocks share whose heads have a sum of outer products as state (nodes/shared/outer_heads.h).
// Standard library only.
#pragma once

#include "nodes/shared/narrow_norms.h"
#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <string>

namespace unroll::nodes {

/// num_heads must divide `whole`, which `what` names.
inline void inferHeadsOf(InferScope& scope, std::int64_t whole, const std::string& what)
{
    const std::int64_t heads = scope.integer("num_heads");
    if (whole % heads == 0)
        return;
    std::int64_t fitting = std::min(whole, heads);
    while (whole % fitting != 0)
        --fitting;
    scope.error("num_heads", "heads-do-not-divide",
                "num_heads must divide " + what + ", " + std::to_string(whole) + "; it is " + std::to_string(heads));
    scope.offerParam("Set num_heads to " + std::to_string(fitting), "num_heads", fitting);
}

/// Of heads that are normed one by one, with `factor` values for each unit; units of a head come in multiples.
inline void inferNormedHeads(InferScope& scope, NormKind norm, std::int64_t factor = 1, std::int64_t multiple = 1)
{
    const std::int64_t units = scope.integer("units"), heads = scope.integer("num_heads"), least = fewestNormed(norm);
    if (units % heads != 0 || units / heads * factor >= least)
        return;
    scope.error("num_heads", "head-too-small",
                "num_heads must leave each head " + std::to_string(least) + " values or more, for " + whyTooFew(norm) +
                    "; " + std::to_string(units * factor) + " by " + std::to_string(heads) + " is " +
                    std::to_string(units / heads * factor));
    const std::int64_t own = ((least + factor - 1) / factor + multiple - 1) / multiple * multiple; // units of a head
    std::int64_t fewer = units / own;
    while (fewer > 0 && units % (fewer * multiple) != 0)
        --fewer;
    if (fewer > 0)
        scope.offerParam("Set num_heads to " + std::to_string(fewer), "num_heads", fewer);
    else
        scope.offerParam("Set units to " + std::to_string(own * heads), "units", own * heads);
}

/// Of the recurrence, for `keys` in all heads and `values` of each: an element of the state is multiplied out and read,
/// 2 each, and decays and is summed, 1; backward two products each and the gradient carried. The kernel keeps nothing
/// but what it is given; `values` numbers are read for each head.
inline Cost outerCost(std::int64_t keys, std::int64_t values)
{
    Cost cost = elementCost(keys * values, 5, 9, 0);
    cost.forwardElements /= 5; // the others are products
    cost.backwardElements /= 9;
    return cost;
}

/// A state S of matrices with a row for each number of the keys and a column for each of the values.
inline SignalSpec keysByValues(std::string help)
{
    return {.name = "S",
            .look = SignalKind::Matrix,
            .help = std::move(help),
            .axes = {.matrix = "head", .row = "key", .column = "value"}};
}

inline SignalSpec outerStateSignal()
{
    return keysByValues("The state after each step, head by head: rows are keys, columns values.");
}

inline std::string outerPath(const Params&, const std::map<std::string, Shape>&)
{
    return "The kernel outer_scan, all steps in one pass: on the CPU in chunks of 16 steps.";
}

} // namespace unroll::nodes
