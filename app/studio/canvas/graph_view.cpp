// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/graph_view.h"

#include "app/studio/canvas/block_adder.h"
#include "app/studio/canvas/block_mime.h"
#include "app/studio/canvas/breadcrumb.h"
#include "app/studio/canvas/frame_title.h"
#include "app/studio/canvas/hit_test.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

constexpr double kZoomPerNotch = 1.15;
constexpr double kBesideGap = 100; ///< scene units from a node to the one that is added beside it

bool isTwoFingers(const QWheelEvent& event)
{
    return event.device()->type() == QInputDevice::DeviceType::TouchPad || !event.pixelDelta().isNull();
}

} // namespace

GraphView::GraphView(GraphScene& scene, const Appearance& appearance, QWidget* parent)
    : ZoomView(&scene, parent),
      m_scene(scene),
      m_appearance(appearance),
      m_hint(new Hint([this](const QRect& area) { return hiddenBy(area); }, viewport())),
      m_title(new FrameTitle(*this))
{
    setFrameShape(NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setViewportUpdateMode(FullViewportUpdate);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Graph"));
    auto* breadcrumb = new Breadcrumb(m_scene, this);
    breadcrumb->move(space::m, space::s);
    connect(this, &ZoomView::moved, m_title, &FrameTitle::place);
    connect(this, &ZoomView::moved, &m_scene, [this] { m_scene.setZoom(zoom()); });
    connect(&m_scene, &GraphScene::changing, this, &GraphView::cancelGesture);
    connect(&m_scene, &GraphScene::pathChanged, this, [this] { m_title->end(false); });
    connect(&m_scene, &GraphScene::pathChanged, this, &GraphView::fitAll);
    connect(&appearance, &Appearance::changed, this, [this] { viewport()->update(); });
    // Who has the keyboard and is hidden hands it on as Tab would: no hand has pressed it.
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget* before, const QWidget* now) {
        m_showsFocus = m_showsFocus && now == this && (before == nullptr || before->isVisible());
    });
}

GraphView::~GraphView() = default;

QRectF GraphView::contentRect() const
{
    return m_scene.contentRect();
}

void GraphView::fitSelection()
{
    if (const QRectF picked = m_scene.pickedRect(); !picked.isEmpty())
        fitArea(picked);
    else
        fitAll();
}

void GraphView::reveal(NodeId id)
{
    if (m_scene.node(id) == nullptr)
        return;
    m_scene.select({id});
    revealPicked();
}

void GraphView::revealPicked()
{
    showArea(m_scene.pickedRect());
}

void GraphView::revealUnrolled(const std::set<NodeId>& ids)
{
    QRectF area;
    for (const NodeId id : ids)
        if (const UnrolledItem* item = m_scene.unrolled().item(id))
            area |= item->sceneBoundingRect();
    showAreaOrAll(area);
}

void GraphView::showChanged(const std::set<NodeId>& ids)
{
    QRectF area;
    for (const NodeId id : ids)
        if (const NodeItem* item = m_scene.node(id))
            area |= item->mapRectToScene(item->geometry().body());
    showAreaOrAll(area);
}

void GraphView::wheelEvent(QWheelEvent* event)
{
    event->accept();
    const bool zooms = !isTwoFingers(*event) || event->modifiers() & Qt::ControlModifier;
    if (zooms) {
        zoomBy(std::pow(kZoomPerNotch, event->angleDelta().y() / 120.0), event->position());
        return;
    }
    const QPointF delta =
        event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2 : QPointF(event->pixelDelta());
    panBy(-delta);
}

/// A dialog over the window takes the release that a gesture waits for.
bool GraphView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::WindowBlocked || event->type() == QEvent::Hide)
        cancelGesture();
    if (event->type() == QEvent::ToolTip && showPortTip(*static_cast<QHelpEvent*>(event)))
        return true;
    if (event->type() == QEvent::NativeGesture) {
        auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoomBy(1 + gesture->value(), gesture->position());
            return true;
        }
    }
    return ZoomView::viewportEvent(event);
}

void GraphView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Space:
        m_spaceHeld = true;
        showCursor();
        break;
    case Qt::Key_Escape:
        if (!m_gesture)
            m_scene.pick({});
        cancelGesture();
        break;
    case Qt::Key_Left: arrow({-1, 0}, event->modifiers()); break;
    case Qt::Key_Right: arrow({1, 0}, event->modifiers()); break;
    case Qt::Key_Up: arrow({0, -1}, event->modifiers()); break;
    case Qt::Key_Down: arrow({0, 1}, event->modifiers()); break;
    case Qt::Key_PageDown:
        if (m_scene.selection().size() == 1)
            m_scene.enter(*m_scene.selection().begin());
        break;
    case Qt::Key_PageUp: m_scene.leave(); break;
    default: event->ignore();
    }
}

