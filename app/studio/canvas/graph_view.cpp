// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/graph_view.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QApplication>
#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>
#include <cmath>

namespace unroll {

namespace {

constexpr double zoomPerNotch = 1.15;
constexpr double fitMargin = 40; ///< px around the graph
constexpr double farAway = 1e6;  ///< scene units; panning meets no end
constexpr double dotWidth = 1.5; ///< px

bool isTwoFingers(const QWheelEvent& event)
{
    return event.device()->type() == QInputDevice::DeviceType::TouchPad || !event.pixelDelta().isNull();
}

/// One dot of the grid in the middle of a square of whole pixels.
QImage dotImage(double ratio, const QColor& canvas, const QColor& dot)
{
    const double wide = dotWidth * ratio;
    const int side = 2 * static_cast<int>(std::ceil((wide - 1) / 2)) + 1;
    QImage image(side, side, QImage::Format_RGB32);
    image.fill(canvas);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(dot);
    painter.drawEllipse(QPointF(side / 2.0, side / 2.0), wide / 2, wide / 2);
    return image;
}

/// A dot at every second grid point of the area `exposed` (scene coordinates), as wide at every zoom. Each stands on the pixel nearest to its
/// place in the scene, wherever the view is scrolled to: all dots look alike, and panning moves them as it moves the nodes. One row is put
/// together and then copied downward; thousands of round points, one by one, take tens of milliseconds.
void paintDots(QPainter& painter, const QRectF& exposed, const QColor& canvas, const QColor& color)
{
    const double ratio = painter.device()->devicePixelRatioF();
    const QTransform view = painter.worldTransform();
    const double gap = 2 * canvasGrid * view.m11() * ratio; // pixels, as everything from here on
    const double originX = std::round(view.dx() * ratio), originY = std::round(view.dy() * ratio);
    const QRectF area = view.mapRect(exposed);
    const double left = std::floor(area.left() * ratio), right = area.right() * ratio;
    const double top = area.top() * ratio, bottom = area.bottom() * ratio;
    const auto place = [gap](double origin, double number) { return origin + std::floor(number * gap + 0.5); };

    const QImage dot = dotImage(ratio, canvas, color);
    const int reach = dot.width() / 2;
    QImage row(static_cast<int>(std::ceil(right - left)), dot.height(), QImage::Format_RGB32);
    row.fill(canvas);
    {
        QPainter columns(&row);
        for (double i = std::floor((left - originX) / gap) - 1; place(originX, i) - reach < right; ++i)
            columns.drawImage(static_cast<int>(place(originX, i) - left) - reach, 0, dot);
    }
    painter.save();
    painter.setWorldTransform(QTransform::fromScale(1 / ratio, 1 / ratio));
    for (double i = std::floor((top - originY) / gap) - 1; place(originY, i) - reach < bottom; ++i)
        painter.drawImage(QPointF(left, place(originY, i) - reach), row);
    painter.restore();
}

} // namespace

GraphView::GraphView(GraphScene& scene, const Appearance& appearance, QWidget* parent)
    : QGraphicsView(&scene, parent),
      m_scene(scene),
      m_appearance(appearance),
      m_zoomLabel(new QLabel(this)),
      m_pathLabel(new QLabel(this))
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
    m_pathLabel->setAttribute(Qt::WA_TransparentForMouseEvents);
    connect(&m_scene, &GraphScene::pathChanged, this, [this] {
        showPath();
        fitAll();
    });
    connect(&appearance, &Appearance::changed, this, [this] { viewport()->update(); });
    setSceneRect(-farAway, -farAway, 2 * farAway, 2 * farAway);
    showZoom();
    showPath();
}

void GraphView::zoomBy(double factor, const QPointF& anchor)
{
    m_staysFitted = false;
    const double wanted = std::clamp(zoom() * factor, leastZoom, greatestZoom);
    const QPointF before = mapToScene(anchor.toPoint());
    setTransform(QTransform::fromScale(wanted, wanted));
    panBy(QPointF(mapFromScene(before)) - anchor);
    showZoom();
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
}

