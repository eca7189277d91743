// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/graph_view.h"

#include "app/studio/canvas/block_mime.h"
#include "app/studio/canvas/breadcrumb.h"
#include "app/studio/canvas/gestures.h"
#include "app/studio/canvas/wire_gesture.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

constexpr double zoomPerNotch = 1.15;
constexpr double fitMargin = 40;   ///< px around the graph
constexpr double fitShare = 0.125; ///< of a small view that the margin takes at most, on each side
constexpr double farAway = 1e6;    ///< scene units; panning meets no end
constexpr double wireReach = 5;    ///< px beside a wire
constexpr double edgeReach = 5;    ///< px beside the edge of a comment
constexpr int revealMargin = 40;   ///< px around what is brought into view
constexpr double besideGap = 100;  ///< scene units from a node to the one that is added beside it
constexpr int leastTitle = 160;    ///< px: the field for a title

bool isTwoFingers(const QWheelEvent& event)
{
    return event.device()->type() == QInputDevice::DeviceType::TouchPad || !event.pixelDelta().isNull();
}

/// Keeps its letters from the canvas's keys.
class TitleField : public QLineEdit {
public:
    using QLineEdit::QLineEdit;

protected:
    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::ShortcutOverride) {
            event->accept();
            return true;
        }
        return QLineEdit::event(event);
    }
};

} // namespace

GraphView::GraphView(GraphScene& scene, const Appearance& appearance, QWidget* parent)
    : QGraphicsView(&scene, parent),
      m_scene(scene),
      m_appearance(appearance),
      m_hint(new Hint([this](const QRect& area) { return hiddenBy(area); }, viewport())),
      m_title(new TitleField(viewport())),
      m_zoomLabel(new QLabel(this))
{
    setFrameShape(NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setViewportUpdateMode(FullViewportUpdate);
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(NoAnchor);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Graph"));
    m_zoomLabel->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_zoomLabel->setProperty("tone", "dim");
    auto* breadcrumb = new Breadcrumb(m_scene, this);
    breadcrumb->move(space::m, space::s);
    m_title->setObjectName("frameTitle");
    m_title->setAccessibleName(tr("Comment"));
    m_title->installEventFilter(this);
    m_title->hide();
    connect(m_title, &QLineEdit::editingFinished, this, [this] { endTitle(true); });
    connect(&m_scene, &GraphScene::changing, this, &GraphView::cancelGesture);
    connect(&m_scene, &GraphScene::pathChanged, this, [this] { endTitle(false); });
    connect(&m_scene, &GraphScene::pathChanged, this, &GraphView::fitAll);
    connect(&appearance, &Appearance::changed, this, [this] { viewport()->update(); });
    // Who has the keyboard and is hidden hands it on as Tab would: no hand has pressed it.
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget* before, const QWidget* now) {
        m_showsFocus = m_showsFocus && now == this && (before == nullptr || before->isVisible());
    });
    setSceneRect(-farAway, -farAway, 2 * farAway, 2 * farAway);
    showZoom();
}

GraphView::~GraphView() = default;

void GraphView::zoomBy(double factor, const QPointF& anchor)
{
    m_staysFitted = false;
    const double wanted = std::clamp(zoom() * factor, leastZoom, greatestZoom);
    const QPointF before = mapToScene(anchor.toPoint());
    setTransform(QTransform::fromScale(wanted, wanted));
    panBy(QPointF(mapFromScene(before)) - anchor);
    showZoom();
    placeTitle();
}

void GraphView::zoomBy(double factor)
{
    zoomBy(factor, QRectF(viewport()->rect()).center());
}

void GraphView::panBy(const QPointF& pixels)
{
    m_staysFitted = false;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + qRound(pixels.x()));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + qRound(pixels.y()));
    placeTitle();
}

void GraphView::fitAll()
{
    m_staysFitted = true;
    if (const QRectF content = m_scene.contentRect(); !content.isEmpty())
        fit(content, 1.0);
}

