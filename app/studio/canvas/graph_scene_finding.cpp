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

} // namespace unroll
