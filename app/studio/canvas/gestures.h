// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/gesture.h"
#include "app/studio/canvas/insertion.h"

#include <QRectF>
#include <functional>
#include <set>

namespace unroll {

class GraphView;

/// The view follows the hand.
class PanGesture : public Gesture {
public:
    /// `clicked` is called where the hand did not move.
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

/// Selects what a box meets; Shift adds, Ctrl takes away.
class BoxGesture : public Gesture {
public:
    BoxGesture(GraphView& view, const QPointF& pressed, Qt::KeyboardModifiers keys);
    void cancel() override;
    void paint(QPainter& painter) const override;

protected:
    void drag(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void drop(const QPointF& at, Qt::KeyboardModifiers keys) override;

private:
    GraphView& m_view;
    std::set<NodeId> m_before;
    QRectF m_box; ///< scene coordinates
};

/// Selects a node (Shift adds, Ctrl toggles) and moves the selection; one free node may be dropped on a wire. Alt: neither grid nor wire.
class MoveGesture : public Gesture {
public:
    MoveGesture(GraphView& view, const QPointF& pressed, NodeId grabbed, Qt::KeyboardModifiers keys);
    void cancel() override;

protected:
    void drag(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void drop(const QPointF& at, Qt::KeyboardModifiers keys) override;
    void click(Qt::KeyboardModifiers keys) override;

private:
    GraphView& m_view;
    NodeId m_grabbed;
    bool m_moves; ///< Ctrl may have taken the node out of the selection
    std::optional<Insertion> m_insertion;
};

} // namespace unroll