/// Moves the selected nodes; with Ctrl it goes on to the next node that way.
void GraphView::arrow(const QPointF& direction, Qt::KeyboardModifiers keys)
{
    if (keys & Qt::ControlModifier) {
        m_scene.walk().towards(direction);
        revealPicked();
    } else {
        m_scene.moves().nudge(direction * (keys & Qt::ShiftModifier ? 10 * kCanvasGrid : kCanvasGrid));
    }
}

void GraphView::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat())
        releaseSpace();
}

/// The canvas has the keyboard nearly always: a ring tells so only while one goes about by keys.
void GraphView::focusInEvent(QFocusEvent* event)
{
    m_showsFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    ZoomView::focusInEvent(event);
    viewport()->update();
}

/// The releases of Space and of the mouse may go to whoever has the focus then.
void GraphView::focusOutEvent(QFocusEvent* event)
{
    m_showsFocus = false;
    releaseSpace();
    cancelGesture();
    ZoomView::focusOutEvent(event);
}

void GraphView::releaseSpace()
{
    m_spaceHeld = false;
    showCursor();
}

void GraphView::askForBlockHere()
{
    const QPoint screen = QCursor::pos(), hand = viewport()->mapFromGlobal(screen);
    const bool isOver = viewport()->rect().contains(hand), hasMoved = screen != std::exchange(m_lastHand, screen);
    const Picked picked = m_scene.picked();
    if (picked.wires.size() == 1 && picked.nodes.empty()) {
        revealPicked();
        return askOnWire(*m_scene.wire(*picked.wires.begin()), {-1, -1});
    }
    if (const WireItem* wire = isOver && hasMoved ? wireUnder(hand) : nullptr)
        return askOnWire(*wire, hand);
    if (!hasMoved && picked.nodes.size() == 1)
        return askForBlock(besideSelection());
    askForBlock(isOver ? hand : viewport()->rect().center());
}

/// At the point of the wire that is nearest to the hand, or in its middle.
void GraphView::askOnWire(const WireItem& wire, const QPoint& near)
{
    const QPoint at = viewport()->rect().contains(near) ? near : mapFromScene(wire.middle());
    Q_EMIT blockForWireAsked(at, wire.wire());
}

/// To the right of the node, level with its top.
QPoint GraphView::besideSelection() const
{
    const QRectF node = m_scene.nodesRect(true);
    return mapFromScene(node.topRight() + QPointF(kBesideGap, 0));
}

void GraphView::editTitle(FrameId id)
{
    if (m_scene.frame(id) == nullptr)
        return;
    m_scene.pick({{}, {}, {id}});
    revealPicked();
    m_title->edit(id);
}

/// Over a port, what that is; elsewhere what the item there says.
bool GraphView::showPortTip(const QHelpEvent& event)
{
    const auto end = portAt(m_scene, mapToScene(event.pos()), kPortReach);
    const NodeItem* node = end ? m_scene.node(end->port.node) : nullptr;
    const PortFace* port = node != nullptr ? node->port(end->port.port, end->isOutput) : nullptr;
    if (port == nullptr)
        return false;
    QToolTip::showText(event.globalPos(), portTip(*port, end->isOutput), viewport());
    return true;
}

/// Blocks are the canvas's; what else is dragged here is the window's.
void GraphView::dragEnterEvent(QDragEnterEvent* event)
{
    event->setAccepted(m_scene.registry().find(blockOf(*event->mimeData()).toStdString()) != nullptr);
}

void GraphView::dragMoveEvent(QDragMoveEvent* event)
{
    const QPointF at = mapToScene(event->position().toPoint()) - QPointF(kBlockGrip);
    const auto into = event->modifiers() & Qt::AltModifier
                          ? std::nullopt
                          : BlockAdder(m_scene).insertionOf(blockOf(*event->mimeData()).toStdString(), at);
    m_scene.lightWire(into ? &into->wire : nullptr);
    event->accept();
}

void GraphView::dragLeaveEvent(QDragLeaveEvent*)
{
    m_scene.lightWire(nullptr);
}

void GraphView::dropEvent(QDropEvent* event)
{
    m_scene.lightWire(nullptr);
    event->setDropAction(Qt::CopyAction);
    event->accept();
    Q_EMIT blockDropped(blockOf(*event->mimeData()), mapToScene(event->position().toPoint()) - QPointF(kBlockGrip),
                        !(event->modifiers() & Qt::AltModifier));
    setFocus();
}

} // namespace unroll
