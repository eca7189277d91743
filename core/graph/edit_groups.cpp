// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace unroll {

namespace {

/// A node outside on a way from the chosen nodes back into them: grouping around it would make a cycle.
std::optional<NodeId> nodeBetween(const Graph& graph, const std::set<NodeId>& ids)
{
    std::map<NodeId, std::vector<NodeId>> next;
    for (const Wire& wire : graph.wires)
        next[wire.from.node].push_back(wire.to.node);
    std::set<NodeId> reached;
    std::vector<NodeId> open(ids.begin(), ids.end());
    while (!open.empty()) {
        const NodeId at = open.back();
        open.pop_back();
        for (const NodeId to : next[at]) {
            if (ids.contains(to) && !ids.contains(at))
                return at;
            if (!ids.contains(to) && reached.insert(to).second)
                open.push_back(to);
        }
    }
    return std::nullopt;
}

/// Collects promoted ports and parameters under free names.
struct Promotions {
    Group group;

    const std::string& port(std::vector<PromotedPort>& ports, const PortRef& inner)
    {
        for (const PromotedPort& port : ports)
            if (port.inner == inner)
                return port.name;
        const std::string wish = isValidName(inner.port) ? inner.port : validNameFrom(inner.port, "port");
        ports.push_back(
            {freeNameAmong(wish, [&](const std::string& name) { return findPort(ports, name) != nullptr; }), inner});
        return ports.back().name;
    }

    const std::string& param(NodeId node, const std::string& param)
    {
        for (const PromotedParam& known : group.params)
            if (known.node == node && known.param == param)
                return known.name;
        const auto taken = [&](const std::string& name) {
            return std::any_of(group.params.begin(), group.params.end(),
                               [&](const PromotedParam& known) { return known.name == name; });
        };
        group.params.push_back(
            {freeNameAmong(isValidName(param) ? param : validNameFrom(param, "param"), taken), node, param});
        return group.params.back().name;
    }
};

/// x and y come first, so that a repeated group feeds the main output of a copy into the main input of the next.
std::vector<Wire> mainPortsFirst(std::vector<Wire> wires, PortRef Wire::*end, const char* usual)
{
    std::stable_sort(wires.begin(), wires.end(),
                     [&](const Wire& a, const Wire& b) { return ((a.*end).port != usual) < ((b.*end).port != usual); });
    return wires;
}

class Grouping {
public:
    Grouping(const Graph& before, const std::set<NodeId>& ids) : m_before(before), m_ids(ids) {}

    Result<Graph> make(const std::string& name, Group& enclosing)
    {
        Graph graph = m_before;
        auto id = takeId(graph);
        if (!id)
            return tl::unexpected(id.error());
        eraseNodes(graph, m_ids);
        promoteCrossing();
        followEnclosing(enclosing, *id);
        for (const Wire& each : m_before.wires) {
            Wire wire = each;
            if (isInside(wire.to) && isInside(wire.from))
                continue;
            if (isInside(wire.to))
                graph.addWire({wire.from, {*id, m_promotions.port(m_promotions.group.inputs, wire.to)}});
            else if (isInside(wire.from))
                graph.addWire({{*id, m_promotions.port(m_promotions.group.outputs, wire.from)}, wire.to});
        }
        graph.addNode(groupNode(*id, freeName(graph, name)));
        return withinDepth(std::move(graph));
    }

private:
    bool isInside(const PortRef& end) const { return m_ids.contains(end.node); }

    void promoteCrossing()
    {
        for (const Wire& wire : mainPortsFirst(m_before.wires, &Wire::to, "x"))
            if (isInside(wire.to) && !isInside(wire.from))
                m_promotions.port(m_promotions.group.inputs, wire.to);
        for (const Wire& wire : mainPortsFirst(m_before.wires, &Wire::from, "y"))
            if (isInside(wire.from) && !isInside(wire.to))
                m_promotions.port(m_promotions.group.outputs, wire.from);
    }

    /// What the group around promoted from the chosen nodes, it now promotes from the new group.
    void followEnclosing(Group& enclosing, NodeId id)
    {
        for (PromotedPort& port : enclosing.inputs)
            if (isInside(port.inner))
                port.inner = {id, m_promotions.port(m_promotions.group.inputs, port.inner)};
        for (PromotedPort& port : enclosing.outputs)
            if (isInside(port.inner))
                port.inner = {id, m_promotions.port(m_promotions.group.outputs, port.inner)};
        for (PromotedParam& param : enclosing.params)
            if (m_ids.contains(param.node)) {
                param.param = m_promotions.param(param.node, param.param);
                param.node = id;
            }
    }

    Node groupNode(NodeId id, std::string name)
    {
        Graph inner = fragment(m_before, m_ids);
        Node node{.id = id, .block = "group", .name = std::move(name), .place = inner.nodes.begin()->second->place};
        for (const auto& [key, chosen] : inner.nodes)
            node.place = {std::min(node.place.x, chosen->place.x), std::min(node.place.y, chosen->place.y)};
        m_promotions.group.graph = std::make_shared<const Graph>(std::move(inner));
        node.group = std::make_shared<const Group>(std::move(m_promotions.group));
        return node;
    }

    const Graph& m_before;
    const std::set<NodeId>& m_ids;
    Promotions m_promotions;
};

Result<Graph> group(const Graph& graph, const std::set<NodeId>& ids, const std::string& name, Group& enclosing)
{
    if (ids.empty())
        return fail("select the nodes of the group");
    for (const NodeId id : ids)
        if (graph.find(id) == nullptr)
            return tl::unexpected(noSuchNode(id));
    if (!isValidName(name))
        return fail(fmt::format("\"{}\" cannot name a group", name));
    if (const auto between = nodeBetween(graph, ids))
        return fail(fmt::format("{} lies between the selected nodes: select it too", graph.find(*between)->name));
    return Grouping(graph, ids).make(name, enclosing);
}

} // namespace

GraphEdit edits::makeGroup(std::set<NodeId> ids, std::string name)
{
    if (name.empty())
        name = "group";
    return {"Group",
            [ids, name](const Graph& graph) {
                Group none;
                return group(graph, ids, name, none);
            },
            "", [ids, name](const Graph& graph, Group& enclosing) { return group(graph, ids, name, enclosing); }};
}

} // namespace unroll
