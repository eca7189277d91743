// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/graph/graph.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace unroll {

struct CheckOptions {
    /// Facts about the data of a source node; called with complete parameters. Empty: shapes that depend on data stay
    /// unknown and a diagnostic says so.
    std::function<SourceFacts(const std::string& block, const Params& params)> sourceFacts;
    std::int64_t batch = 1;           ///< B of training, for the memory estimate
    std::int64_t memoryAvailable = 0; ///< bytes; 0: unknown, no refusal
    std::string memoryOwner;          ///< the device whose memory that is; empty: the machine
};

/// Where the streams of a reversible group enter the nodes inside that add to them: y1 = x1 + F(x2), y2 = x2 + G(y1).
struct ReversibleForm {
    PortRef first, second;               ///< inputs taking x1 and x2, of the nodes giving y1 and y2
    std::string firstAdded, secondAdded; ///< their other inputs, taking F(x2) and G(y1)
    std::set<NodeId> f, g;               ///< the nodes inside that compute F and G
};

/// One node of a graph that was checked; for a group node, `inner` holds its sub-graph.
struct CheckedGraph;
struct CheckedNode {
    NodeId id = 0;
    const BlockSpec* spec = nullptr;     ///< nullptr: unknown block (a diagnostic says so); groups have spec "group"
    Params params;                       ///< complete, promoted parameters applied
    std::map<std::string, Shape> inputs; ///< of wired inputs whose shape is known
    std::map<std::string, Shape> outputs;
    Cost cost;                                 ///< groups: inner cost, times repeat where weights or work repeat
    std::shared_ptr<const CheckedGraph> inner; ///< groups: the sub-graph, of the first copy
    /// Of a group with parameters that differ by copy: the sub-graph in each copy, one object for those that are alike.
    std::vector<std::shared_ptr<const CheckedGraph>> copies;
    std::optional<ReversibleForm> reversible; ///< of a reversible group that is drawn as one
    bool looped = false;                      ///< runs step by step: part of a loop, or of a group that is
    bool onVectors = false; ///< runs once per sequence: its sequence ports carry vectors (PortSpec::orVector)
    /// A vector is wired to its state: the state's tensors side by side. `inputs` has the state that it stands for.
    bool stateFromVector = false;
    /// Likewise, and the vector is made of weights alone: sequences begin there, and what is carried goes on from it.
    bool stateFromWeights = false;

    /// The sub-graph of a group in a copy, counted from 1.
    const CheckedGraph& inCopy(std::int64_t copy) const
    {
        return copies.empty() ? *inner : *copies[static_cast<std::size_t>(copy - 1)];
    }
    /// A sub-graph, and the copies that it is of; none listed where it is of all.
    struct Copies {
        const CheckedGraph* inner;
        std::vector<std::int64_t> numbers;
        std::string text() const; ///< "copy 2", "copies 1, 3"; empty: all
    };
    /// Sub-graphs that differ, in the order of their first copies; none of a node that is no group.
    std::vector<Copies> unlikeCopies() const;
};

/// The node that takes the shortest sequences.
struct LengthLimit {
    std::int64_t steps = 0; ///< that a sequence has at most, carried ones included
    std::string node;       ///< its path, dots in groups

    bool operator==(const LengthLimit&) const = default;
};

struct CheckedGraph {
    std::vector<NodeId> order; ///< execution order: by dependency, ties by id; the nodes of a loop side by side
    /// Nodes that wait for each other through a delay, each loop in execution order: they run together, step by step.
    std::vector<std::vector<NodeId>> loops;
    std::map<NodeId, CheckedNode> nodes;
    std::vector<Diagnostic> diagnostics; ///< of this graph and everything inside it
    Cost cost;                           ///< in total; per token except parameters
    std::int64_t steps = 0;              ///< T, where the data says it
    bool carried = false;                ///< states go on from batch to batch
    std::optional<LengthLimit> longest;  ///< empty: sequences may have any length
    std::int64_t trainingBytes = 0;      ///< estimate: weights, gradients, two moments, activations for T x B
    NodeId source = 0;                   ///< the data node; 0: none
    NodeId loss = 0;                     ///< the node whose loss is trained; 0: none

    bool runnable() const { return !hasErrors(diagnostics); }
    const Shape* shapeAt(const PortRef& output) const;
};

/// Order, shapes of all wires, cost per node and total, and all errors. Pure; under 1 ms for an ordinary graph.
/// Errors found: unknown block, parameter out of its range or of the wrong type, port that does not exist, type
/// mismatch, input that must be wired, cycle without a delay (names its nodes), a loop that cannot run step by step, a
/// next-token loss reached through a non-causal path, padding read as steps, no data, no loss, two losses, group
/// faults, memory.
CheckedGraph check(const Graph& graph, const BlockRegistry& registry, const CheckOptions& options);

} // namespace unroll
