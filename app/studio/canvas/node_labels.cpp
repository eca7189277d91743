// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/node_labels.h"

#include "app/studio/canvas/port_shape.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QTextLayout>
#include <algorithm>

namespace unroll {

namespace {

Label portLetterLabel(const PortFace& port, const QPointF& at, const Appearance& appearance)
{
    const Theme& theme = appearance.theme();
    QFont font = appearance.font(Type::Strong);
    font.setPixelSize(9);
    const QPointF centre = at + portLetterOffset(port.type);
    const double drop = portLetter(port.type) == 'y' ? -1.0 : 0; // the descender would touch the outline
    return {portLetter(port.type), font, port.isTaken() ? theme[Theme::Role::TypeLetter] : theme.portColor(port.type),
            QRectF(centre.x() - 8, centre.y() - 8.5 + drop, 16, 16), Qt::AlignHCenter};
}

PortLabels portLabels(const PortFace& port, const QPointF& at, bool output, const Appearance& appearance)
{
    const double reach = 200;
    const QRectF row(output ? at.x() - space::l - reach : at.x() + space::l, at.y() - 10, reach, 20);
    return {{QString::fromStdString(port.name), appearance.font(Type::Caption),
             appearance.theme()[Theme::Role::TextDim], row, output ? Qt::AlignRight : Qt::AlignLeft},
            portLetterLabel(port, at, appearance)};
}

void addHeader(NodeLabels& labels, const NodeFace& face, const NodeGeometry& geometry, const Appearance& appearance)
{
    const QColor color = appearance.theme().categoryText(face.category);
    QRectF row(NodeGeometry::kNameLeft, 0, geometry.size.width() - NodeGeometry::kNameLeft - space::m,
               NodeGeometry::kHeaderHeight);
    if (face.isWatched)
        row.setRight(row.right() - NodeGeometry::kMarkWidth);
    const QString kind = face.repeat > 1 ? QStringLiteral("×%1").arg(face.repeat) : face.title;
    labels.kind = Label(kind, appearance.font(Type::Caption), color, row, Qt::AlignRight);
    row.setRight(row.right() - (kind.isEmpty() ? 0 : labels.kind.width() + space::s));
    labels.name = Label(face.name, appearance.font(Type::Strong), color, row, Qt::AlignLeft);
}

void addFooter(NodeLabels& labels, const NodeFace& face, const NodeGeometry& geometry, const Appearance& appearance)
{
    const QFont font = appearance.font(Type::Caption);
    QRectF line(space::m, geometry.footer.top() + space::xs + 1, geometry.size.width() - 2 * space::m,
                geometry.lineHeight);
    labels.summary = Label(face.summary, font, appearance.theme()[Theme::Role::Text], line, Qt::AlignLeft);
    if (!face.summary.isEmpty())
        line.translate(0, geometry.lineHeight);
    labels.weights = Label(face.weights, font, appearance.theme()[Theme::Role::TextDim], line, Qt::AlignLeft);
}

} // namespace

Label::Label(const QString& text, const QFont& font, const QColor& color, const QRectF& area, Qt::Alignment side)
    : m_color(color)
{
    if (text.isEmpty())
        return;
    const QString shown = QFontMetricsF(font).elidedText(text, Qt::ElideRight, area.width() + 1);
    QTextLayout layout(shown, font);
    layout.beginLayout();
    const QTextLine line = layout.createLine();
    layout.endLayout();
    m_glyphs = layout.glyphRuns();
    m_width = line.naturalTextWidth();
    const double spare = area.width() - m_width;
    const double shift = side == Qt::AlignLeft ? 0 : side == Qt::AlignRight ? spare : spare / 2;
    m_at = {area.left() + shift, area.center().y() - line.height() / 2};
}

void Label::paint(QPainter& painter) const
{
    painter.setPen(m_color);
    for (const QGlyphRun& run : m_glyphs)
        painter.drawGlyphRun(m_at, run);
}

FarLabel farLabel(const NodeFace& face, const NodeGeometry& geometry, const Appearance& appearance)
{
    constexpr double most = 40, least = 26; // px; where these are shown, smaller ones cannot be read
    const QRectF row = geometry.body().adjusted(space::xs, 0, -space::xs, 0);
    QFont font = appearance.font(Type::Strong);
    font.setPixelSize(static_cast<int>(most));
    const double needed = QFontMetricsF(font).horizontalAdvance(face.name);
    const double size = std::clamp(most * row.width() / std::max(needed, 1.0), least, most);
    font.setPixelSize(static_cast<int>(size));
    return {Label(face.name, font, appearance.theme().categoryText(face.category), row, Qt::AlignHCenter), size};
}

NodeLabels nodeLabels(const NodeFace& face, const NodeGeometry& geometry, const Appearance& appearance)
{
    NodeLabels labels;
    addHeader(labels, face, geometry, appearance);
    addFooter(labels, face, geometry, appearance);
    labels.badge = Label("!", appearance.font(Type::Strong), appearance.theme()[Theme::Role::BadgeText],
                         QRectF(geometry.badge.x() - 9, geometry.badge.y() - 9, 18, 18), Qt::AlignHCenter);
    for (std::size_t i = 0; i < face.inputs.size(); ++i)
        labels.inputs.push_back(portLabels(face.inputs[i], geometry.inputs[i], false, appearance));
    for (std::size_t i = 0; i < face.outputs.size(); ++i)
        labels.outputs.push_back(portLabels(face.outputs[i], geometry.outputs[i], true, appearance));
    return labels;
}

} // namespace unroll
