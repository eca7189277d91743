// SPDX-License-Identifier: GPL-3.0-or-later
// What lies where in the scene.
#include "app/studio/canvas/graph_scene.h"

#include <QLineF>
#include <algorithm>

namespace unroll {

NodeItem* GraphScene::nodeAt(const QPointF& at) const
{
    for (QGraphicsItem* item : items(at))
        if (auto* node = qgraphicsitem_cast<NodeItem*>(item))
            return node;
    return nullptr;
}

std::optional<WireEnd> GraphScene::portAt(const QPointF& at, double reach,
                                          const std::function<bool(const WireEnd&)>& fits) const
{
    std::optional<WireEnd> nearest;
    double least = reach;
    for (const auto& [id, item] : m_nodes) {
        if (!item->sceneBoundingRect().adjusted(-reach, -reach, reach, reach).contains(at))
            continue;
        for (const WireEnd& end : item->ends()) {
            const double distance = QLineF(at, item->placeOf(end)).length();
            if (distance > least || (fits && !fits(end)))
                continue;
            least = distance;
            nearest = end;
        }
    }
    return nearest;
}

WireItem* GraphScene::wireAt(const QPointF& at, double reach) const
{
    for (const auto& [wire, item] : m_wires)
        if (item->runsThrough(QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach)))
            return item;
    return nullptr;
}

FrameItem* GraphScene::frame(FrameId id) const
{
    const auto found = m_frames.find(id);
    return found == m_frames.end() ? nullptr : found->second;
}

QList<FrameItem*> GraphScene::frameItems() const
{
    QList<FrameItem*> list;
    for (const auto& [id, item] : m_frames)
        list.append(item);
    return list;
}

std::optional<FrameGrip> GraphScene::gripAt(const QPointF& at, double reach) const
{
    std::optional<FrameGrip> found;
    double least = 0;
    for (const auto& [id, item] : m_frames) {
        const auto grip = item->gripAt(at, reach);
        const double area = item->frame().width * item->frame().height;
        if (!grip || (found && area >= least))
            continue;
        found = grip;
        least = area;
    }
    return found;
}

GraphScene::Moved GraphScene::movedAlong() const
{
    const Picked what = picked();
    Moved moved{what.nodes, what.frames};
    for (const FrameId id : what.frames) {
        const Frame& frame = m_shown.frames.at(id);
        const QRectF area(frame.place.x, frame.place.y, frame.width, frame.height);
        for (const auto& [node, item] : m_nodes)
            if (holds(frame, item->geometry().body().translated(pointOf(m_shown.find(node)->place))))
                moved.nodes.insert(node);
        for (const auto& [other, inner] : m_shown.frames)
            if (area.contains(QRectF(inner.place.x, inner.place.y, inner.width, inner.height)))
                moved.frames.insert(other);
    }
    return moved;
}

QPointF GraphScene::placeOf(const WireEnd& end) const
{
    const NodeItem* item = node(end.port.node);
    return item == nullptr ? QPointF() : item->placeOf(end);
}

QList<NodeItem*> GraphScene::nodeItems() const
{
    QList<NodeItem*> list;
    for (const auto& [id, item] : m_nodes)
        list.append(item);
    return list;
}

void GraphScene::selectTowards(const QPointF& direction)
{
    if (const Picked what = picked(); what.nodes.empty() && !what.wires.empty()) {
        const Wire& wire = *what.wires.begin();
        return select({direction.x() + direction.y() < 0 ? wire.from.node : wire.to.node});
    }
    if (selection().empty()) {
        if (!m_nodes.empty())
            select({m_nodes.begin()->first});
        return;
    }
    const QPointF from = nodesRect(true).center();
    std::map<double, NodeId> ahead; // by how far it is; what lies aside counts double
    for (const auto& [id, item] : m_nodes) {
        const QPointF way = item->mapRectToScene(item->geometry().body()).center() - from;
        const double along = QPointF::dotProduct(way, direction);
        const double aside = std::abs(way.x() * direction.y() - way.y() * direction.x());
        if (!item->isSelected() && along > 0)
            ahead.insert({along + 2 * aside, id});
    }
    if (!ahead.empty())
        select({ahead.begin()->second});
}

void GraphScene::selectNextWire()
{
    const Picked what = picked();
    const std::set<NodeId> of = !what.nodes.empty() ? what.nodes : what.wires.empty() ? std::set<NodeId>() : m_wiresOf;
    std::vector<Wire> round;
    for (const Wire& wire : m_shown.wires)
        if (of.empty() || of.contains(wire.from.node) || of.contains(wire.to.node))
            round.push_back(wire);
    if (round.empty())
        return;
    const auto at = what.wires.empty() ? round.end() : std::find(round.begin(), round.end(), *what.wires.begin());
    pick({{}, {at == round.end() || at + 1 == round.end() ? round.front() : *(at + 1)}, {}});
}

void GraphScene::selectNextFrame()
{
    if (m_frames.empty())
        return;
    const Picked what = picked();
    const auto next = what.frames.empty() ? m_frames.begin() : m_frames.upper_bound(*what.frames.begin());
    pick({{}, {}, {next == m_frames.end() ? m_frames.begin()->first : next->first}});
}

} // namespace unroll
