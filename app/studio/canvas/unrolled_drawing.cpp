// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/unrolled_drawing.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/translated.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kHead = 5;         ///< of an arrow
constexpr double kArrow = 28;       ///< from x to the box and from there to y
constexpr double kWithin = 20;      ///< between two cells of a step
constexpr double kLane = 9;         ///< between links that pass cells side by side
constexpr double kLeastGap = 48;    ///< between two steps
constexpr double kGlyphOfCell = 16; ///< side
constexpr double kLeastCell = 72;   ///< width
constexpr double kWidestCell = 150; ///< longer names are cut short
constexpr double kBetweenWays = 5;  ///< from the middle of a cell to each of two arrows
constexpr double kSubscript = 0.78; ///< of the letter's size
constexpr double kLineWidth = 1.6;
constexpr double kBelowLetters = 4; ///< what hangs below the middle of a line more than stands above it
constexpr double kLandingApart = 7; ///< of arrows into one cell
const QChar kMinusSign(0x2212);

QString stepWord(int step)
{
    const int from = step - kUnrolledSteps / 2;
    if (from == 0)
        return QStringLiteral("t");
    return QStringLiteral("t") + (from < 0 ? kMinusSign : QChar('+')) + QString::number(std::abs(from));
}

QPen arrowPen(const QColor& color)
{
    return QPen(color, kLineWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
}

QString cellName(const UnrolledCell& cell)
{
    return cell.copies > 1 ? tr("%1 × %2").arg(cell.name).arg(cell.copies) : cell.name;
}

} // namespace

void paintArrow(QPainter& painter, const QPointF& from, const QPointF& to, double head)
{
    painter.drawLine(from, to);
    const QPointF along = to - from;
    const double length = std::max(std::hypot(along.x(), along.y()), 1.0);
    const QPointF back = along / length * head, side(-back.y(), back.x());
    painter.drawLine(to, to - back + side * 0.6);
    painter.drawLine(to, to - back - side * 0.6);
}

void paintAtStep(QPainter& painter, const QPointF& middle, const QString& letter, int step)
{
    const QFont usual = painter.font();
    QFont small = usual;
    small.setPixelSize(std::max(1, qRound(kSubscript * QFontInfo(usual).pixelSize())));
    const QFontMetricsF wide(usual), narrow(small);
    const QString below = stepWord(step);
    const double width = wide.horizontalAdvance(letter) + 1 + narrow.horizontalAdvance(below);
    const double left = middle.x() - width / 2, base = middle.y() + wide.capHeight() / 2;
    painter.drawText(QPointF(left, base), letter);
    painter.setFont(small);
    painter.drawText(QPointF(left + wide.horizontalAdvance(letter) + 1, base + 0.28 * wide.capHeight() + 1), below);
    painter.setFont(usual);
}

UnrolledDrawing::UnrolledDrawing(Unrolled what, const Appearance& appearance)
    : m_what(std::move(what)), m_appearance(appearance)
{
    giveLanes();
    layOut();
}

/// Links to the next cell are straight; others run beside the cells, the shorter nearer to them.
void UnrolledDrawing::giveLanes()
{
    const int count = static_cast<int>(m_what.cells.size());
    const auto rows = [&](const UnrolledLink& link) {
        return std::pair{link.from == UnrolledLink::kInput ? -1 : link.from,
                         link.to == UnrolledLink::kOutput ? count : link.to};
    };
    const auto rowsOf = [&](const Bypass& bypass) { return rows(m_what.links[bypass.link]); };
    for (std::size_t i = 0; i < m_what.links.size(); ++i)
        if (const auto [from, to] = rows(m_what.links[i]); m_what.links[i].delay.isEmpty() && to != from + 1)
            m_bypasses.push_back({i, 0});
    std::stable_sort(m_bypasses.begin(), m_bypasses.end(), [&](const Bypass& a, const Bypass& b) {
        return rowsOf(a).second - rowsOf(a).first < rowsOf(b).second - rowsOf(b).first;
    });
    for (std::size_t i = 0; i < m_bypasses.size(); ++i) {
        const auto [from, to] = rowsOf(m_bypasses[i]);
        const auto isTaken = [&, from = from, to = to](int lane) {
            return std::any_of(m_bypasses.begin(), m_bypasses.begin() + static_cast<std::ptrdiff_t>(i),
                               [&](const Bypass& other) {
                                   const auto [a, b] = rowsOf(other);
                                   return other.lane == lane && a < to && from < b && a != from;
                               });
        };
        while (isTaken(m_bypasses[i].lane))
            ++m_bypasses[i].lane;
        m_lanes = std::max(m_lanes, m_bypasses[i].lane + 1);
    }
}

