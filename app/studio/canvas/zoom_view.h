// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsView>
#include <QLabel>

namespace unroll {

/// A view with unlimited panning and bounded zoom, which can fit its content and shows the zoom in its corner.
class ZoomView : public QGraphicsView {
    Q_OBJECT
public:
    static constexpr double kLeastZoom = 0.1;
    static constexpr double kGreatestZoom = 2.0;

    explicit ZoomView(QGraphicsScene* scene, QWidget* parent = nullptr);

    double zoom() const { return transform().m11(); }
    /// Keeps the scene point under `anchor` (viewport coordinates) where it is.
    void zoomBy(double factor, const QPointF& anchor);
    void zoomBy(double factor); ///< about the middle
    void panBy(const QPointF& pixels);
    /// Everything in view, at most 1:1; stays so while the window changes, until the user moves the view.
    void fitAll();

Q_SIGNALS:
    void moved(); ///< what is seen lies elsewhere now

protected:
    virtual QRectF contentRect() const = 0; ///< all that there is to see, scene coordinates
    void fitArea(const QRectF& area);       ///< all of it in view, as large as the view goes
    void showArea(const QRectF& area);      ///< brings it into view, or as much of it as there is room for
    void showAreaOrAll(const QRectF& area); ///< the same; all there is where the area has no room
    QRectF seen() const { return mapToScene(viewport()->rect()).boundingRect(); }
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit(const QRectF& area, double greatest);
    void showZoom();

    bool m_staysFitted = true;
    QLabel* m_zoomLabel;
};

} // namespace unroll
