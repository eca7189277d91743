// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/gesture.h"
#include "app/studio/canvas/graph_scene.h"

#include <QRectF>
#include <functional>
#include <set>

namespace unroll {

class GraphView;

/// The view follows the pointer.
class PanGesture : public Gesture {
public:
    /// `clicked` is called if the pointer did not move.
    PanGesture(GraphView& view, const QPointF& pressed, std::function<void()> clicked = {});
    Qt::CursorShape cursor() const override { return Qt::ClosedHandCursor; }

protected:
    void drag(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void drop(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void click(Qt::KeyboardModifiers keys) override;

private:
    GraphView& m_view;
    QPointF m_last;
    std::function<void()> m_clicked;
};

/// Selects the nodes that a box meets and the comments that lie in it; Shift adds, Ctrl takes away. A click selects the
/// wire there.
class BoxGesture : public Gesture {
public:
    BoxGesture(GraphView& view, const QPointF& pressed, Qt::KeyboardModifiers keys);
    void cancel() override;
    void paint(QPainter& painter) const override;

protected:
    void drag(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void drop(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void click(Qt::KeyboardModifiers keys) override;

private:
    GraphView& m_view;
    Picked m_before;
    QRectF m_box; ///< scene coordinates
};

/// Selects a node (Shift adds, Ctrl toggles) or a comment by its title, and moves the selection; one free node may be
/// dropped on a wire. Alt: neither grid nor wire.
class MoveGesture : public Gesture {
public:
    MoveGesture(GraphView& view, const QPointF& pressed, NodeId grabbed, Qt::KeyboardModifiers keys);
    MoveGesture(GraphView& view, const QPointF& pressed, const FrameItem& grabbed, Qt::KeyboardModifiers keys);
    void cancel() override;

protected:
    void drag(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void drop(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void click(Qt::KeyboardModifiers keys) override;

private:
    void take(Qt::KeyboardModifiers keys);
    Picked grabbed() const;

    GraphView& m_view;
    NodeId m_node = 0;   ///< the grabbed node,
    FrameId m_frame = 0; ///< or this
    QPointF m_anchor;    ///< its corner, in scene coordinates
    bool m_moves = true; ///< Ctrl may have taken it out of the selection
    std::optional<Insertion> m_insertion;
};

/// Moves edges of a comment.
class ResizeGesture : public Gesture {
public:
    ResizeGesture(GraphView& view, const QPointF& pressed, const FrameGrip& grip);
    void cancel() override;
    Qt::CursorShape cursor() const override { return cursorFor(m_edges); }

    static Qt::CursorShape cursorFor(Qt::Edges edges);

protected:
    void drag(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void drop(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void click(Qt::KeyboardModifiers keys) override;

private:
    GraphView& m_view;
    Frame m_before;
    Qt::Edges m_edges;
};

} // namespace unroll