void UnrolledDrawing::layOut()
{
    const QFontMetricsF text(m_appearance.font(Type::Body)), caption(m_appearance.font(Type::Caption));
    m_line = text.height();
    m_caption = caption.height();
    double name = 0, word = 0;
    for (const UnrolledCell& cell : m_what.cells) {
        name = std::max(name, text.horizontalAdvance(cellName(cell)));
        word = std::max(word, caption.horizontalAdvance(cell.state));
    }
    for (const UnrolledLink& link : m_what.links)
        word = std::max(word, std::min(caption.horizontalAdvance(link.delay), kWidestCell / 2));
    const double asked = space::s + kGlyphOfCell + space::xs + name + space::s;
    m_cell = QSizeF(std::ceil(std::clamp(asked, kLeastCell, kWidestCell * m_line / 16)), std::ceil(m_line + space::m));
    m_gap = std::ceil(std::max(kLeastGap, word + space::xl));
    m_rowStep = m_cell.height() + kWithin;
    const auto count = static_cast<double>(m_what.cells.size());
    m_inset = m_what.isGroup ? space::m + m_lanes * kLane : 0;
    const double above = m_what.isGroup ? kWithin : 0, right = m_what.isGroup ? space::m : 0;
    m_box = QSizeF(m_inset + m_cell.width() + right, 2 * above + count * m_rowStep - kWithin);
    const double top = space::m + m_line + space::m;
    m_first = QPointF(space::l + m_gap, top + m_line + kArrow);
    m_size = QSizeF(2 * space::l + kUnrolledSteps * (m_box.width() + m_gap) + m_gap,
                    m_first.y() + m_box.height() + kArrow + m_line + space::m);
}

QRectF UnrolledDrawing::boxAt(int step) const
{
    return {m_first + QPointF(step * (m_box.width() + m_gap), 0), m_box};
}

/// The first cell stands lowest.
QRectF UnrolledDrawing::cellAt(int step, int cell) const
{
    const QRectF box = boxAt(step);
    const double below = m_what.isGroup ? kWithin : 0;
    return {QPointF(box.left() + m_inset, box.bottom() - below - cell * m_rowStep - m_cell.height()), m_cell};
}

double UnrolledDrawing::labelOf(bool output) const
{
    return output ? m_first.y() - kArrow - m_line / 2 : m_first.y() + m_box.height() + kArrow + m_line / 2;
}

/// Heights at which a link begins and ends at a step: at the top of the lower cell, at the foot of the upper one.
std::pair<double, double> UnrolledDrawing::endsOf(const UnrolledLink& link, int step) const
{
    const QRectF box = boxAt(step);
    return {link.from == UnrolledLink::kInput ? box.bottom() : cellAt(step, link.from).top(),
            link.to == UnrolledLink::kOutput ? box.top() : cellAt(step, link.to).bottom()};
}

bool UnrolledDrawing::isBypass(std::size_t link) const
{
    return std::any_of(m_bypasses.begin(), m_bypasses.end(),
                       [link](const Bypass& bypass) { return bypass.link == link; });
}

void UnrolledDrawing::paint(QPainter& painter) const
{
    painter.save();
    paintGround(painter);
    for (int step = 0; step < kUnrolledSteps; ++step)
        paintStep(painter, step);
    for (int cell = 0; cell < static_cast<int>(m_what.cells.size()); ++cell)
        paintStates(painter, cell);
    for (const UnrolledLink& link : m_what.links)
        if (!link.delay.isEmpty())
            paintDelay(painter, link);
    painter.restore();
}

/// The card, its title, and the column of step t.
void UnrolledDrawing::paintGround(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    painter.setPen(QPen(theme[Theme::Role::NodeBorder], 1));
    painter.setBrush(theme[Theme::Role::NodeBody]);
    painter.drawRoundedRect(QRectF(QPointF(), m_size), space::radius, space::radius);
    const QRectF now = boxAt(kUnrolledSteps / 2);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme[Theme::Role::Hover]);
    painter.drawRoundedRect(QRectF(QPointF(now.left() - space::s, labelOf(true) - m_line / 2 - space::xs),
                                   QPointF(now.right() + space::s, labelOf(false) + m_line / 2 + space::xs)),
                            space::radius, space::radius);
    const QFont strong = m_appearance.font(Type::Strong);
    const QFontMetricsF metrics(strong);
    const QString caption = tr("the same weights at every step");
    const double aside = QFontMetricsF(m_appearance.font(Type::Caption)).horizontalAdvance(caption);
    const double room = m_size.width() - 2 * space::l;
    const QString copies = m_what.copies > 1 ? tr(" × %1").arg(m_what.copies) : QString();
    const QString title = tr("%1%2 unrolled").arg(m_what.name, copies);
    painter.setFont(strong);
    painter.setPen(theme[Theme::Role::Text]);
    const QRectF head(space::l, space::m, room, m_line);
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(title, Qt::ElideRight, room - aside - space::l));
    painter.setFont(m_appearance.font(Type::Caption));
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, caption);
}

