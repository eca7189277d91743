// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/node_item.h"

#include "app/studio/canvas/node_shadow.h"
#include "app/studio/canvas/port_shape.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"
#include "app/studio/theme/metrics.h"

#include <QCursor>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

namespace unroll {

namespace {

constexpr double kOuterMargin = 18; ///< shadow, badge, ports and the ends of wires stand out this far
constexpr double kDimmed = 0.25;
constexpr double kLeastLetters = 6; ///< px; smaller ones cannot be read
constexpr double kGlyphShare = 0.7; ///< of a node seen from afar
constexpr double kWireEnd = 16;     ///< from a port's middle, of a wire that leads out of the group

QPainterPath headerPath(double width)
{
    const double r = space::radius;
    QPainterPath path(QPointF(0, NodeGeometry::kHeaderHeight));
    path.lineTo(0, r);
    path.arcTo(0, 0, 2 * r, 2 * r, 180, -90);
    path.lineTo(width - r, 0);
    path.arcTo(width - 2 * r, 0, 2 * r, 2 * r, 90, -90);
    path.lineTo(width, NodeGeometry::kHeaderHeight);
    path.closeSubpath();
    return path;
}

void paintGlow(QPainter& painter, QColor color, const QPointF& at)
{
    color.setAlpha(80);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(at, 13, 13);
}

} // namespace

NodeItem::NodeItem(NodeId id, const Appearance& appearance) : m_id(id), m_appearance(appearance)
{
    setFlag(ItemIsSelectable);
}

bool NodeItem::setFace(NodeFace face)
{
    if (face == m_face)
        return false;
    m_face = std::move(face);
    layOut();
    setToolTip(m_face.problem.isEmpty() ? m_face.help : m_face.problem);
    return true;
}

void NodeItem::appearanceChanged()
{
    layOut();
}

void NodeItem::layOut()
{
    prepareGeometryChange();
    m_geometry = nodeGeometry(m_face, m_appearance);
    m_labels.reset();
    m_farLabel.reset();
    update();
}

void NodeItem::setLights(std::optional<PortLights> lights)
{
    if (lights == m_lights)
        return;
    m_lights = std::move(lights);
    update();
}

std::vector<WireEnd> NodeItem::ends() const
{
    std::vector<WireEnd> ends;
    for (const PortFace& port : m_face.inputs)
        ends.push_back({{m_id, port.name}, false});
    for (const PortFace& port : m_face.outputs)
        ends.push_back({{m_id, port.name}, true});
    return ends;
}

QPointF NodeItem::placeOf(const WireEnd& end) const
{
    return mapToScene(portPlace(m_face, m_geometry, end));
}

const PortFace* NodeItem::port(const std::string& name, bool isOutput) const
{
    for (const PortFace& face : isOutput ? m_face.outputs : m_face.inputs)
        if (face.name == name)
            return &face;
    return nullptr;
}

QRectF NodeItem::boundingRect() const
{
    return m_geometry.body().adjusted(-kOuterMargin, -kOuterMargin, kOuterMargin, kOuterMargin);
}

QPainterPath NodeItem::shape() const
{
    QPainterPath path;
    path.addRoundedRect(m_geometry.body(), space::radius, space::radius);
    return path;
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const double scale = option->levelOfDetailFromTransform(painter->worldTransform());
    if (scale < kFlatScale)
        return paintFlat(*painter, scale);
    if (!m_labels)
        m_labels = nodeLabels(m_face, m_geometry, m_appearance);
    paintBody(*painter);
    paintHeader(*painter);
    paintFooter(*painter);
    paintOutline(*painter);
    paintPorts(*painter, false);
    paintPorts(*painter, true);
    paintBadge(*painter);
}

void NodeItem::paintFlat(QPainter& painter, double scale)
{
    const Theme& theme = m_appearance.theme();
    const bool wrong = m_face.severity == Severity::Error;
    painter.setPen(QPen(wrong          ? theme[Theme::Role::Error]
                        : isSelected() ? theme[Theme::Role::NodeSelected]
                                       : theme.categoryLine(m_face.category),
                        4));
    painter.setBrush(theme.categoryFill(m_face.category));
    painter.drawRect(m_geometry.body());
    if (!m_farLabel)
        m_farLabel = farLabel(m_face, m_geometry, m_appearance);
    if (m_farLabel->size * scale >= kLeastLetters)
        return m_farLabel->name.paint(painter);
    const QRectF body = m_geometry.body();
    const double side = kGlyphShare * std::min(body.width(), body.height());
    QRectF glyph(0, 0, side, side);
    glyph.moveCenter(body.center());
    if (side * scale >= kLeastGlyph)
        paintGlyph(painter, m_face.glyph, theme.categoryText(m_face.category), glyph);
}

void NodeItem::paintBody(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    paintShadow(painter, m_geometry.body(), theme);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme[Theme::Role::NodeBody]);
    if (m_face.isGroup) { // a second card behind: there is more inside
        painter.setPen(QPen(theme[Theme::Role::NodeBorder], 1));
        painter.drawRoundedRect(m_geometry.body().translated(6, 6), space::radius, space::radius);
        painter.setPen(Qt::NoPen);
    }
    painter.drawRoundedRect(m_geometry.body(), space::radius, space::radius);
}

