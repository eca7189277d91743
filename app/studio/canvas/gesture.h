// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <Qt>

class QPainter;

namespace unroll {

/// An interaction on the canvas between press and release. Created on the press, destroyed after the release or Escape;
/// at most one at a time. Points are those of the viewport.
class Gesture {
public:
    explicit Gesture(const QPointF& pressed) : m_pressed(pressed) {}
    virtual ~Gesture() = default;
    Gesture(const Gesture&) = delete;
    Gesture& operator=(const Gesture&) = delete;

    void moveTo(const QPointF& at, Qt::KeyboardModifiers keys);
    void release(const QPointF& at, Qt::KeyboardModifiers keys);
    /// Escape: nothing has happened.
    virtual void cancel() {}
    /// In scene coordinates, above everything.
    virtual void paint(QPainter&) const {}
    virtual Qt::CursorShape cursor() const { return Qt::ArrowCursor; }

protected:
    const QPointF& pressed() const { return m_pressed; }
    virtual void drag(const QPointF& at, Qt::KeyboardModifiers keys) = 0;
    virtual void drop(const QPointF& at, Qt::KeyboardModifiers keys) = 0;
    /// Released without moving beyond the system's drag distance.
    virtual void click(Qt::KeyboardModifiers) {}

private:
    QPointF m_pressed;
    bool m_moved = false;
};

} // namespace unroll
