// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/gesture.h"
#include "app/studio/canvas/graph_scene.h"
#include "app/studio/canvas/hint.h"

#include <QGraphicsView>
#include <QLabel>

class QHelpEvent;

namespace unroll {

/// The canvas: the scene under the hand. Pans (middle or right button, Space and drag, two fingers), zooms about the cursor (wheel, Ctrl and
/// two fingers, pinch). What a press of the left button begins is a Gesture: a box, a move, a wire. Alt and a click break wires.
class GraphView : public QGraphicsView {
    Q_OBJECT
public:
    static constexpr double leastZoom = 0.1;
    static constexpr double greatestZoom = 2.0;

    GraphView(GraphScene& scene, const Appearance& appearance, QWidget* parent = nullptr);
    ~GraphView() override;

    GraphScene& graphScene() const { return m_scene; }
    const Appearance& appearance() const { return m_appearance; }
    Hint& hint() { return *m_hint; }
    double zoom() const { return transform().m11(); }
    /// Keeps the scene point under `anchor` (viewport coordinates) where it is.
    void zoomBy(double factor, const QPointF& anchor);
    void zoomBy(double factor); ///< about the middle
    void
    fitAll(); ///< everything in view, at most 1:1; stays so while the window changes, until the hand moves the view
    void fitSelection();
    void reveal(NodeId id); ///< selects the node and brings it into view
    void panBy(const QPointF& pixels);
    /// Asks whoever has a palette for a block: one that fits the end, if there is one. Viewport coordinates.
    void askForBlock(const QPoint& at, const std::optional<WireEnd>& end = {}) { Q_EMIT blockAsked(at, end); }
    void askForBlockHere(); ///< where the hand is, or in the middle

Q_SIGNALS:
    void blockAsked(const QPoint& at, const std::optional<unroll::WireEnd>& end);
    /// Scene coordinates of its top left corner. `intoWires`: a wire that lies there takes it.
    void blockDropped(const QString& block, const QPointF& at, bool intoWires);
    void menuAsked(const QPoint& at); ///< viewport coordinates

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    std::unique_ptr<Gesture> gestureFor(const QMouseEvent& event);
    void fit(const QRectF& area, double greatest); ///< all of it in view, at most so large
    bool breakAt(const QPointF& scene);
    bool isHeld(const QMouseEvent& event) const; ///< the button that the gesture began with
    void cancelGesture();
    void arrow(const QPointF& direction, Qt::KeyboardModifiers keys);
    bool showPortTip(const QHelpEvent& event);
    void showCursor();
    void releaseSpace();
    void showZoom();
    void paintFocus(QPainter& painter) const;
    double hiddenBy(const QRect& area) const; ///< of the nodes, in square pixels

    GraphScene& m_scene;
    const Appearance& m_appearance;
    std::unique_ptr<Gesture> m_gesture;
    Qt::MouseButton m_held = Qt::NoButton; ///< the button whose release ends it
    bool m_spaceHeld = false;
    bool m_staysFitted = true;
    bool m_showsFocus = false; ///< one goes about by keys
    Hint* m_hint;
    QLabel* m_zoomLabel;
};

} // namespace unroll
