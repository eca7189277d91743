// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/masked_output.h"
#include "core/model/model.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// Index of a value while the plan runs.
using Slot = std::size_t;
inline constexpr Slot kNoSlot = static_cast<Slot>(-1);

/// One block at its place in the execution order. Copies of a repeated group with shared weights are several steps over
/// one block.
struct PlanStep {
    std::string node; ///< path: names carried states and observed signals
    const BlockSpec* spec = nullptr;
    std::shared_ptr<Block> block;
    std::vector<Slot> inputs; ///< kNoSlot: the port is free
    std::vector<Slot> outputs;
    std::size_t stateInput = kNoSlot; ///< index into inputs; recurrent blocks only
    std::size_t stateOutput = kNoSlot;
    std::int64_t stateParts = 0; ///< above 0: a vector is wired to the state, so many tensors side by side
    /// That vector is made of weights alone: sequences begin there. The state is carried as what it has moved since, so
    /// that zeros stand for a sequence that has not begun.
    bool beginsAtWeights = false;
    bool stateIsRead = false;           ///< by another node
    bool predictionIsRead = false;      ///< likewise, of a block with a loss
    std::size_t delayedInput = kNoSlot; ///< index into inputs, of a block that closes a loop
    MaskedRule maskedRule = MaskedRule::None;
    bool onVectors = false;             ///< runs on one vector a sequence: its block is given sequences of one step
    std::vector<SignalKind> looks = {}; ///< of the spec's signals, in their order
};

/// Whether there is one value for every step at this port of the plan's step.
inline bool comesPerStep(const PlanStep& step, const PortSpec& port)
{
    return isPerStep(port.type) && !(step.onVectors && port.orVector);
}

/// A slot at the edge of a loop.
struct LoopPort {
    Slot slot = kNoSlot;
    bool perStep = true; ///< one value a step; else one for the whole sequence: a state, a vector
};

/// Steps of the plan that run together, one step of time after the other.
struct PlanLoop {
    std::size_t first = 0, last = 0; ///< last: one behind
    std::vector<LoopPort> entering;  ///< what the loop reads and does not make
    std::vector<LoopPort> leaving;   ///< what it makes and others read
};

/// F or G of one copy of a reversible group, and the sum behind it.
struct ReversiblePart {
    std::size_t first = 0, last = 0; ///< its steps; last: one behind, where the step of the sum stands
    Slot reads = kNoSlot;            ///< the stream that it is computed from
    Slot added = kNoSlot;            ///< what it gives; the stream itself where it has no steps
    Slot before = kNoSlot;           ///< the other stream
    Slot after = kNoSlot;            ///< and with the sum
};

struct ReversibleCopy {
    ReversiblePart f; ///< y1 = x1 + F(x2)
    ReversiblePart g; ///< y2 = x2 + G(y1); its steps come behind the sum of F
};

/// The copies of a reversible group, one after the other.
struct PlanReversible {
    std::size_t first = 0, last = 0; ///< last: one behind
    std::vector<Slot> entering;      ///< what every copy reads besides the streams
    std::vector<ReversibleCopy> copies;
};

/// A flattened graph: groups and repeats expanded.
struct Plan {
    std::vector<PlanStep> steps;
    std::vector<PlanLoop> loops; ///< in order, none within another
    /// By first step, those around others before them; none within a loop.
    std::vector<PlanReversible> reversibles;
    std::size_t slots = 0;
    std::vector<std::int64_t> widths;        ///< by slot: features or classes there
    std::string source;                      ///< the data node
    std::map<std::string, Slot> sourceSlots; ///< its tokens or features, targets, mask
    Slot loss = kNoSlot;
    Slot prediction = kNoSlot;
    std::vector<std::pair<Slot, IndexRun>>
        sourceMeaning;           ///< what the features or classes of the data node's ports stand for
    std::vector<Weight> weights; ///< full names
    std::map<const Block*, std::size_t> firstWeight; ///< where a block's weights begin among them
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
