// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Random graphs with extents, for tests of where nodes stand.

#include "core/graph/layout/box.h"
#include "core/graph/layout/layout.h"
#include "core/graph/test_edits.h"
#include "core/graph/test_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace unroll::testing_layout {

using namespace testing_edits;
using namespace testing_specs;

/// As the canvas makes them: whole steps of the grid, ports every 20 units.
inline NodeExtents extentsOf(const Graph& graph, std::uint64_t seed)
{
    testing_specs::Random random(seed);
    const BlockRegistry blocks = registry();
    NodeExtents extents;
    for (const auto& [id, node] : graph.nodes) {
        NodeExtent& extent = extents[id];
        extent.width = 140 + 20 * static_cast<double>(random.below(8));
        const NodePorts ports = portsOf(*node, blocks);
        for (const PortSpec& port : ports.inputs)
            extent.inputs[port.name] = 50 + 20 * static_cast<double>(extent.inputs.size());
        for (const PortSpec& port : ports.outputs)
            extent.outputs[port.name] = 50 + 20 * static_cast<double>(extent.outputs.size());
        extent.height =
            70 + 20 * static_cast<double>(std::max(extent.inputs.size(), extent.outputs.size()) + random.below(3));
    }
    return extents;
}

inline std::set<NodeId> allOf(const Graph& graph)
{
    std::set<NodeId> ids;
    for (const auto& [id, node] : graph.nodes)
        ids.insert(id);
    return ids;
}

inline Graph laidOut(const Graph& graph, const std::set<NodeId>& ids, const NodeExtents& extents)
{
    const Layout layout = layOut(graph, ids, extents);
    Graph after = must(edits::moveNodes(layout.nodes), graph);
    after.frames = layout.frames;
    return after;
}

inline bool leadsTo(const Graph& graph, NodeId start, NodeId goal)
{
    std::set<NodeId> seen{start};
    std::vector<NodeId> open{start};
    while (!open.empty()) {
        const NodeId at = open.back();
        open.pop_back();
        for (const Wire& wire : graph.wires)
            if (wire.from.node == at && seen.insert(wire.to.node).second)
                open.push_back(wire.to.node);
    }
    return seen.contains(goal);
}

inline Box bodyOf(const Graph& graph, const NodeExtents& extents, NodeId id)
{
    return boxOf(graph.find(id)->place, extentOf(extents, id));
}

inline void expectNothingCovered(const Graph& graph, const NodeExtents& extents, const std::set<NodeId>& ids)
{
    for (const NodeId id : ids)
        for (const auto& [other, node] : graph.nodes)
            EXPECT_FALSE(id != other && bodyOf(graph, extents, id).meets(bodyOf(graph, extents, other)))
                << graph.find(id)->name << " and " << node->name;
}

/// A random model after random edits: cycles, loose nodes, comments and wires to ports that are not there.
inline Graph disorder(std::uint64_t seed)
{
    Graph graph = RandomModel(seed).make();
    RandomEdits edits(seed);
    for (int i = 0; i < 20; ++i)
        if (auto edited = edits.next(graph).apply(graph))
            graph = std::move(*edited);
    return graph;
}

} // namespace unroll::testing_layout