void NodeItem::paintHeader(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    const double width = m_geometry.size.width();
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.categoryFill(m_face.category));
    painter.drawPath(headerPath(width));
    paintGlyph(painter, m_face.glyph, theme.categoryText(m_face.category), NodeGeometry::glyph());
    if (m_face.isWatched)
        paintIcon(painter, "watch", theme.categoryText(m_face.category),
                  QRectF(width - space::m - 14, NodeGeometry::kHeaderHeight / 2 - 7, 14, 14));
    m_labels->name.paint(painter);
    m_labels->kind.paint(painter);
}

void NodeItem::paintPorts(QPainter& painter, bool outputs) const
{
    const auto& ports = outputs ? m_face.outputs : m_face.inputs;
    const auto& places = outputs ? m_geometry.outputs : m_geometry.inputs;
    const auto& labels = outputs ? m_labels->outputs : m_labels->inputs;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const PortFace& port = ports[i];
        const QPointF at = places[i];
        const bool lit = m_lights && (outputs ? m_lights->outputs : m_lights->inputs).contains(port.name);
        const bool held = m_lights && m_lights->held == WireEnd{{m_id, port.name}, outputs};
        painter.setOpacity(m_lights && !lit && !held ? kDimmed : 1);
        if (lit)
            paintGlow(painter, m_appearance.theme().portColor(port.type), at);
        paintPort(painter, port, at, outputs ? 1 : -1);
        labels[i].name.paint(painter);
        labels[i].letter.paint(painter);
    }
    painter.setOpacity(1);
}

/// A taken port is filled; a free one shows the body through. One that the group shows outside has the end of a wire
/// that leads there.
void NodeItem::paintPort(QPainter& painter, const PortFace& port, const QPointF& at, int outwards) const
{
    const Theme& theme = m_appearance.theme();
    const QColor color = theme.portColor(port.type);
    if (!port.outer.isEmpty()) {
        painter.setPen(QPen(color, 2));
        painter.drawLine(at, at + QPointF(outwards * kWireEnd, 0));
        painter.drawLine(at + QPointF(outwards * kWireEnd, -4), at + QPointF(outwards * kWireEnd, 4));
    }
    painter.setPen(QPen(port.isTaken() ? theme[Theme::Role::NodeBody] : color, 1.3));
    painter.setBrush(port.isTaken() ? color : theme[Theme::Role::NodeBody]);
    painter.drawPath(portOutline(port.type).translated(at));
}

void NodeItem::paintFooter(QPainter& painter) const
{
    if (m_geometry.footer.isEmpty())
        return;
    const Theme& theme = m_appearance.theme();
    painter.setPen(QPen(theme[Theme::Role::Border], 1));
    painter.drawLine(QPointF(space::m, m_geometry.footer.top()),
                     QPointF(m_geometry.size.width() - space::m, m_geometry.footer.top()));
    m_labels->summary.paint(painter);
    m_labels->weights.paint(painter);
}

void NodeItem::paintOutline(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    QPen pen(theme[Theme::Role::NodeBorder], 1);
    if (m_face.severity == Severity::Error)
        pen = QPen(theme[Theme::Role::Error], 2);
    else if (m_face.severity == Severity::Warning)
        pen = QPen(theme[Theme::Role::Warning], 1.6);
    if (m_face.isUnknown)
        pen.setStyle(Qt::DashLine);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
    painter.drawRoundedRect(m_geometry.body(), space::radius, space::radius);
    if (!isSelected())
        return;
    painter.setPen(QPen(theme[Theme::Role::NodeSelected], 2));
    painter.drawRoundedRect(m_geometry.body().adjusted(-4, -4, 4, 4), space::radius + 4, space::radius + 4);
}

void NodeItem::paintBadge(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    const QPointF corner = m_geometry.badge;
    if (m_face.isStale && !m_face.severity) {
        painter.setPen(QPen(theme[Theme::Role::Warning], 2));
        painter.setBrush(theme[Theme::Role::NodeBody]);
        painter.drawEllipse(corner, 5, 5);
    }
    if (!m_face.severity || m_face.severity == Severity::Note)
        return;
    painter.setPen(QPen(theme[Theme::Role::Canvas], 2));
    painter.setBrush(theme[m_face.severity == Severity::Error ? Theme::Role::Error : Theme::Role::Warning]);
    painter.drawEllipse(corner, 9, 9);
    m_labels->badge.paint(painter);
}

} // namespace unroll
