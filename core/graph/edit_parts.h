// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Building blocks of the edits.

#include "core/graph/edit.h"

#include <set>
#include <string>
#include <vector>

namespace unroll {

Error noSuchNode(NodeId id);

/// The node's group; an Error when the node is gone or is not a group.
Result<const Group*> groupOf(const Graph& graph, NodeId id);

/// An id for a new node or frame; an Error when there are none left.
Result<NodeId> takeId(Graph& graph);

/// Puts the changed node in the old one's place.
void replaceNode(Graph& graph, Node node);

/// Removes the node with its wires.
void eraseNodes(Graph& graph, const std::set<NodeId>& ids);

/// Adds a wire, replacing the input's previous one.
void connectWire(Graph& graph, Wire wire);

/// Forgets how the parameter was written in the file (see Node::extra).
void forgetWritten(Node& node, const std::string& param);

/// An Error when groups are nested too deep.
Result<Graph> withinDepth(Graph graph);

/// Where the group around feeds the input `known`, it gets one more input, which feeds `fresh` from the same source. An
/// Error when the group is repeated and the copies after the first would feed the two differently.
Result<void> addTwin(Enclosing& enclosing, const PortRef& known, const PortRef& fresh);

/// Copies of one group under their new ids, from the first to the last.
struct Unrolled {
    Graph graph;
    std::vector<NodeId> copies;
};
/// As edits::unrollGroup.
Result<Unrolled> unroll(const Graph& graph, NodeId id, double step, Enclosing& enclosing);

/// Gives the names of a graph out, and new ones that are free.
class NameBook {
public:
    explicit NameBook(const Graph& graph);
    bool has(const std::string& name) const { return m_names.contains(name); }
    std::string take(const std::string& wish);

private:
    std::set<std::string> m_names;
};

} // namespace unroll
