// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/hit_test.h"

#include "app/studio/canvas/graph_scene.h"

#include <QLineF>

namespace unroll {

NodeItem* nodeAt(const GraphScene& scene, const QPointF& at)
{
    for (QGraphicsItem* item : scene.items(at))
        if (auto* node = qgraphicsitem_cast<NodeItem*>(item))
            return node;
    return nullptr;
}

std::optional<WireEnd> portAt(const GraphScene& scene, const QPointF& at, double reach,
                              const std::function<bool(const WireEnd&)>& fits)
{
    std::optional<WireEnd> nearest;
    double least = reach;
    for (const NodeItem* item : scene.nodeItems()) {
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

WireItem* wireAt(const GraphScene& scene, const QPointF& at, double reach)
{
    const QRectF area(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach);
    for (WireItem* item : scene.wireItems())
        if (item->runsThrough(area))
            return item;
    return nullptr;
}

std::optional<FrameGrip> gripAt(const GraphScene& scene, const QPointF& at, double reach)
{
    std::optional<FrameGrip> found;
    double least = 0;
    for (const FrameItem* item : scene.frameItems()) {
        const auto grip = item->gripAt(at, reach);
        const double area = item->frame().width * item->frame().height;
        if (!grip || (found && area >= least))
            continue;
        found = grip;
        least = area;
    }
    return found;
}

} // namespace unroll
