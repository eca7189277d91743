// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// Where a value lies while the plan runs.
using Slot = std::size_t;
inline constexpr Slot kNoSlot = static_cast<Slot>(-1);

/// One block at its place in the execution order. Copies of a repeated group with shared weights are several steps over one block.
struct PlanStep {
    std::string node; ///< path: names carried states and observed signals
    const BlockSpec* spec = nullptr;
    std::shared_ptr<Block> block;
    std::vector<Slot> inputs; ///< kNoSlot: the port is free
    std::vector<Slot> outputs;
    std::size_t stateInput = kNoSlot; ///< index into inputs; recurrent blocks only
    std::size_t stateOutput = kNoSlot;
    bool stateIsRead = false; ///< by another node
};

/// A graph made flat: groups opened, repeats written out.
struct Plan {
    std::vector<PlanStep> steps;
    std::size_t slots = 0;
    std::map<std::string, Slot> sourceSlots; ///< tokens or features, targets, mask of the data node
    Slot loss = kNoSlot;
    Slot prediction = kNoSlot;
    std::vector<Weight> weights; ///< full names
    std::vector<std::string> recurrentNodes;
};

/// What building the plan draws on.
struct PlanSetup {
    const BlockRegistry& registry;
    const Builders& builders;
    at::Generator init;
    at::ScalarType dtype;
    std::string building; ///< path of the block that is being made
};

/// Throws what torch throws; a block that cannot be built by rule is an Error with the node's name as place.
Result<Plan> makePlan(const Graph& graph, const CheckedGraph& checked, PlanSetup& setup);

} // namespace unroll
