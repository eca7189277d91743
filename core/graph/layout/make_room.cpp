// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/layout/box.h"
#include "core/graph/layout/layout.h"
#include "core/graph/reach.h"

#include <cmath>
#include <vector>

namespace unroll {

namespace {

constexpr double kRoomBeside = 40; ///< between the node and its neighbours

/// What the wires lead to from here; with itself.
std::set<NodeId> reached(const Graph& graph, NodeId start)
{
    std::multimap<NodeId, NodeId> steps;
    for (const Wire& wire : graph.wires)
        steps.insert({wire.from.node, wire.to.node});
    return reachedFrom(start, steps);
}

/// Adds to the moving nodes what they would come to cover, until they cover nothing.
void addCovered(const Graph& graph, const NodeExtents& extents, const std::set<NodeId>& staying, double by,
                std::set<NodeId>& moving)
{
    std::vector<NodeId> open(moving.begin(), moving.end());
    while (!open.empty()) {
        const Box was = boxOf(graph.find(open.back())->place, extentOf(extents, open.back()));
        const Box now = was.movedRight(by);
        open.pop_back();
        for (const auto& [id, node] : graph.nodes) {
            const Box body = boxOf(node->place, extentOf(extents, id));
            if (now.meets(body) && !was.meets(body) && !staying.contains(id) && moving.insert(id).second)
                open.push_back(id);
        }
    }
}

} // namespace

std::map<NodeId, Place> makeRoom(const Graph& graph, const NodeExtents& extents, const Wire& wire, NodeId self,
                                 const NodeExtent& extent, const Place& at)
{
    std::map<NodeId, Place> places;
    const Node *source = graph.find(wire.from.node), *target = graph.find(wire.to.node);
    if (source == nullptr || target == nullptr)
        return places;
    const Box before = boxOf(source->place, extentOf(extents, source->id));
    const Box after = boxOf(target->place, extentOf(extents, target->id));
    std::set<NodeId> moving = reached(graph, target->id);
    if (after.left < before.right || moving.contains(source->id))
        return places;
    Box body = boxOf(at, extent);
    if (body.left < before.right) {
        const double by = upToGrid(before.right + kRoomBeside - body.left);
        body = body.movedRight(by);
        places[self] = {at.x + by, at.y};
    }
    const double by = upToGrid(body.right + kRoomBeside - after.left);
    if (by <= 0)
        return places;
    std::erase_if(moving, [&](NodeId id) { return graph.find(id)->place.x < after.left; });
    addCovered(graph, extents, {source->id, self}, by, moving);
    for (const NodeId id : moving) {
        const Place& place = graph.find(id)->place;
        places[id] = {place.x + by, place.y};
    }
    return places;
}

} // namespace unroll
