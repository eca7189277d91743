// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/gestures.h"

#include "app/studio/canvas/graph_view.h"
#include "app/studio/theme/appearance.h"

#include <QApplication>
#include <QPainter>

namespace unroll {

void Gesture::moveTo(const QPointF& at, Qt::KeyboardModifiers keys)
{
    m_moved = m_moved || (at - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (m_moved)
        drag(at, keys);
}

void Gesture::release(const QPointF& at, Qt::KeyboardModifiers keys)
{
    if (m_moved)
        drop(at, keys);
    else
        click(keys);
}

PanGesture::PanGesture(GraphView& view, const QPointF& pressed, std::function<void()> clicked)
    : Gesture(pressed), m_view(view), m_last(pressed), m_clicked(std::move(clicked))
{}

void PanGesture::drag(const QPointF& at, Qt::KeyboardModifiers)
{
    m_view.panBy(m_last - at);
    m_last = at;
}

void PanGesture::drop(const QPointF&, Qt::KeyboardModifiers) {}

void PanGesture::click(Qt::KeyboardModifiers)
{
    if (m_clicked)
        m_clicked();
}

BoxGesture::BoxGesture(GraphView& view, const QPointF& pressed, Qt::KeyboardModifiers keys)
    : Gesture(pressed), m_view(view), m_before(view.graphScene().picked())
{
    if (!(keys & (Qt::ShiftModifier | Qt::ControlModifier)))
        view.graphScene().pick({});
}

void BoxGesture::drag(const QPointF& at, Qt::KeyboardModifiers keys)
{
    m_box = QRectF(m_view.mapToScene(pressed().toPoint()), m_view.mapToScene(at.toPoint())).normalized();
    Picked inside;
    for (const NodeItem* item : m_view.graphScene().nodeItems())
        if (m_box.intersects(item->mapRectToScene(item->geometry().body())))
            inside.nodes.insert(item->id());
    for (const FrameItem* item : m_view.graphScene().frameItems())
        if (m_box.contains(item->mapRectToScene(item->body())))
            inside.frames.insert(item->id());
    Picked picked = m_before;
    if (keys & Qt::ControlModifier) {
        std::erase_if(picked.nodes, [&](NodeId id) { return inside.nodes.contains(id); });
        std::erase_if(picked.frames, [&](FrameId id) { return inside.frames.contains(id); });
    } else if (keys & Qt::ShiftModifier) {
        picked.nodes.merge(inside.nodes);
        picked.frames.merge(inside.frames);
    } else {
        picked = inside;
    }
    m_view.graphScene().pick(picked);
    m_view.viewport()->update();
}

void BoxGesture::drop(const QPointF&, Qt::KeyboardModifiers) {}

void BoxGesture::click(Qt::KeyboardModifiers keys)
{
    const WireItem* wire = m_view.wireUnder(pressed());
    if (wire == nullptr)
        return;
    Picked picked = m_view.graphScene().picked();
    if (!(keys & Qt::ControlModifier) || picked.wires.erase(wire->wire()) == 0)
        picked.wires.insert(wire->wire());
    m_view.graphScene().pick(picked);
}

void BoxGesture::cancel()
{
    m_view.graphScene().pick(m_before);
}

void BoxGesture::paint(QPainter& painter) const
{
    QColor fill = m_view.appearance().theme()[Theme::Role::BoxSelect];
    QPen pen(fill, m_view.devicePixelRatioF());
    pen.setCosmetic(true);
    painter.setPen(pen);
    fill.setAlpha(30);
    painter.setBrush(fill);
    painter.drawRect(m_box);
}

MoveGesture::MoveGesture(GraphView& view, const QPointF& pressed, NodeId grabbed, Qt::KeyboardModifiers keys)
    : Gesture(pressed), m_view(view), m_node(grabbed)
{
    if (const Node* node = view.graphScene().shown().find(grabbed))
        m_anchor = pointOf(node->place);
    take(keys);
}

MoveGesture::MoveGesture(GraphView& view, const QPointF& pressed, const FrameItem& grabbed, Qt::KeyboardModifiers keys)
    : Gesture(pressed), m_view(view), m_frame(grabbed.id()), m_anchor(pointOf(grabbed.frame().place))
{
    take(keys);
}

Picked MoveGesture::grabbed() const
{
    return m_frame != 0 ? Picked{{}, {}, {m_frame}} : Picked{{m_node}, {}, {}};
}

void MoveGesture::take(Qt::KeyboardModifiers keys)
{
    Picked picked = m_view.graphScene().picked();
    const bool isIn = m_frame != 0 ? picked.frames.contains(m_frame) : picked.nodes.contains(m_node);
    if (!isIn && !(keys & (Qt::ControlModifier | Qt::ShiftModifier)))
        picked = {};
    m_moves = !(isIn && (keys & Qt::ControlModifier));
    if (m_frame != 0 && m_moves)
        picked.frames.insert(m_frame);
    else if (m_frame != 0)
        picked.frames.erase(m_frame);
    else if (m_moves)
        picked.nodes.insert(m_node);
    else
        picked.nodes.erase(m_node);
    m_view.graphScene().pick(picked);
}

void MoveGesture::drag(const QPointF& at, Qt::KeyboardModifiers keys)
{
    if (!m_moves)
        return;
    GraphScene& scene = m_view.graphScene();
    const bool free = keys & Qt::AltModifier;
    scene.moves().show(m_anchor, (at - pressed()) / m_view.zoom(), free);
    m_insertion = free || m_frame != 0 ? std::nullopt : insertionUnder(scene, m_node);
    scene.lightWire(m_insertion ? &m_insertion->wire : nullptr);
}

void MoveGesture::drop(const QPointF&, Qt::KeyboardModifiers)
{
    if (!m_moves)
        return;
    m_view.graphScene().lightWire(nullptr);
    m_view.graphScene().moves().commit(m_insertion);
}

void MoveGesture::click(Qt::KeyboardModifiers keys)
{
    if (m_moves && !(keys & (Qt::ShiftModifier | Qt::ControlModifier)))
        m_view.graphScene().pick(grabbed());
}

void MoveGesture::cancel()
{
    m_view.graphScene().lightWire(nullptr);
    m_view.graphScene().moves().cancel();
}

ResizeGesture::ResizeGesture(GraphView& view, const QPointF& pressed, const FrameGrip& grip)
    : Gesture(pressed), m_view(view), m_before(view.graphScene().shown().frames.at(grip.frame)), m_edges(grip.edges)
{
    view.graphScene().pick({{}, {}, {grip.frame}});
}

Qt::CursorShape ResizeGesture::cursorFor(Qt::Edges edges)
{
    const bool across = edges & (Qt::LeftEdge | Qt::RightEdge), along = edges & (Qt::TopEdge | Qt::BottomEdge);
    if (!across || !along)
        return across ? Qt::SizeHorCursor : Qt::SizeVerCursor;
    const bool falls = edges.testFlag(Qt::LeftEdge) == edges.testFlag(Qt::TopEdge);
    return falls ? Qt::SizeFDiagCursor : Qt::SizeBDiagCursor;
}

void ResizeGesture::drag(const QPointF& at, Qt::KeyboardModifiers)
{
    m_view.graphScene().moves().show(resized(m_before, m_edges, (at - pressed()) / m_view.zoom()));
    m_view.viewport()->update();
}

void ResizeGesture::drop(const QPointF&, Qt::KeyboardModifiers)
{
    m_view.graphScene().moves().commit();
}

void ResizeGesture::click(Qt::KeyboardModifiers) {}

void ResizeGesture::cancel()
{
    m_view.graphScene().moves().cancel();
}

} // namespace unroll
