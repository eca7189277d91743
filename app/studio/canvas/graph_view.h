// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/graph_scene.h"

#include <QGraphicsView>
#include <QLabel>

namespace unroll {

/// The canvas: the scene under the hand. Pans (middle button, Space and drag, two fingers), zooms about the cursor (wheel, Ctrl and two
/// fingers, pinch), selects, boxes, drags nodes.
class GraphView : public QGraphicsView {
    Q_OBJECT
public:
    static constexpr double leastZoom = 0.1;
    static constexpr double greatestZoom = 2.0;

    GraphView(GraphScene& scene, const Appearance& appearance, QWidget* parent = nullptr);

    double zoom() const { return transform().m11(); }
    /// Keeps the scene point under `anchor` (viewport coordinates) where it is.
    void zoomBy(double factor, const QPointF& anchor);
    void zoomBy(double factor); ///< about the middle
    void
    fitAll(); ///< everything in view, at most 1:1; stays so while the window changes, until the hand moves the view
    void fitSelection();
    void reveal(NodeId id); ///< selects the node and brings it into view

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    enum class Gesture { None, Pan, Box, Drag };

    void pressNode(NodeItem* node, QMouseEvent* event);
    void panBy(const QPointF& pixels);
    void moveBox(const QPointF& at, Qt::KeyboardModifiers modifiers);
    void endGesture();
    void releaseSpace();
    void showZoom();
    void showPath();

    GraphScene& m_scene;
    const Appearance& m_appearance;
    Gesture m_gesture = Gesture::None;
    QPointF m_pressed; ///< viewport coordinates
    QPointF m_last;
    NodeId m_grabbed = 0;
    bool m_moved = false; ///< beyond the drag threshold since the press
    bool m_spaceHeld = false;
    bool m_staysFitted = true;
    QRectF m_box; ///< scene coordinates; empty when none is drawn
    std::set<NodeId> m_selectedBefore;
    QLabel* m_zoomLabel;
    QLabel* m_pathLabel;
};

} // namespace unroll
