// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/frame_item.h"

#include "app/studio/canvas/node_geometry.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionGraphicsItem>

namespace unroll {

namespace {

constexpr double kLeastLetters = 11;   ///< px: from afar the title is drawn larger than its strip
constexpr double kLargestLetters = 34; ///< scene units

/// Round above, straight below.
QPainterPath titleStrip(const QRectF& area)
{
    const double r = space::radius;
    QPainterPath path(area.bottomLeft());
    path.lineTo(area.left(), area.top() + r);
    path.arcTo(area.left(), area.top(), 2 * r, 2 * r, 180, -90);
    path.lineTo(area.right() - r, area.top());
    path.arcTo(area.right() - 2 * r, area.top(), 2 * r, 2 * r, 90, -90);
    path.lineTo(area.bottomRight());
    path.closeSubpath();
    return path;
}

} // namespace

FrameItem::FrameItem(FrameId id, const Appearance& appearance) : m_id(id), m_appearance(appearance)
{
    setFlag(ItemIsSelectable);
}

void FrameItem::setFrame(const Frame& frame)
{
    if (frame == m_frame)
        return;
    prepareGeometryChange();
    m_frame = frame;
    setPos(pointOf(frame.place));
    setZValue(-2 - 1e-9 * frame.width * frame.height);
    setToolTip(QString::fromStdString(frame.title));
    update();
}

std::optional<FrameGrip> FrameItem::gripAt(const QPointF& at, double reach) const
{
    const QPointF own = mapFromScene(at);
    const QRectF area = body();
    if (!area.adjusted(-reach, -reach, reach, reach).contains(own))
        return std::nullopt;
    Qt::Edges edges;
    edges.setFlag(Qt::LeftEdge, own.x() - area.left() <= reach);
    edges.setFlag(Qt::RightEdge, area.right() - own.x() <= reach);
    edges.setFlag(Qt::TopEdge, own.y() - area.top() <= reach);
    edges.setFlag(Qt::BottomEdge, area.bottom() - own.y() <= reach);
    if (edges)
        return FrameGrip{m_id, edges};
    return titleRect().contains(own) ? std::optional(FrameGrip{m_id, {}}) : std::nullopt;
}

QRectF FrameItem::boundingRect() const
{
    return body().adjusted(-6, -6, 6, 6);
}

/// What can be taken hold of: inside it the hand is on the canvas.
QPainterPath FrameItem::shape() const
{
    QPainterPath path;
    path.addRect(titleRect());
    return path;
}

void FrameItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const Theme& theme = m_appearance.theme();
    const double scale = option->levelOfDetailFromTransform(painter->worldTransform());
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme[Theme::Role::FrameFill]);
    painter->drawRoundedRect(body(), space::radius, space::radius);
    painter->setBrush(theme[Theme::Role::FrameTitle]);
    painter->drawPath(titleStrip(titleRect()));
    QPen edge(theme[Theme::Role::FrameLine], 1);
    edge.setCosmetic(true);
    painter->setPen(edge);
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(body(), space::radius, space::radius);
    if (isSelected()) {
        painter->setPen(QPen(theme[Theme::Role::NodeSelected], 2));
        painter->drawRoundedRect(body().adjusted(-4, -4, 4, 4), space::radius + 4, space::radius + 4);
    }
    QFont font = m_appearance.font(unroll::Type::Strong);
    const double usual = font.pixelSize();
    const double letters = std::min(std::max(usual, kLeastLetters / scale), std::max(usual, kLargestLetters));
    font.setPixelSize(qRound(letters));
    const double room = m_frame.width - 2 * space::m;
    const QString words =
        QFontMetricsF(font).elidedText(QString::fromStdString(m_frame.title).simplified(), Qt::ElideRight, room);
    painter->setFont(font);
    painter->setPen(theme[Theme::Role::FrameText]);
    const QRectF line(space::m, 0, room, std::max(kTitleHeight, letters * 1.3));
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, words);
}

Frame resized(const Frame& frame, Qt::Edges edges, const QPointF& by)
{
    QRectF area(frame.place.x, frame.place.y, frame.width, frame.height);
    const auto onGrid = [](double value) { return std::round(value / kCanvasGrid) * kCanvasGrid; };
    if (edges & Qt::LeftEdge)
        area.setLeft(std::min(onGrid(area.left() + by.x()), area.right() - FrameItem::kLeastWidth));
    if (edges & Qt::RightEdge)
        area.setRight(std::max(onGrid(area.right() + by.x()), area.left() + FrameItem::kLeastWidth));
    if (edges & Qt::TopEdge)
        area.setTop(std::min(onGrid(area.top() + by.y()), area.bottom() - FrameItem::kLeastHeight));
    if (edges & Qt::BottomEdge)
        area.setBottom(std::max(onGrid(area.bottom() + by.y()), area.top() + FrameItem::kLeastHeight));
    Frame now = frame;
    now.place = {area.left(), area.top()};
    now.width = area.width();
    now.height = area.height();
    return now;
}

bool holds(const Frame& frame, const QRectF& body)
{
    return QRectF(frame.place.x, frame.place.y, frame.width, frame.height).contains(body.center());
}

} // namespace unroll