void UnrolledDrawing::paintStep(QPainter& painter, int step) const
{
    const Theme& theme = m_appearance.theme();
    const QRectF box = boxAt(step);
    painter.setFont(m_appearance.font(step == kUnrolledSteps / 2 ? Type::Strong : Type::Body));
    painter.setPen(theme[Theme::Role::Text]);
    const double middle = cellAt(step, 0).center().x();
    paintAtStep(painter, {middle, labelOf(true)}, QStringLiteral("y"), step);
    paintAtStep(painter, {middle, labelOf(false)}, QStringLiteral("x"), step);
    if (m_what.isGroup) {
        QPen edge(theme[Theme::Role::CategoryGroupLine], 1);
        if (m_what.copies > 1) { // a second card behind: it stands there several times
            painter.setPen(edge);
            painter.setBrush(theme[Theme::Role::NodeBody]);
            painter.drawRoundedRect(box.translated(space::xs, -space::xs), space::radius, space::radius);
        }
        painter.setPen(edge);
        painter.setBrush(theme[Theme::Role::Canvas]);
        painter.drawRoundedRect(box, space::radius, space::radius);
    }
    const QColor color = theme.portColor(PortType::Sequence);
    painter.setPen(arrowPen(color));
    paintArrow(painter, {middle, labelOf(false) - m_line / 2}, {middle, box.bottom() + (m_what.isGroup ? 0 : 2)},
               kHead);
    paintArrow(painter, {middle, box.top() - (m_what.isGroup ? 0 : 2)},
               {middle, labelOf(true) + m_line / 2 + kBelowLetters}, kHead);
    if (m_what.isGroup)
        paintLinks(painter, step);
    for (int cell = 0; cell < static_cast<int>(m_what.cells.size()); ++cell)
        paintCell(painter, step, cell);
}

void UnrolledDrawing::paintLinks(QPainter& painter, int step) const
{
    painter.setPen(arrowPen(m_appearance.theme().portColor(PortType::Sequence)));
    painter.setBrush(Qt::NoBrush);
    const QRectF any = cellAt(step, 0);
    for (std::size_t i = 0; i < m_what.links.size(); ++i) {
        const auto [from, to] = endsOf(m_what.links[i], step);
        if (m_what.links[i].delay.isEmpty() && !isBypass(i))
            paintArrow(painter, {any.center().x(), from - 1}, {any.center().x(), to + 2}, kHead);
    }
    for (const Bypass& bypass : m_bypasses) {
        const auto [from, to] = endsOf(m_what.links[bypass.link], step);
        const double side = any.left() - space::xs - (bypass.lane + 0.5) * kLane, r = space::radiusSmall;
        const double start = any.left() + std::min(space::s + kLandingApart * bypass.lane, any.width() / 2 - space::s),
                     foot = from - kWithin / 3, end = to + kWithin / 3;
        QPainterPath path(QPointF(start, from - 1));
        path.lineTo(start, foot + r);
        path.quadTo(QPointF(start, foot), QPointF(start - r, foot));
        path.lineTo(side + r, foot);
        path.quadTo(QPointF(side, foot), QPointF(side, foot - r));
        path.lineTo(side, end + r);
        path.quadTo(QPointF(side, end), QPointF(side + r, end));
        path.lineTo(start - r, end);
        path.quadTo(QPointF(start, end), QPointF(start, end - r));
        painter.drawPath(path);
        paintArrow(painter, {start, end - r}, {start, to + 2}, kHead - 1);
    }
}

