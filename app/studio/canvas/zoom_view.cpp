// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/zoom_view.h"

#include "app/studio/theme/metrics.h"

#include <QScrollBar>
#include <algorithm>

namespace unroll {

namespace {

constexpr double kFitMargin = 40;   ///< px around the graph
constexpr double kFitShare = 0.125; ///< of a small view that the margin takes at most, on each side
constexpr double kFarAway = 1e6;    ///< scene units; panning meets no end
constexpr int kRevealMargin = 40;   ///< px around what is brought into view

} // namespace

ZoomView::ZoomView(QGraphicsScene* scene, QWidget* parent) : QGraphicsView(scene, parent), m_zoomLabel(new QLabel(this))
{
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(NoAnchor);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_zoomLabel->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_zoomLabel->setProperty("tone", "dim");
    setSceneRect(-kFarAway, -kFarAway, 2 * kFarAway, 2 * kFarAway);
    showZoom();
}

void ZoomView::zoomBy(double factor, const QPointF& anchor)
{
    m_staysFitted = false;
    const double wanted = std::clamp(zoom() * factor, kLeastZoom, kGreatestZoom);
    const QPointF before = mapToScene(anchor.toPoint());
    setTransform(QTransform::fromScale(wanted, wanted));
    showZoom();
    panBy(QPointF(mapFromScene(before)) - anchor);
}

void ZoomView::zoomBy(double factor)
{
    zoomBy(factor, QRectF(viewport()->rect()).center());
}

void ZoomView::panBy(const QPointF& pixels)
{
    m_staysFitted = false;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + qRound(pixels.x()));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + qRound(pixels.y()));
    Q_EMIT moved();
}

void ZoomView::fitAll()
{
    m_staysFitted = true;
    if (const QRectF content = contentRect(); !content.isEmpty())
        fit(content, 1.0);
}

void ZoomView::fitArea(const QRectF& area)
{
    m_staysFitted = false;
    fit(area, kGreatestZoom);
}

/// A view that has no room yet is fitted when it gets some.
void ZoomView::fit(const QRectF& area, double greatest)
{
    const QSizeF view = viewport()->size();
    const QSizeF room(view.width() - 2 * std::min(kFitMargin, kFitShare * view.width()),
                      view.height() - 2 * std::min(kFitMargin, kFitShare * view.height()));
    if (room.isEmpty())
        return;
    const double wanted = std::min(room.width() / area.width(), room.height() / area.height());
    const double scale = std::clamp(wanted, kLeastZoom, greatest);
    setTransform(QTransform::fromScale(scale, scale));
    centerOn(area.center());
    showZoom();
    Q_EMIT moved();
}

void ZoomView::showArea(const QRectF& area)
{
    if (area.isEmpty() || seen().contains(area))
        return;
    m_staysFitted = false;
    ensureVisible(area, kRevealMargin, kRevealMargin);
    Q_EMIT moved();
}

void ZoomView::showAreaOrAll(const QRectF& area)
{
    const QRectF view = seen();
    if (area.width() > view.width() || area.height() > view.height())
        return fitAll();
    showArea(area);
}

void ZoomView::showZoom()
{
    m_zoomLabel->setText(tr("%1 %").arg(qRound(zoom() * 100)));
    m_zoomLabel->adjustSize();
    m_zoomLabel->move(width() - m_zoomLabel->width() - space::m, height() - m_zoomLabel->height() - space::s);
}

void ZoomView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    if (m_staysFitted)
        fitAll();
    showZoom();
    Q_EMIT moved();
}

} // namespace unroll
