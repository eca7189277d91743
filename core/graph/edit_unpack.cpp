// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace unroll {

namespace {

/// Puts the inside of a group in its place.
class Unpacking {
public:
    Unpacking(const Graph& before, const Node& node)
        : m_before(before), m_node(node), m_group(*node.group), m_inner(*node.group->graph)
    {}

    Result<Graph> unpack(Group& enclosing)
    {
        m_graph = m_before;
        eraseNodes(m_graph, {m_node.id});
        if (auto placed = placeContents(); !placed)
            return tl::unexpected(placed.error());
        for (const Wire& wire : m_inner.wires)
            if (m_ids.contains(wire.from.node) && m_ids.contains(wire.to.node))
                m_graph.addWire({moved(wire.from), moved(wire.to)});
        for (const Wire& wire : m_before.wires)
            if (wire.from.node == m_node.id || wire.to.node == m_node.id)
                rewire(wire);
        followEnclosing(enclosing);
        return std::move(m_graph);
    }

private:
    PortRef moved(const PortRef& inner) const { return {m_ids.at(inner.node), inner.port}; }

    /// Where a port of the group leads to now; the port itself when it is none of the group's.
    std::optional<PortRef> replaced(const PortRef& outer, bool output) const
    {
        if (outer.node != m_node.id)
            return outer;
        const PromotedPort* port = findPort(output ? m_group.outputs : m_group.inputs, outer.port);
        if (port == nullptr || !m_ids.contains(port->inner.node))
            return std::nullopt;
        return moved(port->inner);
    }

    void rewire(const Wire& wire)
    {
        const auto from = replaced(wire.from, true), to = replaced(wire.to, false);
        if (from && to)
            connectWire(m_graph, {*from, *to});
    }

    /// The group stood at its contents' top left corner when it was made; if it has been moved, they move with it.
    Place shift() const
    {
        Place corner = m_inner.nodes.empty() ? m_node.place : m_inner.nodes.begin()->second->place;
        for (const auto& [id, node] : m_inner.nodes)
            corner = {std::min(corner.x, node->place.x), std::min(corner.y, node->place.y)};
        return {m_node.place.x - corner.x, m_node.place.y - corner.y};
    }

    Result<void> placeContents()
    {
        const Place offset = shift();
        NameBook names(m_graph);
        for (const auto& [old, shared] : m_inner.nodes) {
            auto id = takeId(m_graph);
            if (!id)
                return tl::unexpected(id.error());
            Node node = *shared;
            setPromoted(node);
            node.id = *id;
            node.name = names.take(isValidName(node.name) ? node.name : validNameFrom(node.name, node.block));
            node.place = {node.place.x + offset.x, node.place.y + offset.y};
            m_ids[old] = *id;
            m_graph.addNode(std::move(node));
        }
        for (auto [old, frame] : m_inner.frames) {
            auto id = takeId(m_graph);
            if (!id)
                return tl::unexpected(id.error());
            frame.id = *id;
            frame.place = {frame.place.x + offset.x, frame.place.y + offset.y};
            m_graph.frames[*id] = std::move(frame);
        }
        return {};
    }

    /// The values that the group set become the node's own.
    void setPromoted(Node& node) const
    {
        for (const PromotedParam& param : m_group.params) {
            auto value = m_node.params.find(param.name);
            if (param.node != node.id || value == m_node.params.end())
                continue;
            node.params[param.param] = value->second;
            forgetWritten(node, param.param);
        }
    }

    void followEnclosing(Group& enclosing) const
    {
        for (PromotedPort& port : enclosing.inputs)
            if (auto to = replaced(port.inner, false))
                port.inner = *to;
        for (PromotedPort& port : enclosing.outputs)
            if (auto to = replaced(port.inner, true))
                port.inner = *to;
        std::vector<PromotedParam> params;
        for (const PromotedParam& outer : enclosing.params) {
            if (outer.node != m_node.id)
                params.push_back(outer);
            for (const PromotedParam& inner : m_group.params)
                if (outer.node == m_node.id && inner.name == outer.param && m_ids.contains(inner.node))
                    params.push_back({outer.name, m_ids.at(inner.node), inner.param});
        }
        enclosing.params = std::move(params);
    }

    const Graph& m_before;
    const Node& m_node;
    const Group& m_group;
    const Graph& m_inner;
    Graph m_graph;
    std::map<NodeId, NodeId> m_ids; ///< inner to new
};

/// From one copy of the contents to the next: they stand side by side, with room for a node of any width and a gap.
double stepOf(const Group& group)
{
    double left = 0, right = 0;
    for (bool first = true; const auto& [id, node] : group.graph->nodes) {
        left = first ? node->place.x : std::min(left, node->place.x);
        right = first ? node->place.x : std::max(right, node->place.x);
        first = false;
    }
    return right - left + kUnrollStep;
}

Result<Graph> unpack(const Graph& graph, NodeId id, Enclosing& enclosing)
{
    const auto group = groupOf(graph, id);
    if (!group)
        return tl::unexpected(group.error());
    if ((*group)->repeat == 1)
        return Unpacking(graph, *graph.find(id)).unpack(enclosing);
    auto copies = unroll(graph, id, stepOf(**group), enclosing);
    if (!copies)
        return tl::unexpected(copies.error());
    Result<Graph> result = std::move(copies->graph);
    for (std::size_t i = 0; result && i < copies->copies.size(); ++i) {
        const Graph before = std::move(*result);
        result = Unpacking(before, *before.find(copies->copies[i])).unpack(enclosing);
    }
    return result;
}

} // namespace

GraphEdit edits::unpackGroup(NodeId id)
{
    return {"Unpack group",
            [id](const Graph& graph) {
                Enclosing none;
                return unpack(graph, id, none);
            },
            "", [id](const Graph& graph, Enclosing& enclosing) { return unpack(graph, id, enclosing); }};
}

} // namespace unroll
