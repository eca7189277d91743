// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/layout/layout.h"

#include "core/graph/layout/box.h"
#include "core/graph/layout/layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace unroll {

namespace {

constexpr double kColumnGap = 100;   ///< room for the shape that stands on a wire
constexpr double kPartGap = 80;      ///< between parts that no wire joins
constexpr double kAloneGap = 40;     ///< between nodes without wires
constexpr double kLeastRow = 1200;   ///< nodes without wires stand in rows at least this long
constexpr double kRowGap = 120;      ///< between the rows of a long chain: a wire runs back there
constexpr double kLongestRow = 6000; ///< a part that is wider is folded into rows
constexpr double kLeastFold = 2400;  ///< a row of those is about this long at least
constexpr double kRowsAspect = 1.8;  ///< width of all rows to their height

double toGrid(double length)
{
    return std::round(length / kLayoutGrid) * kLayoutGrid;
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

/// From the highest node of these columns to the lowest.
std::pair<double, double> spanOf(const Layers& layers, std::size_t begin, std::size_t end,
                                 const std::vector<double>& tops)
{
    double top = std::numeric_limits<double>::infinity(), bottom = -top;
    for (std::size_t i = 0; i < layers.cells.size(); ++i)
        if (const Cell& cell = layers.cells[i]; !cell.isLane() && cell.layer >= begin && cell.layer < end) {
            top = std::min(top, tops[i]);
            bottom = std::max(bottom, tops[i] + cell.height);
        }
    return {top, bottom};
}

/// From how many sources wires pass between each column and the one before.
std::vector<std::size_t> sourcesBefore(const Layers& layers)
{
    std::vector<std::set<std::size_t>> sources(layers.columns.size());
    for (const Link& link : layers.links)
        sources[layers.cells[link.to].layer].insert(link.from);
    std::vector<std::size_t> counts;
    for (const auto& each : sources)
        counts.push_back(each.size());
    return counts;
}

/// The column from `first` on before which wires of the fewest sources pass, of those that begin within `reach` of
/// `ideal`; the nearest where none does.
std::size_t cutNear(const std::vector<double>& lefts, const std::vector<std::size_t>& sources, std::size_t first,
                    double ideal, double reach)
{
    const auto price = [&](std::size_t at) {
        const double off = std::abs(lefts[at] - ideal);
        return off > reach ? std::tuple(true, std::size_t{0}, off) : std::tuple(false, sources[at], off);
    };
    std::size_t best = first;
    for (std::size_t at = first; at < lefts.size(); ++at)
        if (price(at) < price(best))
            best = at;
    return best;
}

/// The first columns of the rows that a part is folded into, parted where few wires pass; one row where the part is not
/// very wide.
std::vector<std::size_t> rowsOf(const Layers& layers, const std::vector<double>& lefts, const std::vector<double>& tops)
{
    std::vector<std::size_t> starts{0};
    const std::size_t columns = layers.columns.size();
    const double width = lefts[columns - 1] + widthsOf(layers)[columns - 1];
    if (width <= kLongestRow)
        return starts;
    const auto [top, bottom] = spanOf(layers, 0, columns, tops);
    const double row = std::max(kLeastFold, std::sqrt(width * kRowsAspect * (bottom - top + kRowGap)));
    const auto sources = sourcesBefore(layers);
    while (lefts[columns - 1] - lefts[starts.back()] > 1.25 * row)
        starts.push_back(cutNear(lefts, sources, starts.back() + 1, lefts[starts.back()] + row, row / 4));
    return starts;
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
        const std::vector<double> lefts = leftsOf(layers, kColumnGap);
        const std::vector<double> tops = clearedTops(layers, lefts, topsOf(layers));
        const std::vector<std::size_t> starts = rowsOf(layers, lefts, tops);
        for (std::size_t row = 0; row < starts.size(); ++row) {
            const std::size_t end = row + 1 < starts.size() ? starts[row + 1] : layers.columns.size();
            addColumns(layers, starts[row], end, lefts, tops);
            m_bottom += row + 1 < starts.size() ? kRowGap : kPartGap;
        }
    }

    /// Neighbouring columns as one row, below what there is.
    void addColumns(const Layers& layers, std::size_t begin, std::size_t end, const std::vector<double>& lefts,
                    const std::vector<double>& tops)
    {
        const auto [top, bottom] = spanOf(layers, begin, end, tops);
        for (std::size_t i = 0; i < layers.cells.size(); ++i)
            if (const Cell& cell = layers.cells[i]; !cell.isLane() && cell.layer >= begin && cell.layer < end) {
                m_places[cell.node] = {lefts[cell.layer] - lefts[begin], m_bottom + tops[i] - top};
                m_width = std::max(m_width, lefts[cell.layer] - lefts[begin] + cell.width);
            }
        m_bottom += bottom - top;
    }

    void addRows(const std::vector<NodeId>& alone)
    {
        double left = 0, height = 0;
        for (const NodeId id : alone) {
            const NodeExtent& extent = extentOf(m_extents, id);
            if (left > 0 && left + extent.width > m_width) {
                m_bottom += height + kAloneGap;
                left = height = 0;
            }
            m_places[id] = {left, m_bottom};
            left += upToGrid(extent.width) + kAloneGap;
            height = std::max(height, upToGrid(extent.height));
        }
    }

    const Graph& m_graph;
    const NodeExtents& m_extents;
    std::map<NodeId, Place> m_places;
    double m_width = kLeastRow;
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
                    by = std::max(by, upToGrid(body.bottom + kAloneGap - place.y));
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
        Box now = held.empty() ? withNearest(area) : around(area, held);
        // A node that comes to lie in it belongs to it from now on, whole: then a second time finds what the first
        // made.
        while (nodesIn(now, m_after, m_extents) != held) {
            held = nodesIn(now, m_after, m_extents);
            now = now.with(boundsOf(only(m_after, held), m_extents));
        }
        Frame moved = frame;
        moved.place = {now.left, now.top};
        if (held.empty())
            return moved;
        moved.width = now.right - now.left;
        moved.height = now.bottom - now.top;
        return moved;
    }

private:
    /// As far around the nodes in it as before.
    Box around(const Box& area, const std::set<NodeId>& held) const
    {
        const Box inner = boundsOf(only(m_before, held), m_extents), now = boundsOf(only(m_after, held), m_extents);
        return {now.left - std::max(0.0, inner.left - area.left), now.top - std::max(0.0, inner.top - area.top),
                now.right + std::max(0.0, area.right - inner.right),
                now.bottom + std::max(0.0, area.bottom - inner.bottom)};
    }

    Box withNearest(const Box& area) const
    {
        const Place middle = area.middle();
        double least = std::numeric_limits<double>::infinity();
        NodeId nearest = 0;
        for (const auto& [id, place] : m_before) {
            const Place at = boxOf(place, extentOf(m_extents, id)).middle();
            if (const double way = std::hypot(at.x - middle.x, at.y - middle.y); way < least) {
                least = way;
                nearest = id;
            }
        }
        if (nearest == 0)
            return area;
        const double right = m_after.at(nearest).x - m_before.at(nearest).x;
        const double down = m_after.at(nearest).y - m_before.at(nearest).y;
        return {area.left + right, area.top + down, area.right + right, area.bottom + down};
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
