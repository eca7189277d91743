// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/graph/edit.h"
#include "core/graph/graph.h"

#include <optional>
#include <string>
#include <vector>

namespace unroll {

struct CheckedGraph;

/// The ports a node has: those that its block has with these parameters, or those that a group promotes. A promoted
/// port whose inner end does not exist is left out, and so are all ports of an unknown block.
struct NodePorts {
    std::vector<PortSpec> inputs;
    std::vector<PortSpec> outputs;
};
NodePorts portsOf(const Node& node, const BlockRegistry& registry);
/// Those of a block with these parameters (all of them).
NodePorts portsWith(const BlockSpec& spec, const Params& params);

/// Whether a wire may lead from the output to the input, by what the ports can carry; a state takes a vector of its
/// numbers too. What they do carry where both
/// sequences and vectors will do (PortSpec::orVector), the check finds out.
bool mayJoin(const PortSpec& output, const PortSpec& input);

/// The port that a wire of this type joins: the first required one, else the first. nullptr: none is of the type.
const PortSpec* joiningPort(const std::vector<PortSpec>& ports, PortType type);

/// The parameters a node shows: those of its block, or those that a group promotes, under the group's names and with
/// the inner values as defaults.
std::vector<ParamSpec> paramsOf(const Node& node, const BlockRegistry& registry);

/// A block that turns one type of wire into another: tokens into a sequence by an embedding.
struct Converter {
    const BlockSpec* spec = nullptr;
    std::string input;
    std::string output;
};
std::optional<Converter> findConverter(const BlockRegistry& registry, PortType from, PortType to);

/// Puts the block into a wire, halfway between its ends.
GraphEdit insertedOn(const Converter& converter, const Graph& graph, const Wire& wire);

/// A block that brings a sequence to any width, by a parameter that says which.
struct Resizer {
    const BlockSpec* spec = nullptr;
    const ParamSpec* param = nullptr;
    std::string input;
    std::string output;
};
std::optional<Resizer> findResizer(const BlockRegistry& registry);
/// Of a block whose first input takes a sequence: the parameter that is the width of its first output. nullptr: none
/// is.
const ParamSpec* resizingParam(const BlockSpec& spec);

/// The block through which a loop may close.
std::optional<Converter> findDelay(const BlockRegistry& registry);

/// What a loss is measured in, as shown behind the number: "nats/token"; "nats/sequence" with one target per sequence.
/// The graph has a loss.
std::string lossUnitOf(const CheckedGraph& checked);

/// The block that a misspelt id or a synonym stands for; nullptr when none is near.
const BlockSpec* nearestBlock(const BlockRegistry& registry, const std::string& id);

} // namespace unroll
