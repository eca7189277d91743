// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/unrolled_cards.h"

#include "app/studio/canvas/graph_scene.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/translated.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kBelow = 4 * kCanvasGrid; ///< from a node to its card
constexpr double kClear = 2 * kCanvasGrid; ///< between a card and what else stands there
constexpr int kMostMovesDown = 60;         ///< down from a wire, each of kClear
constexpr double kOverlap = 2;             ///< of the bounding rectangle over the line's width

} // namespace

UnrolledItem::UnrolledItem(NodeId node, const Appearance& appearance) : m_node(node), m_appearance(appearance)
{
    setZValue(-0.5); // above wires, below nodes
}

bool UnrolledItem::setWhat(const Unrolled& what)
{
    if (m_drawing && m_drawing->what() == what)
        return false;
    layOut(what);
    setToolTip(what.isGroup
                   ? tr("%1 over five steps: the same nodes with the same weights at each. What they hand on goes from "
                        "step to step.")
                         .arg(what.name)
                   : tr("%1 (%2) over five steps, with the same weights at each: %3 goes from step to step.")
                         .arg(what.name, what.kind, what.cells.front().state));
    return true;
}

void UnrolledItem::layOut(const Unrolled& what)
{
    prepareGeometryChange();
    m_drawing = std::make_unique<UnrolledDrawing>(what, m_appearance);
    update();
}

void UnrolledItem::appearanceChanged()
{
    layOut(Unrolled(m_drawing->what()));
}

void UnrolledItem::place(const QPointF& corner, const QPointF& anchor)
{
    if (corner == pos() && anchor - corner == m_anchor)
        return;
    prepareGeometryChange();
    setPos(corner);
    m_anchor = anchor - corner;
}

QRectF UnrolledItem::boundingRect() const
{
    const QRectF body(QPointF(), m_drawing->size());
    return body.united(QRectF(m_anchor, QSizeF(1, 1))).adjusted(-kOverlap, -kOverlap, kOverlap, kOverlap);
}

QPainterPath UnrolledItem::shape() const
{
    QPainterPath path;
    path.addRect(QRectF(QPointF(), m_drawing->size()));
    return path;
}

void UnrolledItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const QSizeF size = m_drawing->size();
    const QPointF end(std::clamp(m_anchor.x(), space::radius, size.width() - space::radius), 0);
    painter->setPen(QPen(m_appearance.theme()[Theme::Role::WireLabel], 1.4, Qt::DashLine, Qt::RoundCap));
    painter->drawLine(m_anchor, end);
    m_drawing->paint(*painter);
}

bool UnrolledCards::canShow(NodeId node) const
{
    const Node* found = m_scene.shown().find(node);
    return found != nullptr && carriesState(*found, m_scene.registry());
}

void UnrolledCards::show(const std::set<NodeId>& nodes, bool on)
{
    for (const NodeId node : nodes)
        if (on && canShow(node))
            m_all.insert({m_scene.path(), node});
        else if (!on)
            m_all.erase({m_scene.path(), node});
    follow(false);
}

void UnrolledCards::setAll(std::set<Key> keys)
{
    m_all = std::move(keys);
    follow(false);
}

UnrolledItem* UnrolledCards::item(NodeId node) const
{
    const auto found = m_items.find(node);
    return found == m_items.end() ? nullptr : found->second;
}

NodeId UnrolledCards::nodeAt(const QPointF& at) const
{
    for (const auto& [node, item] : m_items)
        if (item->body().contains(at))
            return node;
    return 0;
}

QRectF UnrolledCards::rect() const
{
    QRectF rect;
    for (const auto& [node, item] : m_items)
        rect |= item->body();
    return rect;
}

void UnrolledCards::follow(bool isDrag)
{
    if (m_all.empty() && m_items.empty())
        return;
    if (isDrag) {
        for (const auto& [node, item] : m_items)
            if (const NodeItem* owner = m_scene.node(node))
                item->place(item->pos(), owner->pos() + QPointF(owner->geometry().size.width() / 2,
                                                                owner->geometry().size.height()));
        return;
    }
    std::map<NodeId, UnrolledItem*> before = std::exchange(m_items, {});
    for (const auto& [path, id] : m_all) {
        const Node* node = path == m_scene.path() ? m_scene.shown().find(id) : nullptr;
        if (node == nullptr || m_scene.node(id) == nullptr)
            continue;
        const auto what = unrolled(*node, m_scene.registry(), m_scene.level().checkedNode(*node));
        if (!what)
            continue;
        UnrolledItem*& item = m_items[id] = before[id];
        if (item == nullptr)
            item = new UnrolledItem(id, m_scene.appearance());
        item->setWhat(*what);
        if (item->scene() == nullptr)
            m_scene.addItem(item);
    }
    for (const auto& [id, item] : before)
        if (item != nullptr && !m_items.contains(id))
            delete item;
    placeAll();
}

void UnrolledCards::appearanceChanged()
{
    for (const auto& [node, item] : m_items)
        item->appearanceChanged();
}

/// The first place from this one down where it is clear of what is taken.
QRectF UnrolledCards::clearPlace(QRectF place, const std::vector<QRectF>& taken)
{
    const auto meets = [&](const QRectF& other) {
        return other.adjusted(-kClear, -kClear, kClear, kClear).intersects(place);
    };
    for (std::size_t tries = 0; tries <= taken.size(); ++tries)
        if (const auto other = std::find_if(taken.begin(), taken.end(), meets); other != taken.end())
            place.moveTop(kCanvasGrid * std::ceil((other->bottom() + kClear) / kCanvasGrid));
    return place;
}

/// Each below its node, and on down from what stands there; wires too are kept clear of, where that is near.
void UnrolledCards::placeAll()
{
    std::vector<QRectF> taken;
    for (const NodeItem* node : m_scene.nodeItems())
        taken.push_back(node->mapRectToScene(node->geometry().body()));
    for (const FrameItem* frame : m_scene.frameItems())
        taken.push_back(frame->mapRectToScene(frame->body()));
    const QList<WireItem*> wires = m_scene.wireItems();
    for (const auto& [id, item] : m_items) {
        const NodeItem& node = *m_scene.node(id);
        const QRectF body = node.mapRectToScene(node.geometry().body());
        const QPointF anchor(body.center().x(), body.bottom());
        const QSizeF size = item->drawing().size();
        const QRectF first =
            clearPlace(QRectF(snapped({anchor.x() - size.width() / 2, anchor.y() + kBelow}), size), taken);
        const auto isCrossed = [&](const QRectF& place) {
            const QRectF area = place.adjusted(-kCanvasGrid, -kCanvasGrid, kCanvasGrid, kCanvasGrid);
            return std::any_of(wires.begin(), wires.end(),
                               [&](const WireItem* wire) { return wire->runsThrough(area); });
        };
        QRectF place = first;
        for (int tries = 0; tries < kMostMovesDown && isCrossed(place); ++tries)
            place = clearPlace(place.translated(0, kClear), taken);
        if (isCrossed(place))
            place = first;
        item->place(place.topLeft(), anchor);
        taken.push_back(place);
    }
}

} // namespace unroll