void GraphView::fitSelection()
{
    m_staysFitted = false;
    if (const QRectF picked = m_scene.pickedRect(); !picked.isEmpty())
        fit(picked, greatestZoom);
    else
        fitAll();
}

/// A view that has no room yet is fitted when it gets some.
void GraphView::fit(const QRectF& area, double greatest)
{
    const QSizeF view = viewport()->size();
    const QSizeF room(view.width() - 2 * std::min(fitMargin, fitShare * view.width()),
                      view.height() - 2 * std::min(fitMargin, fitShare * view.height()));
    if (room.isEmpty())
        return;
    const double wanted = std::min(room.width() / area.width(), room.height() / area.height());
    const double scale = std::clamp(wanted, leastZoom, greatest);
    setTransform(QTransform::fromScale(scale, scale));
    centerOn(area.center());
    showZoom();
    placeTitle();
}

void GraphView::reveal(NodeId id)
{
    const NodeItem* item = m_scene.node(id);
    if (item == nullptr)
        return;
    m_scene.select({id});
    revealPicked();
}

void GraphView::revealPicked()
{
    const QRectF area = m_scene.pickedRect();
    if (area.isEmpty() || mapToScene(viewport()->rect()).boundingRect().contains(area))
        return;
    m_staysFitted = false;
    ensureVisible(area, revealMargin, revealMargin);
    placeTitle();
}

void GraphView::showChanged(const std::set<NodeId>& ids)
{
    QRectF area;
    for (const NodeId id : ids)
        if (const NodeItem* item = m_scene.node(id))
            area |= item->mapRectToScene(item->geometry().body());
    const QRectF view = mapToScene(viewport()->rect()).boundingRect();
    if (area.isEmpty() || view.contains(area))
        return;
    if (area.width() > view.width() || area.height() > view.height())
        return fitAll();
    m_staysFitted = false;
    ensureVisible(area, revealMargin, revealMargin);
    placeTitle();
}

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
    if (const auto end = m_scene.portAt(scene, portReach); end && plain)
        return std::make_unique<WireGesture>(*this, at, *end);
    if (const NodeItem* node = m_scene.nodeAt(scene))
        return std::make_unique<MoveGesture>(*this, at, node->id(), event.modifiers());
    if (const auto grip = m_scene.gripAt(scene, edgeReach / zoom())) {
        if (grip->edges && plain)
            return std::make_unique<ResizeGesture>(*this, at, *grip);
        return std::make_unique<MoveGesture>(*this, at, *m_scene.frame(grip->frame), event.modifiers());
    }
    return std::make_unique<BoxGesture>(*this, at, event.modifiers());
}

/// The wires of a port, or the wire itself.
bool GraphView::breakAt(const QPointF& scene)
{
    if (const auto end = m_scene.portAt(scene, portReach)) {
        m_scene.breakWires(*end);
        return true;
    }
    if (m_scene.nodeAt(scene) != nullptr)
        return false;
    const WireItem* wire = m_scene.wireAt(scene, wireReach / zoom());
    return wire != nullptr && m_scene.apply(edits::disconnect(wire->wire()));
}

WireItem* GraphView::wireUnder(const QPointF& at) const
{
    const QPointF scene = mapToScene(at.toPoint());
    return m_scene.nodeAt(scene) != nullptr ? nullptr : m_scene.wireAt(scene, wireReach / zoom());
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
    m_hovered = m_scene.nodeAt(at) == nullptr ? m_scene.gripAt(at, edgeReach / zoom()) : std::nullopt;
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

/// A node: into the group. A comment: its title. A wire: a block that goes into it. Empty canvas: a block for this place.
void GraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_gesture)
        return;
    const QPointF at = mapToScene(event->position().toPoint());
    if (const NodeItem* node = m_scene.nodeAt(at))
        m_scene.enter(node->id());
    else if (const auto grip = m_scene.gripAt(at, edgeReach / zoom()); grip && !grip->edges)
        editTitle(grip->frame);
    else if (const WireItem* wire = wireUnder(event->position()))
        askOnWire(*wire, event->position().toPoint());
    else
        askForBlock(event->position().toPoint());
}

