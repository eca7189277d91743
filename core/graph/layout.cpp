// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/layout.h"

#include "core/graph/box.h"
#include "core/graph/layers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

constexpr double columnGap = 100; ///< room for the shape that stands on a wire
constexpr double partGap = 80;    ///< between parts that no wire joins
constexpr double aloneGap = 40;   ///< between nodes without wires
constexpr double leastRow = 1200; ///< nodes without wires stand in rows at least this long

double toGrid(double length)
{
    return std::round(length / kLayoutGrid) * kLayoutGrid;
}

double upToGrid(double length)
{
    return std::ceil(length / kLayoutGrid) * kLayoutGrid;
}

/// The nodes in sets that wires join, by their smallest ids.
std::vector<std::set<NodeId>> partsOf(const Graph& graph, const std::set<NodeId>& ids)
{
    std::map<NodeId, std::vector<NodeId>> beside;
    for (const Wire& wire : graph.wires)
        if (ids.contains(wire.from.node) && ids.contains(wire.to.node)) {
            beside[wire.from.node].push_back(wire.to.node);
            beside[wire.to.node].push_back(wire.from.node);
        }
    std::vector<std::set<NodeId>> parts;
    std::set<NodeId> seen;
    for (const NodeId id : ids) {
        if (!seen.insert(id).second)
            continue;
        std::set<NodeId> part{id};
        std::vector<NodeId> open{id};
        while (!open.empty()) {
            const NodeId at = open.back();
            open.pop_back();
            for (const NodeId next : beside[at])
                if (seen.insert(next).second) {
                    part.insert(next);
                    open.push_back(next);
                }
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

/// Lays nodes out one part below the other, from the origin to the right and down.
class Arranging {
public:
    Arranging(const Graph& graph, const std::set<NodeId>& ids, const NodeExtents& extents)
        : m_graph(graph), m_extents(extents)
    {
        std::vector<NodeId> alone;
        for (const std::set<NodeId>& part : partsOf(graph, ids))
            if (part.size() == 1)
                alone.push_back(*part.begin());
            else
                addPart(part);
        addRows(alone);
    }

    std::map<NodeId, Place> take() { return std::move(m_places); }

private:
    void addPart(const std::set<NodeId>& part)
    {
        Layers layers = layersOf(m_graph, part, m_extents);
        orderColumns(layers);
        const std::vector<double> lefts = leftsOf(layers, columnGap);
        const std::vector<double> tops = clearedTops(layers, lefts, topsOf(layers));
        double top = std::numeric_limits<double>::infinity(), bottom = -top, right = 0;
        for (std::size_t i = 0; i < layers.cells.size(); ++i)
            if (!layers.cells[i].isLane()) {
                top = std::min(top, tops[i]);
                bottom = std::max(bottom, tops[i] + layers.cells[i].height);
            }
        for (std::size_t i = 0; i < layers.cells.size(); ++i)
            if (const Cell& cell = layers.cells[i]; !cell.isLane()) {
                m_places[cell.node] = {lefts[cell.layer], m_bottom + tops[i] - top};
                right = std::max(right, lefts[cell.layer] + cell.width);
            }
        m_width = std::max(m_width, right);
        m_bottom += bottom - top + partGap;
    }

    void addRows(const std::vector<NodeId>& alone)
    {
        double left = 0, height = 0;
        for (const NodeId id : alone) {
            const NodeExtent& extent = extentOf(m_extents, id);
            if (left > 0 && left + extent.width > m_width) {
                m_bottom += height + aloneGap;
                left = height = 0;
            }
            m_places[id] = {left, m_bottom};
            left += upToGrid(extent.width) + aloneGap;
            height = std::max(height, upToGrid(extent.height));
        }
    }

    const Graph& m_graph;
    const NodeExtents& m_extents;
    std::map<NodeId, Place> m_places;
    double m_width = leastRow;
    double m_bottom = 0;
};

Box boundsOf(const std::map<NodeId, Place>& places, const NodeExtents& extents)
{
    Box bounds;
    for (const auto& [id, place] : places)
        bounds = bounds.with(boxOf(place, extentOf(extents, id)));
    return bounds;
}

std::map<NodeId, Place> placesIn(const Graph& graph, const std::set<NodeId>& ids)
{
    std::map<NodeId, Place> places;
    for (const NodeId id : ids)
        if (const Node* node = graph.find(id))
            places[id] = node->place;
    return places;
}

/// Down until none of the places covers a node that is not among them.
void clearOthers(const Graph& graph, const NodeExtents& extents, std::map<NodeId, Place>& places)
{
    const auto shortBy = [&] {
        double by = 0;
        for (const auto& [other, node] : graph.nodes) {
            if (places.contains(other))
                continue;
            const Box body = boxOf(node->place, extentOf(extents, other));
            for (const auto& [id, place] : places)
                if (boxOf(place, extentOf(extents, id)).meets(body))
                    by = std::max(by, upToGrid(body.bottom + aloneGap - place.y));
        }
        return by;
    };
    for (double by = shortBy(); by > 0; by = shortBy())
        for (auto& [id, place] : places)
            place.y += by;
}

/// The nodes whose middles lie in the box.
std::set<NodeId> nodesIn(const Box& box, const std::map<NodeId, Place>& places, const NodeExtents& extents)
{
    std::set<NodeId> inside;
    for (const auto& [id, place] : places) {
        const Box body = boxOf(place, extentOf(extents, id));
        if (box.holds(body.middle()))
            inside.insert(id);
    }
    return inside;
}

std::map<NodeId, Place> only(const std::map<NodeId, Place>& places, const std::set<NodeId>& ids)
{
    std::map<NodeId, Place> chosen;
    for (const NodeId id : ids)
        chosen[id] = places.at(id);
    return chosen;
}

/// The comments of a graph whose nodes go from one set of places to another.
class Following {
public:
    Following(const NodeExtents& extents, const std::map<NodeId, Place>& before, const std::map<NodeId, Place>& after)
        : m_extents(extents), m_before(before), m_after(after)
    {}

    Frame moved(const Frame& frame) const
    {
        const Box area{frame.place.x, frame.place.y, frame.place.x + frame.width, frame.place.y + frame.height};
        std::set<NodeId> held = nodesIn(area, m_before, m_extents);
        if (held.empty())
            return withNearest(frame, area.middle());
        const Box inner = boundsOf(only(m_before, held), m_extents);
        Box now = boundsOf(only(m_after, held), m_extents);
        now = {now.left - std::max(0.0, inner.left - area.left), now.top - std::max(0.0, inner.top - area.top),
               now.right + std::max(0.0, area.right - inner.right),
               now.bottom + std::max(0.0, area.bottom - inner.bottom)};
        // A node that comes to lie in it belongs to it from now on, whole: then a second time finds what the first made.
        while (nodesIn(now, m_after, m_extents) != held) {
            held = nodesIn(now, m_after, m_extents);
            now = now.with(boundsOf(only(m_after, held), m_extents));
        }
        Frame moved = frame;
        moved.place = {now.left, now.top};
        moved.width = now.right - now.left;
        moved.height = now.bottom - now.top;
        return moved;
    }

private:
    Frame withNearest(const Frame& frame, const Place& middle) const
    {
        double least = std::numeric_limits<double>::infinity();
        NodeId nearest = 0;
        for (const auto& [id, place] : m_before) {
            const Place at = boxOf(place, extentOf(m_extents, id)).middle();
            if (const double way = std::hypot(at.x - middle.x, at.y - middle.y); way < least) {
                least = way;
                nearest = id;
            }
        }
        Frame moved = frame;
        if (nearest != 0)
            moved.place = {frame.place.x + m_after.at(nearest).x - m_before.at(nearest).x,
                           frame.place.y + m_after.at(nearest).y - m_before.at(nearest).y};
        return moved;
    }

    const NodeExtents& m_extents;
    const std::map<NodeId, Place>& m_before;
    const std::map<NodeId, Place>& m_after;
};

} // namespace

Layout layOut(const Graph& graph, const std::set<NodeId>& ids, const NodeExtents& extents)
{
    Layout layout;
    const auto before = placesIn(graph, ids);
    if (before.empty())
        return layout;
    std::set<NodeId> known;
    for (const auto& [id, place] : before)
        known.insert(id);
    layout.nodes = Arranging(graph, known, extents).take();
    const Box was = boundsOf(before, extents), is = boundsOf(layout.nodes, extents);
    for (auto& [id, place] : layout.nodes)
        place = {place.x + toGrid(was.left) - is.left, place.y + toGrid(was.top) - is.top};
    clearOthers(graph, extents, layout.nodes);

    std::map<NodeId, Place> all, after;
    for (const auto& [id, node] : graph.nodes)
        all[id] = after[id] = node->place;
    for (const auto& [id, place] : layout.nodes)
        after[id] = place;
    const Following following(extents, all, after);
    for (const auto& [id, frame] : graph.frames)
        layout.frames[id] = following.moved(frame);
    return layout;
}

} // namespace unroll