void GraphView::fitAll()
{
    m_staysFitted = true;
    const QRectF nodes = m_scene.nodesRect(false);
    if (nodes.isEmpty() || viewport()->width() < 2 * fitMargin)
        return;
    const double wide = (viewport()->width() - 2 * fitMargin) / nodes.width();
    const double high = (viewport()->height() - 2 * fitMargin) / nodes.height();
    const double wanted = std::clamp(std::min(wide, high), leastZoom, 1.0);
    setTransform(QTransform::fromScale(wanted, wanted));
    centerOn(nodes.center());
    showZoom();
}

void GraphView::fitSelection()
{
    m_staysFitted = false;
    const QRectF nodes = m_scene.nodesRect(true);
    if (nodes.isEmpty()) {
        fitAll();
        return;
    }
    const double wide = (viewport()->width() - 2 * fitMargin) / nodes.width();
    const double high = (viewport()->height() - 2 * fitMargin) / nodes.height();
    const double wanted = std::clamp(std::min(wide, high), leastZoom, greatestZoom);
    setTransform(QTransform::fromScale(wanted, wanted));
    centerOn(nodes.center());
    showZoom();
}

void GraphView::reveal(NodeId id)
{
    const NodeItem* item = m_scene.node(id);
    if (item == nullptr)
        return;
    m_scene.select({id});
    m_staysFitted = false;
    ensureVisible(item->mapRectToScene(item->geometry().body()), 40, 40);
}

void GraphView::mousePressEvent(QMouseEvent* event)
{
    m_pressed = m_last = event->position();
    m_moved = false;
    const bool pans = event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && m_spaceHeld);
    if (pans) {
        m_gesture = Gesture::Pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    m_selectedBefore = m_scene.selection();
    if (NodeItem* node = m_scene.nodeAt(mapToScene(event->position().toPoint()))) {
        pressNode(node, event);
        return;
    }
    m_gesture = Gesture::Box;
    if (!(event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier)))
        m_scene.select({});
}

void GraphView::pressNode(NodeItem* node, QMouseEvent* event)
{
    auto selected = m_selectedBefore;
    if (event->modifiers() & Qt::ControlModifier) {
        if (!selected.erase(node->id()))
            selected.insert(node->id());
    } else if (event->modifiers() & Qt::ShiftModifier) {
        selected.insert(node->id());
    } else if (!selected.contains(node->id())) {
        selected = {node->id()};
    }
    m_scene.select(selected);
    m_grabbed = node->id();
    m_gesture = selected.contains(node->id()) ? Gesture::Drag : Gesture::None;
}

void GraphView::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (m_gesture == Gesture::None)
        return;
    m_moved = m_moved || (at - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (m_gesture == Gesture::Pan) {
        panBy(m_last - at);
        m_last = at;
    } else if (m_moved && m_gesture == Gesture::Drag) {
        const QPointF offset = (at - m_pressed) / zoom();
        m_scene.previewMove(m_grabbed, offset, event->modifiers() & Qt::AltModifier);
    } else if (m_moved) {
        moveBox(at, event->modifiers());
    }
}

void GraphView::moveBox(const QPointF& at, Qt::KeyboardModifiers modifiers)
{
    m_box = QRectF(mapToScene(m_pressed.toPoint()), mapToScene(at.toPoint())).normalized();
    std::set<NodeId> inside;
    for (const NodeItem* item : m_scene.nodeItems())
        if (m_box.intersects(item->mapRectToScene(item->geometry().body())))
            inside.insert(item->id());
    auto selected = m_selectedBefore;
    if (modifiers & Qt::ControlModifier)
        std::erase_if(selected, [&](NodeId id) { return inside.contains(id); });
    else if (modifiers & Qt::ShiftModifier)
        selected.merge(inside);
    else
        selected = inside;
    m_scene.select(selected);
    viewport()->update();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event)
{
    const bool plain = !(event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier));
    if (m_gesture == Gesture::Drag && m_moved)
        m_scene.commitMove();
    else if (m_gesture == Gesture::Drag && plain)
        m_scene.select({m_grabbed});
    endGesture();
}