void GraphView::wheelEvent(QWheelEvent* event)
{
    event->accept();
    const bool zooms = !isTwoFingers(*event) || event->modifiers() & Qt::ControlModifier;
    if (zooms) {
        zoomBy(std::pow(zoomPerNotch, event->angleDelta().y() / 120.0), event->position());
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
    return QGraphicsView::viewportEvent(event);
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
        m_scene.selectTowards(direction);
        revealPicked();
    } else {
        m_scene.nudgeSelection(direction * (keys & Qt::ShiftModifier ? 10 * canvasGrid : canvasGrid));
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
    QGraphicsView::focusInEvent(event);
    viewport()->update();
}

/// The releases of Space and of the mouse may go to whoever has the focus then.
void GraphView::focusOutEvent(QFocusEvent* event)
{
    m_showsFocus = false;
    releaseSpace();
    cancelGesture();
    QGraphicsView::focusOutEvent(event);
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
    return mapFromScene(node.topRight() + QPointF(besideGap, 0));
}

void GraphView::editTitle(FrameId id)
{
    const FrameItem* item = m_scene.frame(id);
    if (item == nullptr)
        return;
    m_scene.pick({{}, {}, {id}});
    revealPicked();
    m_titled = id;
    m_title->setText(QString::fromStdString(item->frame().title));
    placeTitle();
    m_title->show();
    m_title->selectAll();
    m_title->setFocus();
}

void GraphView::placeTitle()
{
    const FrameItem* item = m_titled == 0 ? nullptr : m_scene.frame(m_titled);
    if (item == nullptr)
        return;
    const QRect strip = mapFromScene(item->mapRectToScene(item->titleRect())).boundingRect();
    const int height = m_title->sizeHint().height();
    m_title->setGeometry(strip.left(), strip.center().y() - height / 2, std::max(leastTitle, strip.width()), height);
}

/// The field goes first: what the edit does must not end it again.
void GraphView::endTitle(bool keeps)
{
    const FrameId id = std::exchange(m_titled, 0);
    const FrameItem* item = id == 0 ? nullptr : m_scene.frame(id);
    const bool hadFocus = m_title->hasFocus();
    m_title->hide();
    if (hadFocus)
        setFocus();
    if (!keeps || item == nullptr)
        return;
    Frame frame = item->frame();
    frame.title = m_title->text().trimmed().toStdString();
    if (frame.title != item->frame().title)
        m_scene.changeFrame(frame);
}

bool GraphView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_title && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        endTitle(false);
        return true;
    }
    return QGraphicsView::eventFilter(watched, event);
}

/// Over a port, what that is; elsewhere what the item there says.
bool GraphView::showPortTip(const QHelpEvent& event)
{
    const auto end = m_scene.portAt(mapToScene(event.pos()), portReach);
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
    const bool known = m_scene.registry().find(blockOf(*event->mimeData()).toStdString()) != nullptr;
    event->setAccepted(known);
}

void GraphView::dragMoveEvent(QDragMoveEvent* event)
{
    const QPointF at = mapToScene(event->position().toPoint()) - QPointF(blockGrip);
    const auto into = event->modifiers() & Qt::AltModifier
                          ? std::nullopt
                          : m_scene.insertionOf(blockOf(*event->mimeData()).toStdString(), at);
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
    Q_EMIT blockDropped(blockOf(*event->mimeData()), mapToScene(event->position().toPoint()) - QPointF(blockGrip),
                        !(event->modifiers() & Qt::AltModifier));
    setFocus();
}

void GraphView::showZoom()
{
    m_zoomLabel->setText(tr("%1 %").arg(qRound(zoom() * 100)));
    m_zoomLabel->adjustSize();
    m_zoomLabel->move(width() - m_zoomLabel->width() - space::m, height() - m_zoomLabel->height() - space::s);
}

void GraphView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    if (m_staysFitted)
        fitAll();
    showZoom();
    placeTitle();
}

} // namespace unroll
