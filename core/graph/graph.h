// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/value.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// Names a node within one graph. Never reused after a deletion in the same document; 0 is not a node.
using NodeId = std::uint64_t;
using FrameId = std::uint64_t;

struct Graph;

/// Where a node stands on the canvas: its top left corner, scene units (1 unit = 1 px at zoom 1).
struct Place {
    double x = 0;
    double y = 0;

    bool operator==(const Place&) const = default;
};

/// One end of a wire.
struct PortRef {
    NodeId node = 0;
    std::string port;

    bool operator==(const PortRef&) const = default;
    auto operator<=>(const PortRef&) const = default;
};

/// From an output to an input. An output feeds many wires, an input takes one.
struct Wire {
    PortRef from;
    PortRef to;

    bool operator==(const Wire&) const = default;
    auto operator<=>(const Wire&) const = default;
};

/// A port of a group that stands for a port of a node inside it.
struct PromotedPort {
    std::string name;
    PortRef inner;

    bool operator==(const PromotedPort&) const = default;
};

/// A parameter of a group that sets a parameter of a node inside it.
struct PromotedParam {
    std::string name;
    NodeId node = 0;
    std::string param;

    bool operator==(const PromotedParam&) const = default;
};

/// A sub-graph. With repeat N > 1 the outputs of one copy feed the inputs of the same place in the next.
struct Group {
    std::shared_ptr<const Graph> graph;
    std::int64_t repeat = 1;
    bool sharedWeights = false; ///< all copies use one set of weights
    /// y1 = x1 + F(x2), y2 = x2 + G(y1): backward passes compute the inputs of each copy from its outputs, so that no
    /// activations of the copies are kept.
    bool reversible = false;
    std::vector<PromotedPort> inputs;
    std::vector<PromotedPort> outputs;
    std::vector<PromotedParam> params;

    bool operator==(const Group& other) const; ///< deep: compares the graphs, not the pointers
};

/// One block in the graph. Immutable once in a Graph: an edit makes a new one.
struct Node {
    NodeId id = 0;
    std::string block; ///< id of the block's spec; "group" for a sub-graph
    std::string name;  ///< unique in its graph; prefix of the weights' names, so letters, digits and _
    Params params;
    Place place;
    std::shared_ptr<const Group> group; ///< set exactly when block == "group"
    /// JSON of members this version does not know (a newer file, an unknown block's nested parameters), by key, kept
    /// word for word.
    std::map<std::string, std::string> extra;

    bool operator==(const Node& other) const;
};

/// A comment box.
struct Frame {
    FrameId id = 0;
    std::string title;
    Place place;
    double width = 0;
    double height = 0;

    bool operator==(const Frame&) const = default;
};

/// The document. A plain value: copying shares the nodes, so keeping an old graph costs little.
struct Graph {
    std::map<NodeId, std::shared_ptr<const Node>> nodes;
    std::vector<Wire> wires; ///< kept sorted by (to, from), so that equal documents are equal values
    std::map<FrameId, Frame> frames;
    NodeId nextId = 1; ///< the next free id, for nodes and frames alike

    bool operator==(const Graph& other) const; ///< deep

    const Node* find(NodeId id) const;
    const Node* findByName(const std::string& name) const;
    /// The wire that ends at this input; nullptr when it is free.
    const Wire* wireInto(const PortRef& input) const;

    /// For those who build a graph in code; users' changes are GraphEdits. Sets or replaces the node under its id (not
    /// 0).
    void addNode(Node node);
    /// Puts the wire in its place in the order; adding one twice does nothing.
    void addWire(Wire wire);
};

/// The order in which a graph keeps its wires: by input, then by output.
bool wireBefore(const Wire& a, const Wire& b);

/// Groups nest at most this deep: the JSON of deeper ones would pass the reader's depth limit.
inline constexpr std::size_t kMaxGroupDepth = 16;
/// Ids end below this, so that they and the next free one are exact numbers in every JSON reader.
inline constexpr NodeId kMaxId = NodeId{1} << 53;

} // namespace unroll
