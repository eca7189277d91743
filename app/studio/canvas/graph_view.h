// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/gesture.h"
#include "app/studio/canvas/graph_scene.h"
#include "app/studio/canvas/hint.h"
#include "app/studio/canvas/zoom_view.h"

class QHelpEvent;

namespace unroll {

class FrameTitle;

/// The canvas: the view of the scene. Pans (middle or right button, Space and drag, two fingers), zooms about the
/// cursor (wheel, Ctrl and two fingers, pinch). What a press of the left button begins is a Gesture: a box, a move, a
/// wire, the edge of a comment. A click selects a wire, Alt and a click break it.
class GraphView : public ZoomView {
    Q_OBJECT
public:
    static constexpr double kPortReach = 10; ///< scene units around a port's middle

    GraphView(GraphScene& scene, const Appearance& appearance, QWidget* parent = nullptr);
    ~GraphView() override;

    GraphScene& graphScene() const { return m_scene; }
    const Appearance& appearance() const { return m_appearance; }
    Hint& hint() { return *m_hint; }
    void fitSelection();
    void reveal(NodeId id); ///< selects the node and brings it into view
    void revealPicked();    ///< brings what is selected into view, or as much of it as there is room for
    /// After a change that came from no gesture here (undo, Tidy): brings these nodes into view, all of the graph where
    /// they have no room.
    void showChanged(const std::set<NodeId>& ids);
    void revealUnrolled(const std::set<NodeId>& ids); ///< likewise the cards of these nodes
    /// Opens the title of a comment for typing; Return or a press elsewhere ends that, Escape leaves it as it was.
    void editTitle(FrameId id);
    WireItem* wireUnder(const QPointF& at) const; ///< viewport coordinates; nullptr: none, or something lies above it
    /// Asks whoever has a palette for a block: one that fits the end, if there is one. Viewport coordinates.
    void askForBlock(const QPoint& at, const std::optional<WireEnd>& end = {}) { Q_EMIT blockAsked(at, end); }
    /// For a block inserted into the wire that is selected or under the pointer; else beside the selected node, if the
    /// pointer has not moved since the last time, or at the pointer, or in the middle.
    void askForBlockHere();

Q_SIGNALS:
    void blockAsked(const QPoint& at, const std::optional<unroll::WireEnd>& end);
    void blockForWireAsked(const QPoint& at, const unroll::Wire& wire); ///< viewport coordinates, on the wire
    /// Scene coordinates of its top left corner. `intoWires`: a wire that lies there takes it.
    void blockDropped(const QString& block, const QPointF& at, bool intoWires);
    void menuAsked(const QPoint& at); ///< viewport coordinates

protected:
    QRectF contentRect() const override;
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
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    std::unique_ptr<Gesture> gestureFor(const QMouseEvent& event);
    void askOnWire(const WireItem& wire, const QPoint& near);
    QPoint besideSelection() const;
    bool breakAt(const QPointF& scene);
    bool isHeld(const QMouseEvent& event) const; ///< the button that the gesture began with
    void cancelGesture();
    void arrow(const QPointF& direction, Qt::KeyboardModifiers keys);
    bool showPortTip(const QHelpEvent& event);
    void showCursor();
    void releaseSpace();
    void paintFocus(QPainter& painter) const;
    double hiddenBy(const QRect& area) const; ///< of the nodes, in square pixels

    GraphScene& m_scene;
    const Appearance& m_appearance;
    std::unique_ptr<Gesture> m_gesture;
    Qt::MouseButton m_held = Qt::NoButton; ///< the button whose release ends it
    bool m_spaceHeld = false;
    bool m_showsFocus = false;          ///< one goes about by keys
    QPoint m_lastHand{-1, -1};          ///< pointer position when a block was last placed; screen coordinates
    std::optional<FrameGrip> m_hovered; ///< the comment edge under the pointer
    Hint* m_hint;
    FrameTitle* m_title;
};

} // namespace unroll
