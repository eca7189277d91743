// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/layout/layers.h"

#include "core/graph/layout/box.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace unroll {

namespace {

/// A wire that passes more columns has no lane: in a deep chain that would be a lane beside every node.
constexpr std::size_t kLongestLane = 64;

double portHeight(const std::map<std::string, double>& ports, const std::string& port, double height)
{
    const auto found = ports.find(port);
    return found == ports.end() ? height / 2 : found->second;
}

/// The wires among the nodes, and what a walk along them finds: those that lead back to a node that is still being
/// walked from, and an order in which all others lead forward.
class Walk {
public:
    Walk(const Graph& graph, const std::set<NodeId>& ids)
    {
        std::set<NodeId> fed;
        for (const Wire& wire : graph.wires)
            if (wire.from.node != wire.to.node && ids.contains(wire.from.node) && ids.contains(wire.to.node)) {
                m_next[wire.from.node].push_back(&wire);
                fed.insert(wire.to.node);
            }
        for (const bool needsFeeding : {false, true})
            for (const NodeId id : ids)
                if (fed.contains(id) == needsFeeding)
                    from(id);
        std::reverse(m_order.begin(), m_order.end());
    }

    const std::vector<NodeId>& order() const { return m_order; }
    const std::vector<const Wire*>& forward() const { return m_forward; }

private:
    struct Open {
        NodeId node;
        std::size_t next = 0;
    };

    /// Without recursion: chains may be thousands of nodes long.
    void from(NodeId start)
    {
        std::vector<Open> open;
        const auto enter = [&](NodeId id) {
            if (m_isOpen.contains(id))
                return;
            m_isOpen[id] = true;
            open.push_back({id});
        };
        enter(start);
        while (!open.empty()) {
            const NodeId at = open.back().node;
            const auto& wires = m_next[at];
            if (open.back().next == wires.size()) {
                m_isOpen[at] = false;
                m_order.push_back(at);
                open.pop_back();
                continue;
            }
            const Wire* wire = wires[open.back().next++];
            const auto seen = m_isOpen.find(wire->to.node);
            if (seen != m_isOpen.end() && seen->second)
                continue; // leads back
            m_forward.push_back(wire);
            enter(wire->to.node);
        }
    }

    std::map<NodeId, std::vector<const Wire*>> m_next;
    std::map<NodeId, bool> m_isOpen; ///< absent: not reached yet
    std::vector<NodeId> m_order;
    std::vector<const Wire*> m_forward;
};

std::map<NodeId, std::size_t> columnsOf(const Walk& walk)
{
    std::map<NodeId, std::size_t> column;
    std::map<NodeId, std::vector<NodeId>> next;
    std::set<NodeId> fed;
    for (const Wire* wire : walk.forward()) {
        next[wire->from.node].push_back(wire->to.node);
        fed.insert(wire->to.node);
    }
    for (const NodeId id : walk.order())
        for (const NodeId to : next[id])
            column[to] = std::max(column[to], column[id] + 1);
    for (const NodeId id : walk.order()) {
        std::optional<std::size_t> first;
        for (const NodeId to : next[id])
            first = std::min(first.value_or(column[to]), column[to]);
        if (first && !fed.contains(id))
            column[id] = *first - 1;
    }
    return column;
}

class Making {
public:
    Making(const Graph& graph, const std::set<NodeId>& ids, const NodeExtents& extents) : m_extents(extents)
    {
        const Walk walk(graph, ids);
        const auto column = columnsOf(walk);
        for (const NodeId id : walk.order())
            m_cellOf[id] = addCell({id, column.contains(id) ? column.at(id) : 0, upToGrid(extentOf(extents, id).width),
                                    upToGrid(extentOf(extents, id).height)});
        for (const Wire* wire : walk.forward())
            addWire(*wire);
    }

    Layers take() { return std::move(m_layers); }

private:
    std::size_t addCell(const Cell& cell)
    {
        const std::size_t number = m_layers.cells.size();
        m_layers.cells.push_back(cell);
        m_layers.columns.resize(std::max(m_layers.columns.size(), cell.layer + 1));
        m_layers.columns[cell.layer].push_back(number);
        m_layers.in.emplace_back();
        m_layers.out.emplace_back();
        return number;
    }

    void addLink(const Link& link)
    {
        m_layers.out[link.from].push_back(m_layers.links.size());
        m_layers.in[link.to].push_back(m_layers.links.size());
        m_layers.links.push_back(link);
    }

    void addWire(const Wire& wire)
    {
        std::size_t from = m_cellOf.at(wire.from.node);
        const std::size_t to = m_cellOf.at(wire.to.node);
        const std::size_t last = m_layers.cells[to].layer;
        if (last - m_layers.cells[from].layer > kLongestLane)
            return;
        const NodeExtent &source = extentOf(m_extents, wire.from.node), &target = extentOf(m_extents, wire.to.node);
        double leaves = portHeight(source.outputs, wire.from.port, source.height);
        while (m_layers.cells[from].layer + 1 < last) {
            const std::size_t lane = addCell({0, m_layers.cells[from].layer + 1});
            addLink({from, lane, std::exchange(leaves, 0), 0});
            from = lane;
        }
        addLink({from, to, leaves, portHeight(target.inputs, wire.to.port, target.height)});
    }

    const NodeExtents& m_extents;
    std::map<NodeId, std::size_t> m_cellOf;
    Layers m_layers;
};

} // namespace

Layers layersOf(const Graph& graph, const std::set<NodeId>& ids, const NodeExtents& extents)
{
    return Making(graph, ids, extents).take();
}

} // namespace unroll
