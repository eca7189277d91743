// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/wire_item.h"

#include "app/studio/canvas/node_geometry.h"
#include "app/studio/canvas/node_item.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "core/graph/layout/wire_curve.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

namespace unroll {

namespace {

constexpr double kWordsScale = 0.6; ///< below this zoom the shapes could not be read

} // namespace

QPainterPath wirePath(const QPointF& from, const QPointF& to)
{
    const WireCurve curve = wireCurve({from.x(), from.y()}, {to.x(), to.y()});
    QPainterPath path(from);
    for (std::size_t i = 1; i < curve.points.size(); i += 3)
        path.cubicTo(pointOf(curve.points[i]), pointOf(curve.points[i + 1]), pointOf(curve.points[i + 2]));
    return path;
}

WireItem::WireItem(Wire wire, const Appearance& appearance) : m_wire(std::move(wire)), m_appearance(appearance)
{
    setFlag(ItemIsSelectable);
    setZValue(-1);
}

void WireItem::setEnds(const QPointF& from, const QPointF& to)
{
    if (from == m_from && to == m_to)
        return;
    prepareGeometryChange();
    m_from = from;
    m_to = to;
    m_path = wirePath(from, to);
    findBounds();
    placeLabel();
}

void WireItem::findBounds()
{
    m_bounds = m_path.boundingRect().adjusted(-4, -24, 4, 24) | m_wordsPlace.adjusted(-1, -1, 1, 1);
}

void WireItem::setWords(const QString& words, const QString& tip, bool pale, double size)
{
    if (words == m_words && tip == toolTip() && pale == m_pale && size == m_wordsSize)
        return;
    m_wordsSize = size;
    m_words = words;
    m_pale = pale;
    setToolTip(tip);
    if (words.isEmpty())
        setWordsPlace({});
    update();
}

void WireItem::setWordsPlace(const QRectF& place)
{
    if (place == m_wordsPlace)
        return;
    prepareGeometryChange();
    m_wordsPlace = place;
    findBounds();
}

QSizeF WireItem::wordsSize() const
{
    const QFontMetricsF text(fontOf(m_wordsSize));
    return {text.horizontalAdvance(m_words) + (2 * space::xs + 2) * m_wordsSize, text.height() + 2};
}

QFont WireItem::fontOf(double size) const
{
    QFont font = m_appearance.font(unroll::Type::Caption);
    if (font.pixelSize() > 0)
        font.setPixelSize(static_cast<int>(std::lround(font.pixelSize() * size)));
    else
        font.setPointSizeF(font.pointSizeF() * size);
    return font;
}

void WireItem::setLook(PortType type, const QString& shape, bool wrong)
{
    if (type == m_carries && shape == m_shape && wrong == m_wrong)
        return;
    m_carries = type;
    m_shape = shape;
    m_wrong = wrong;
    placeLabel();
    update();
}

void WireItem::setWritten(bool written)
{
    if (written == m_written)
        return;
    m_written = written;
    update();
}

void WireItem::speakFor(const WireItem* other)
{
    constexpr double gap = 2;
    const bool above = other != nullptr && isLevel() && other->isLevel();
    const double raised = above ? std::max(m_raisedBy, m_label.bottom() + gap - std::min(top(), other->top()))
                          : other != nullptr ? m_raisedBy
                                             : 0;
    if (raised == m_raisedBy)
        return;
    m_raisedBy = raised;
    update();
}

void WireItem::setLit(bool lit)
{
    if (lit == m_lit)
        return;
    m_lit = lit;
    update();
}

bool WireItem::runsThrough(const QRectF& area) const
{
    return m_bounds.intersects(area) && shape().intersects(area);
}

/// Filled by winding: where a bent wire's outline covers itself it is not a hole.
QPainterPath WireItem::shape() const
{
    QPainterPathStroker stroker;
    stroker.setWidth(10);
    QPainterPath outline = stroker.createStroke(m_path);
    outline.setFillRule(Qt::WindingFill);
    return outline;
}

void WireItem::placeLabel()
{
    m_label = {};
    const QFontMetricsF text(m_appearance.font(unroll::Type::Caption));
    const double width = text.horizontalAdvance(m_shape) + 2 * space::xs + 2;
    if (m_shape.isEmpty() || m_to.x() - m_from.x() < width + space::xl)
        return;
    m_label.setSize({width, text.height() + 2});
    m_label.moveCenter(m_path.pointAtPercent(0.5));
}

void WireItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const Theme& theme = m_appearance.theme();
    painter->setBrush(Qt::NoBrush);
    if (isSelected()) { // in a sheath, so that what it carries is still seen
        painter->setPen(QPen(theme[Theme::Role::NodeSelected], 7, Qt::SolidLine, Qt::RoundCap));
        painter->drawPath(m_path);
        painter->setPen(QPen(theme[Theme::Role::Canvas], 4, Qt::SolidLine, Qt::RoundCap));
        painter->drawPath(m_path);
    }
    QPen pen(m_wrong ? theme[Theme::Role::Error] : theme.portColor(m_carries), m_lit ? 5 : 2,
             m_wrong ? Qt::DashLine : Qt::SolidLine, Qt::RoundCap);
    painter->setPen(pen);
    painter->drawPath(m_path);
    const double zoom = option->levelOfDetailFromTransform(painter->worldTransform());
    if (!m_words.isEmpty() && zoom * m_wordsSize >= kWordsScale)
        paintOn(*painter, m_wordsPlace, m_words, theme[m_pale ? Theme::Role::WireLabel : Theme::Role::Text],
                m_wordsSize);
    else if (m_words.isEmpty() && m_written && zoom >= kWordsScale)
        paintOn(*painter, m_label.isEmpty() ? QRectF() : wordsRect(), m_shape, theme[Theme::Role::WireLabel], 1);
}

/// On a ground of the canvas, so that the wire does not run through them.
void WireItem::paintOn(QPainter& painter, const QRectF& place, const QString& words, const QColor& ink,
                       double size) const
{
    if (place.isEmpty())
        return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_appearance.theme()[Theme::Role::Canvas]);
    painter.drawRoundedRect(place, space::radiusSmall, space::radiusSmall);
    painter.setFont(fontOf(size));
    painter.setPen(ink);
    painter.drawText(place, Qt::AlignCenter, words);
}

} // namespace unroll
