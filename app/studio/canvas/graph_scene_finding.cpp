// SPDX-License-Identifier: GPL-3.0-or-later
// What lies where in the scene.
#include "app/studio/canvas/graph_scene.h"

#include <QLineF>

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

} // namespace unroll