void UnrolledDrawing::paintCell(QPainter& painter, int step, int index) const
{
    const Theme& theme = m_appearance.theme();
    const UnrolledCell& cell = m_what.cells[static_cast<std::size_t>(index)];
    const QRectF body = cellAt(step, index);
    const bool isNow = step == kUnrolledSteps / 2;
    if (cell.copies > 1 || (!m_what.isGroup && m_what.copies > 1)) {
        painter.setPen(QPen(theme.categoryLine(cell.category), 1));
        painter.setBrush(theme[Theme::Role::NodeBody]);
        painter.drawRoundedRect(body.translated(3, 3), space::radiusSmall, space::radiusSmall);
    }
    painter.setPen(
        QPen(cell.isUnreachable ? theme[Theme::Role::Error] : theme.categoryLine(cell.category), isNow ? 1.6 : 1));
    painter.setBrush(theme.categoryFill(cell.category));
    painter.drawRoundedRect(body, space::radiusSmall, space::radiusSmall);
    const QFont font = m_appearance.font(Type::Body);
    const QFontMetricsF metrics(font);
    const double room = body.width() - 2 * space::s - kGlyphOfCell - space::xs;
    const QString name = metrics.elidedText(cellName(cell), Qt::ElideRight, room + 0.5);
    const double width = kGlyphOfCell + space::xs + metrics.horizontalAdvance(name);
    const double left = body.center().x() - width / 2;
    paintGlyph(painter, cell.glyph, theme.categoryText(cell.category),
               QRectF(left, body.center().y() - kGlyphOfCell / 2, kGlyphOfCell, kGlyphOfCell));
    painter.setFont(font);
    painter.setPen(theme.categoryText(cell.category));
    painter.drawText(QRectF(left + kGlyphOfCell + space::xs, body.top(), room + 1, body.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, name);
}

/// What a cell hands on, from before the first step to behind the last.
void UnrolledDrawing::paintStates(QPainter& painter, int index) const
{
    const UnrolledCell& cell = m_what.cells[static_cast<std::size_t>(index)];
    if (cell.state.isEmpty())
        return;
    const QColor color = m_appearance.theme().portColor(PortType::State);
    for (int step = 0; step <= kUnrolledSteps; ++step) {
        const bool isFirst = step == 0, isLast = step == kUnrolledSteps;
        const QRectF after = isLast ? QRectF() : cellAt(step, index);
        const QRectF before = isFirst ? QRectF() : cellAt(step - 1, index);
        const double y = isLast ? before.center().y() : after.center().y();
        const double from = isFirst ? boxAt(0).left() - m_gap + space::s : before.right() + 2;
        const double to = isLast ? boxAt(step - 1).right() + m_gap - space::s : after.left() - 2;
        painter.setPen(arrowPen(color));
        const double apart = cell.isBothWays ? kBetweenWays : 0;
        if (!cell.isBackward || cell.isBothWays)
            paintArrow(painter, {from, y - apart}, {to, y - apart}, kHead);
        if (cell.isBackward || cell.isBothWays)
            paintArrow(painter, {to, y + apart}, {from, y + apart}, kHead);
        const double left = isFirst ? from : boxAt(step - 1).right(), right = isLast ? to : boxAt(step).left();
        paintWord(painter, cell.state, {(left + right) / 2, y - apart - m_caption / 2 - 2});
    }
}

/// Out of the cell that feeds the delay, into what reads it one step later.
void UnrolledDrawing::paintDelay(QPainter& painter, const UnrolledLink& link) const
{
    const QColor color = m_appearance.theme().portColor(PortType::State);
    const auto atEdge = [&](int step, bool leaves) {
        const QRectF box = boxAt(step);
        if (leaves)
            return link.from == UnrolledLink::kInput
                       ? QPointF(box.right(), box.bottom() - space::s)
                       : QPointF(cellAt(step, link.from).right() + 1, cellAt(step, link.from).center().y() - space::xs);
        return link.to == UnrolledLink::kOutput
                   ? QPointF(box.left(), box.top() + space::s)
                   : QPointF(cellAt(step, link.to).left() - 2, cellAt(step, link.to).center().y() + space::xs);
    };
    const QPointF step(m_box.width() + m_gap, 0);
    for (int at = 0; at <= kUnrolledSteps; ++at) {
        const QPointF from = at == 0 ? atEdge(0, true) - step : atEdge(at - 1, true);
        const QPointF to = at == kUnrolledSteps ? atEdge(at - 1, false) + step : atEdge(at, false);
        const double bend = m_gap / 2 + space::m;
        QPainterPath path(from);
        path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
        painter.save();
        const double left = at == 0 ? boxAt(0).left() - m_gap + space::s : 0;
        const double right = at == kUnrolledSteps ? boxAt(at - 1).right() + m_gap - space::s : m_size.width();
        painter.setClipRect(QRectF(left, 0, right - left, m_size.height()), Qt::IntersectClip);
        painter.setPen(arrowPen(color));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        paintArrow(painter, to - QPointF(kHead, 0), to, kHead);
        painter.restore();
        if (at > 0 && at < kUnrolledSteps)
            paintWord(painter, link.delay, path.pointAtPercent(0.5));
    }
}

/// On a ground of its own, so that lines below it do not run through the letters.
void UnrolledDrawing::paintWord(QPainter& painter, const QString& word, const QPointF& middle) const
{
    const Theme& theme = m_appearance.theme();
    const QFont font = m_appearance.font(Type::Caption);
    const QFontMetricsF metrics(font);
    const QString shown = metrics.elidedText(word, Qt::ElideRight, m_gap - space::s);
    const double width = metrics.horizontalAdvance(shown);
    const QRectF area(middle.x() - width / 2 - 1, middle.y() - m_caption / 2 + 1, width + 2, m_caption - 2);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme[Theme::Role::NodeBody]);
    painter.drawRect(area);
    painter.setFont(font);
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(area, Qt::AlignCenter | Qt::TextDontClip, shown);
}

} // namespace unroll
