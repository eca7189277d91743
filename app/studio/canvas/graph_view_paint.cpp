// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/dot_grid.h"
#include "app/studio/canvas/gesture.h"
#include "app/studio/canvas/graph_view.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/empty_state.h"
#include "app/studio/theme/key_names.h"

#include <QPainter>

namespace unroll {

void GraphView::drawBackground(QPainter* painter, const QRectF& rect)
{
    const Theme& theme = m_appearance.theme();
    painter->fillRect(rect, theme[Theme::Role::Canvas]);
    if (zoom() >= 0.5)
        paintDots(*painter, rect, theme[Theme::Role::Canvas], theme[Theme::Role::CanvasDot]);
}

void GraphView::drawForeground(QPainter* painter, const QRectF&)
{
    if (m_scene.shown().nodes.empty()) {
        painter->save();
        painter->resetTransform();
        paintEmptyState(
            *painter, m_appearance, viewport()->rect(), "network", tr("An empty canvas"),
            KeyNames::all().in(tr("Double-click to add a block ({addBlock}), then wire blocks into a network.")));
        painter->restore();
    }
    if (m_gesture)
        m_gesture->paint(*painter);
    if (m_showsFocus)
        paintFocus(*painter);
}

void GraphView::paintFocus(QPainter& painter) const
{
    painter.save();
    painter.resetTransform();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_appearance.theme()[Theme::Role::Focus], 2));
    painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    painter.restore();
}

/// What a hint must not hide.
double GraphView::hiddenBy(const QRect& area) const
{
    double hidden = 0;
    for (const auto& [id, node] : m_scene.shown().nodes)
        if (const NodeItem* item = m_scene.node(id)) {
            const QRectF body = mapFromScene(item->mapRectToScene(item->boundingRect())).boundingRect();
            const QRectF common = body & QRectF(area);
            hidden += common.width() * common.height();
        }
    return hidden;
}

} // namespace unroll
