// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/gestures.h"
#include "app/studio/canvas/graph_view.h"
#include "app/studio/canvas/hit_test.h"
#include "app/studio/canvas/port_edits.h"
#include "app/studio/canvas/wire_gesture.h"

#include <QMouseEvent>

namespace unroll {

namespace {

constexpr double kWireReach = 5; ///< px beside a wire
constexpr double kEdgeReach = 5; ///< px beside the edge of a comment

} // namespace

void GraphView::mousePressEvent(QMouseEvent* event)
{
    m_hint->hide();
    m_showsFocus = false;
    if (m_gesture && isHeld(*event))
        return; // another button while one is held
    cancelGesture();
    m_gesture = gestureFor(*event);
    m_held = event->button();
    showCursor();
}

std::unique_ptr<Gesture> GraphView::gestureFor(const QMouseEvent& event)
{
    const QPointF at = event.position();
    const QPointF scene = mapToScene(at.toPoint());
    const bool left = event.button() == Qt::LeftButton;
    if (event.button() == Qt::RightButton)
        return std::make_unique<PanGesture>(*this, at, [this, at] { Q_EMIT menuAsked(at.toPoint()); });
    if (event.button() == Qt::MiddleButton || (left && m_spaceHeld))
        return std::make_unique<PanGesture>(*this, at);
    if (!left || ((event.modifiers() & Qt::AltModifier) && breakAt(scene)))
        return nullptr;
    const bool plain = !(event.modifiers() & (Qt::ShiftModifier | Qt::ControlModifier));
    if (const auto end = portAt(m_scene, scene, kPortReach); end && plain)
        return std::make_unique<WireGesture>(*this, at, *end);
    if (const NodeItem* node = nodeAt(m_scene, scene))
        return std::make_unique<MoveGesture>(*this, at, node->id(), event.modifiers());
    if (const NodeId drawn = m_scene.unrolled().nodeAt(scene)) {
        m_scene.select({drawn});
        return std::make_unique<PanGesture>(*this, at);
    }
    if (const auto grip = gripAt(m_scene, scene, kEdgeReach / zoom())) {
        if (grip->edges && plain)
            return std::make_unique<ResizeGesture>(*this, at, *grip);
        return std::make_unique<MoveGesture>(*this, at, *m_scene.frame(grip->frame), event.modifiers());
    }
    return std::make_unique<BoxGesture>(*this, at, event.modifiers());
}

/// The wires of a port, or the wire itself.
bool GraphView::breakAt(const QPointF& scene)
{
    if (const auto end = portAt(m_scene, scene, kPortReach)) {
        breakWires(m_scene, *end);
        return true;
    }
    if (nodeAt(m_scene, scene) != nullptr || m_scene.unrolled().nodeAt(scene) != 0)
        return false;
    const WireItem* wire = wireAt(m_scene, scene, kWireReach / zoom());
    return wire != nullptr && m_scene.apply(edits::disconnect(wire->wire()));
}

WireItem* GraphView::wireUnder(const QPointF& at) const
{
    const QPointF scene = mapToScene(at.toPoint());
    const bool isCovered = nodeAt(m_scene, scene) != nullptr || m_scene.unrolled().nodeAt(scene) != 0;
    return isCovered ? nullptr : wireAt(m_scene, scene, kWireReach / zoom());
}

/// A release is lost where a dialog or a menu comes up under the hand.
bool GraphView::isHeld(const QMouseEvent& event) const
{
    return event.button() != m_held && event.buttons().testFlag(m_held);
}

void GraphView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_gesture && !isHeld(*event))
        cancelGesture();
    if (m_gesture)
        return m_gesture->moveTo(event->position(), event->modifiers());
    const QPointF at = mapToScene(event->position().toPoint());
    m_hovered = nodeAt(m_scene, at) == nullptr ? gripAt(m_scene, at, kEdgeReach / zoom()) : std::nullopt;
    showCursor();
}

/// The gesture ends before what it does is seen: then nothing of it is left to be cancelled.
void GraphView::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_gesture || event->button() != m_held)
        return;
    const auto ending = std::move(m_gesture);
    ending->release(event->position(), event->modifiers());
    showCursor();
    viewport()->update();
}

void GraphView::cancelGesture()
{
    const auto ending = std::move(m_gesture);
    if (ending)
        ending->cancel();
    m_hint->hide();
    showCursor();
    viewport()->update();
}

void GraphView::showCursor()
{
    const bool onEdge = m_hovered && m_hovered->edges;
    viewport()->setCursor(m_gesture     ? m_gesture->cursor()
                          : m_spaceHeld ? Qt::OpenHandCursor
                          : onEdge      ? ResizeGesture::cursorFor(m_hovered->edges)
                                        : Qt::ArrowCursor);
}

/// A node, or its card: into the group. A comment: its title. A wire: a block that goes into it. Empty canvas: a block
/// there.
void GraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_gesture)
        return;
    const QPointF at = mapToScene(event->position().toPoint());
    if (const NodeItem* node = nodeAt(m_scene, at))
        m_scene.enter(node->id());
    else if (const NodeId drawn = m_scene.unrolled().nodeAt(at))
        m_scene.enter(drawn);
    else if (const auto grip = gripAt(m_scene, at, kEdgeReach / zoom()); grip && !grip->edges)
        editTitle(grip->frame);
    else if (const WireItem* wire = wireUnder(event->position()))
        askOnWire(*wire, event->position().toPoint());
    else
        askForBlock(event->position().toPoint());
}

} // namespace unroll