void GraphView::endGesture()
{
    m_gesture = Gesture::None;
    m_box = {};
    viewport()->setCursor(m_spaceHeld ? Qt::OpenHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const NodeItem* node = m_scene.nodeAt(mapToScene(event->position().toPoint()));
    if (event->button() == Qt::LeftButton && node != nullptr)
        m_scene.enter(node->id());
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

bool GraphView::viewportEvent(QEvent* event)
{
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
    const double step = event->modifiers() & Qt::ShiftModifier ? 10 * canvasGrid : canvasGrid;
    switch (event->key()) {
    case Qt::Key_Space:
        m_spaceHeld = true;
        if (m_gesture == Gesture::None)
            viewport()->setCursor(Qt::OpenHandCursor);
        break;
    case Qt::Key_Escape:
        m_scene.cancelMove();
        if (m_gesture == Gesture::None)
            m_scene.select({});
        endGesture();
        break;
    case Qt::Key_Left: m_scene.nudgeSelection({-step, 0}); break;
    case Qt::Key_Right: m_scene.nudgeSelection({step, 0}); break;
    case Qt::Key_Up: m_scene.nudgeSelection({0, -step}); break;
    case Qt::Key_Down: m_scene.nudgeSelection({0, step}); break;
    case Qt::Key_PageDown:
        if (m_scene.selection().size() == 1)
            m_scene.enter(*m_scene.selection().begin());
        break;
    case Qt::Key_PageUp: m_scene.leave(); break;
    default: event->ignore();
    }
}

void GraphView::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat())
        releaseSpace();
}

/// The release of Space would go to whoever has the focus then.
void GraphView::focusOutEvent(QFocusEvent* event)
{
    releaseSpace();
    QGraphicsView::focusOutEvent(event);
}

void GraphView::releaseSpace()
{
    m_spaceHeld = false;
    if (m_gesture == Gesture::None)
        viewport()->setCursor(Qt::ArrowCursor);
}

void GraphView::showZoom()
{
    m_zoomLabel->setText(tr("%1 %").arg(qRound(zoom() * 100)));
    m_zoomLabel->adjustSize();
    m_zoomLabel->move(width() - m_zoomLabel->width() - space::m, height() - m_zoomLabel->height() - space::s);
}

void GraphView::showPath()
{
    const QStringList names = m_scene.pathNames();
    m_pathLabel->setText((QStringList(tr("Graph")) + names).join(QStringLiteral("  ›  ")));
    m_pathLabel->adjustSize();
    m_pathLabel->move(space::m, space::s);
    m_pathLabel->setVisible(!names.isEmpty());
}

void GraphView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    if (m_staysFitted)
        fitAll();
    showZoom();
}

void GraphView::drawBackground(QPainter* painter, const QRectF& rect)
{
    const Theme& theme = m_appearance.theme();
    painter->fillRect(rect, theme[Theme::Role::Canvas]);
    if (zoom() >= 0.5)
        paintDots(*painter, rect, theme[Theme::Role::Canvas], theme[Theme::Role::CanvasDot]);
}

void GraphView::drawForeground(QPainter* painter, const QRectF&)
{
    const Theme& theme = m_appearance.theme();
    if (m_scene.shown().nodes.empty()) {
        painter->save();
        painter->resetTransform();
        painter->setFont(m_appearance.font(Type::Body));
        painter->setPen(theme[Theme::Role::TextDim]);
        painter->drawText(viewport()->rect(), Qt::AlignCenter,
                          tr("The network will stand here, node by node.\nOpen an experiment from the File menu."));
        painter->restore();
    }
    if (m_box.isEmpty())
        return;
    QColor fill = theme[Theme::Role::BoxSelect];
    QPen pen(fill, devicePixelRatioF());
    pen.setCosmetic(true);
    painter->setPen(pen);
    fill.setAlpha(30);
    painter->setBrush(fill);
    painter->drawRect(m_box);
}

} // namespace unroll
