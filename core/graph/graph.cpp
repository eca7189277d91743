// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph.h"

#include <algorithm>

namespace unroll {

namespace {

template <class T>
bool sameValue(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b)
{
    return a == b || (a && b && *a == *b);
}

} // namespace

bool Group::operator==(const Group& other) const
{
    return repeat == other.repeat && sharedWeights == other.sharedWeights && reversible == other.reversible &&
           inputs == other.inputs && outputs == other.outputs && params == other.params &&
           sameValue(graph, other.graph);
}

bool Node::operator==(const Node& other) const
{
    return id == other.id && block == other.block && name == other.name && params == other.params &&
           place == other.place && extra == other.extra && sameValue(group, other.group);
}

bool Graph::operator==(const Graph& other) const
{
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first && sameValue(a.second, b.second); };
    return nextId == other.nextId && wires == other.wires && frames == other.frames &&
           nodes.size() == other.nodes.size() && std::equal(nodes.begin(), nodes.end(), other.nodes.begin(), same);
}

const Node* Graph::find(NodeId id) const
{
    auto found = nodes.find(id);
    return found == nodes.end() ? nullptr : found->second.get();
}

const Node* Graph::findByName(const std::string& name) const
{
    for (const auto& [id, node] : nodes)
        if (node->name == name)
            return node.get();
    return nullptr;
}

const Wire* Graph::wireInto(const PortRef& input) const
{
    auto found = std::lower_bound(wires.begin(), wires.end(), input,
                                  [](const Wire& wire, const PortRef& port) { return wire.to < port; });
    return found != wires.end() && found->to == input ? &*found : nullptr;
}

bool wireBefore(const Wire& a, const Wire& b)
{
    return a.to != b.to ? a.to < b.to : a.from < b.from;
}

void Graph::addWire(Wire wire)
{
    auto place = std::lower_bound(wires.begin(), wires.end(), wire, wireBefore);
    if (place == wires.end() || *place != wire)
        wires.insert(place, std::move(wire));
}

void Graph::addNode(Node node)
{
    nextId = std::max(nextId, node.id + 1);
    const NodeId id = node.id;
    nodes[id] = std::make_shared<const Node>(std::move(node));
}

} // namespace unroll
