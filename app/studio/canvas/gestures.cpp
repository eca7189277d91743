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
    : Gesture(pressed), m_view(view), m_before(view.graphScene().selection())
{
    if (!(keys & (Qt::ShiftModifier | Qt::ControlModifier)))
        view.graphScene().select({});
}

void BoxGesture::drag(const QPointF& at, Qt::KeyboardModifiers keys)
{
    m_box = QRectF(m_view.mapToScene(pressed().toPoint()), m_view.mapToScene(at.toPoint())).normalized();
    std::set<NodeId> inside;
    for (const NodeItem* item : m_view.graphScene().nodeItems())
        if (m_box.intersects(item->mapRectToScene(item->geometry().body())))
            inside.insert(item->id());
    auto selected = m_before;
    if (keys & Qt::ControlModifier)
        std::erase_if(selected, [&](NodeId id) { return inside.contains(id); });
    else if (keys & Qt::ShiftModifier)
        selected.merge(inside);
    else
        selected = inside;
    m_view.graphScene().select(selected);
    m_view.viewport()->update();
}

void BoxGesture::drop(const QPointF&, Qt::KeyboardModifiers) {}

void BoxGesture::cancel()
{
    m_view.graphScene().select(m_before);
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
    : Gesture(pressed), m_view(view), m_grabbed(grabbed)
{
    auto selected = view.graphScene().selection();
    if (keys & Qt::ControlModifier) {
        if (!selected.erase(grabbed))
            selected.insert(grabbed);
    } else if (keys & Qt::ShiftModifier) {
        selected.insert(grabbed);
    } else if (!selected.contains(grabbed)) {
        selected = {grabbed};
    }
    view.graphScene().select(selected);
    m_moves = selected.contains(grabbed);
}

void MoveGesture::drag(const QPointF& at, Qt::KeyboardModifiers keys)
{
    if (!m_moves)
        return;
    GraphScene& scene = m_view.graphScene();
    const bool free = keys & Qt::AltModifier;
    scene.previewMove(m_grabbed, (at - pressed()) / m_view.zoom(), free);
    m_insertion = free ? std::nullopt : insertionUnder(scene, m_grabbed);
    scene.lightWire(m_insertion ? &m_insertion->wire : nullptr);
}

void MoveGesture::drop(const QPointF&, Qt::KeyboardModifiers)
{
    if (!m_moves)
        return;
    m_view.graphScene().lightWire(nullptr);
    m_view.graphScene().commitMove(m_insertion);
}

void MoveGesture::click(Qt::KeyboardModifiers keys)
{
    if (m_moves && !(keys & (Qt::ShiftModifier | Qt::ControlModifier)))
        m_view.graphScene().select({m_grabbed});
}

void MoveGesture::cancel()
{
    m_view.graphScene().lightWire(nullptr);
    m_view.graphScene().cancelMove();
}

} // namespace unroll
