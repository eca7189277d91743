// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/node_item.h"

#include "app/studio/canvas/port_shape.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QCursor>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

namespace unroll {

namespace {

constexpr double reach = 14; ///< shadow, badge and ports stand out this far

QPainterPath headerPath(double width)
{
    const double r = space::radius;
    QPainterPath path(QPointF(0, NodeGeometry::headerHeight));
    path.lineTo(0, r);
    path.arcTo(0, 0, 2 * r, 2 * r, 180, -90);
    path.lineTo(width - r, 0);
    path.arcTo(width - 2 * r, 0, 2 * r, 2 * r, 90, -90);
    path.lineTo(width, NodeGeometry::headerHeight);
    path.closeSubpath();
    return path;
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
    prepareGeometryChange();
    m_face = std::move(face);
    m_geometry = nodeGeometry(m_face, m_appearance);
    setToolTip(m_face.problem.isEmpty() ? m_face.help : m_face.problem);
    update();
    return true;
}

void NodeItem::appearanceChanged()
{
    prepareGeometryChange();
    m_geometry = nodeGeometry(m_face, m_appearance);
    update();
}

QPointF NodeItem::inputAt(const std::string& port) const
{
    for (std::size_t i = 0; i < m_face.inputs.size(); ++i)
        if (m_face.inputs[i].name == port)
            return mapToScene(m_geometry.inputs[i]);
    return mapToScene(0, m_geometry.size.height() / 2);
}

QPointF NodeItem::outputAt(const std::string& port) const
{
    for (std::size_t i = 0; i < m_face.outputs.size(); ++i)
        if (m_face.outputs[i].name == port)
            return mapToScene(m_geometry.outputs[i]);
    return mapToScene(m_geometry.size.width(), m_geometry.size.height() / 2);
}

const PortFace* NodeItem::output(const std::string& port) const
{
    for (const PortFace& face : m_face.outputs)
        if (face.name == port)
            return &face;
    return nullptr;
}

QRectF NodeItem::boundingRect() const
{
    return m_geometry.body().adjusted(-reach, -reach, reach, reach);
}

QPainterPath NodeItem::shape() const
{
    QPainterPath path;
    path.addRoundedRect(m_geometry.body(), space::radius, space::radius);
    return path;
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    if (option->levelOfDetailFromTransform(painter->worldTransform()) < flatScale) {
        paintFlat(*painter);
        return;
    }
    paintBody(*painter);
    paintHeader(*painter);
    paintFooter(*painter);
    paintOutline(*painter);
    paintPorts(*painter);
    paintBadge(*painter);
}

void NodeItem::paintFlat(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    const bool wrong = m_face.severity == Severity::Error;
    painter.setPen(QPen(wrong          ? theme[Theme::Role::Error]
                        : isSelected() ? theme[Theme::Role::NodeSelected]
                                       : theme.categoryLine(m_face.category),
                        4));
    painter.setBrush(theme.categoryFill(m_face.category));
    painter.drawRect(m_geometry.body());
}

void NodeItem::paintBody(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    painter.setPen(Qt::NoPen);
    QColor shadow = theme[Theme::Role::NodeShadow];
    for (const auto& [spread, alpha] : {std::pair{5.0, 5}, {3.0, 8}, {1.0, 12}}) {
        shadow.setAlpha(theme.isDark() ? 3 * alpha : alpha);
        painter.setBrush(shadow);
        painter.drawRoundedRect(m_geometry.body().adjusted(-spread, 2 - spread, spread, 2 + spread),
                                space::radius + spread, space::radius + spread);
    }
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
    painter.setPen(theme.categoryText(m_face.category));
    QRectF row(space::m, 0, width - 2 * space::m, NodeGeometry::headerHeight);
    if (m_face.isWatched) {
        paintIcon(painter, "watch", theme.categoryText(m_face.category),
                  QRectF(row.right() - 14, row.center().y() - 7, 14, 14));
        row.setRight(row.right() - 20);
    }
    painter.setFont(m_appearance.font(unroll::Type::Caption));
    const QString right = m_face.repeat > 1 ? QStringLiteral("×%1").arg(m_face.repeat) : m_face.title;
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, right);
    const double taken = right.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(right) + space::s;
    row.setRight(row.right() - taken);
    painter.setFont(m_appearance.font(unroll::Type::Strong));
    const QString name =
        painter.fontMetrics().elidedText(m_face.name, Qt::ElideRight, static_cast<int>(row.width()) + 1);
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, name);
}

void NodeItem::paintPorts(QPainter& painter) const
{
    const QFont small = m_appearance.font(unroll::Type::Caption);
    const QColor words = m_appearance.theme()[Theme::Role::TextDim];
    for (std::size_t i = 0; i < m_face.inputs.size(); ++i) {
        const QPointF at = m_geometry.inputs[i];
        painter.setFont(small);
        painter.setPen(words);
        painter.drawText(QRectF(at.x() + space::l, at.y() - 10, 200, 20), Qt::AlignLeft | Qt::AlignVCenter,
                         QString::fromStdString(m_face.inputs[i].name));
        paintPort(painter, m_face.inputs[i], at);
    }
    for (std::size_t i = 0; i < m_face.outputs.size(); ++i) {
        const QPointF at = m_geometry.outputs[i];
        painter.setFont(small);
        painter.setPen(words);
        painter.drawText(QRectF(at.x() - space::l - 200, at.y() - 10, 200, 20), Qt::AlignRight | Qt::AlignVCenter,
                         QString::fromStdString(m_face.outputs[i].name));
        paintPort(painter, m_face.outputs[i], at);
    }
}

/// A wired port is filled; a free one shows the body through.
void NodeItem::paintPort(QPainter& painter, const PortFace& port, const QPointF& at) const
{
    const Theme& theme = m_appearance.theme();
    const QColor color = theme.portColor(port.type);
    painter.setPen(QPen(port.wired ? theme[Theme::Role::NodeBody] : color, 1.3));
    painter.setBrush(port.wired ? color : theme[Theme::Role::NodeBody]);
    painter.drawPath(portOutline(port.type).translated(at));
    QFont letter = m_appearance.font(unroll::Type::Strong);
    letter.setPixelSize(9);
    painter.setFont(letter);
    painter.setPen(port.wired ? theme[Theme::Role::TypeLetter] : color);
    const QPointF centre = at + portLetterOffset(port.type);
    const double drop = portLetter(port.type) == 'y' ? -1.0 : 0; // the descender would touch the outline
    painter.drawText(QRectF(centre.x() - 8, centre.y() - 8.5 + drop, 16, 16), Qt::AlignCenter, portLetter(port.type));
}

void NodeItem::paintFooter(QPainter& painter) const
{
    if (m_geometry.footer.isEmpty())
        return;
    const Theme& theme = m_appearance.theme();
    painter.setPen(QPen(theme[Theme::Role::Border], 1));
    painter.drawLine(QPointF(space::m, m_geometry.footer.top()),
                     QPointF(m_geometry.size.width() - space::m, m_geometry.footer.top()));
    painter.setFont(m_appearance.font(unroll::Type::Caption));
    QRectF line(space::m, m_geometry.footer.top() + space::xs + 1, m_geometry.size.width() - 2 * space::m,
                NodeGeometry::lineHeight);
    if (!m_face.summary.isEmpty()) {
        painter.setPen(theme[Theme::Role::Text]);
        painter.drawText(
            line, Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(m_face.summary, Qt::ElideRight, static_cast<int>(line.width())));
        line.translate(0, NodeGeometry::lineHeight);
    }
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, m_face.weights);
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
    painter.drawRoundedRect(m_geometry.body().adjusted(-3, -3, 3, 3), space::radius + 3, space::radius + 3);
}

void NodeItem::paintBadge(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    const QPointF corner(m_geometry.size.width() - 4, 2);
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
    painter.setFont(m_appearance.font(unroll::Type::Strong));
    painter.setPen(theme[Theme::Role::BadgeText]);
    painter.drawText(QRectF(corner.x() - 9, corner.y() - 9, 18, 18), Qt::AlignCenter, "!");
}

} // namespace unroll
