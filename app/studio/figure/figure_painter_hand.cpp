// SPDX-License-Identifier: GPL-3.0-or-later
// What moves over a panel: the cursor, the brushed span, the selected units, what is pointed at.
#include "app/studio/figure/figure_painter.h"

#include "app/studio/theme/appearance.h"

#include <QPainter>
#include <algorithm>

namespace unroll {

void FigurePainter::paintHand(const Hand& hand)
{
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setClipRect(m_area.adjusted(-5, -5, 5, 5));
    paintSpan(hand);
    paintSelected(hand);
    paintCursor(hand);
    if (hand.mark)
        paintMark(*hand.mark);
    m_painter.restore();
}

/// Shaded; over cells, whose colours must stay what they are, the rest is covered instead.
void FigurePainter::paintSpan(const Hand& hand)
{
    if (m_plot.steps() == 0 || hand.from < 0 || hand.to <= hand.from)
        return;
    const double y = m_plot.axes().y.low;
    const double left = std::max(m_area.left(), m_plot.at(static_cast<double>(hand.from) - 0.5, y).x());
    const double right = std::min(m_area.right(), m_plot.at(static_cast<double>(hand.to) - 0.5, y).x());
    const QColor edge = m_theme[Theme::Role::Accent];
    if (m_panel.cells) {
        QColor cover = m_theme[Theme::Role::Panel];
        cover.setAlphaF(0.62f);
        m_painter.fillRect(QRectF(m_area.topLeft(), QPointF(left, m_area.bottom())), cover);
        m_painter.fillRect(QRectF(QPointF(right, m_area.top()), m_area.bottomRight()), cover);
    } else {
        QColor fill = edge;
        fill.setAlphaF(0.14f);
        m_painter.fillRect(QRectF(QPointF(left, m_area.top()), QPointF(right, m_area.bottom())), fill);
    }
    for (const double x : {left, right})
        hairline({x, m_area.top()}, {x, m_area.bottom()}, edge);
}

/// A dark and a light line, so that it shows on every colour. A held one is thicker and has a foot.
void FigurePainter::paintCursor(const Hand& hand)
{
    if (m_plot.steps() == 0 || hand.step < 0 || hand.step >= m_plot.steps())
        return;
    const double x = m_plot.at(static_cast<double>(hand.step), m_plot.axes().y.low).x();
    const QPointF top(x, m_area.top()), bottom(x, m_area.bottom());
    if (m_panel.cells) {
        QColor ground = m_theme[Theme::Role::Panel];
        ground.setAlphaF(0.75f);
        hairline(top, bottom, ground, hand.held ? 3.5 : 3);
    }
    const QColor line = m_theme[hand.held ? Theme::Role::Accent : Theme::Role::Crosshair];
    hairline(top, bottom, line, hand.held ? 1.5 : 1);
    if (!hand.held)
        return;
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(line);
    m_painter.drawPolygon(QPolygonF{bottom + QPointF(0, -1), bottom + QPointF(5, 5), bottom + QPointF(-5, 5)});
    m_painter.setBrush(Qt::NoBrush);
}

/// Rows of cells have a mark at their left edge, points a ring, bars a frame.
void FigurePainter::paintSelected(const Hand& hand)
{
    if (hand.units.empty())
        return;
    const auto isSelected = [&](std::int64_t unit) {
        return std::binary_search(hand.units.begin(), hand.units.end(), unit);
    };
    const QColor colour = m_theme[Theme::Role::Accent];
    if (m_panel.cells)
        for (std::size_t row = 0; row < m_panel.cells->units.size(); ++row)
            if (isSelected(m_panel.cells->units[row])) {
                const QRectF cell = m_plot.cell(static_cast<std::int64_t>(row), 0);
                const double high = std::max(cell.height(), 2.0);
                m_painter.fillRect(QRectF(m_area.left() - 4, cell.center().y() - high / 2, 4, high), colour);
            }
    m_painter.setPen(QPen(colour, 1.8));
    m_painter.setBrush(Qt::NoBrush);
    for (std::size_t s = 0; s < m_panel.series.size(); ++s)
        for (std::size_t i = 0; i < m_panel.series[s].units.size(); ++i) {
            const auto place = m_plot.placeOf({s, static_cast<std::int64_t>(i), 0});
            if (!place || !isSelected(m_panel.series[s].units[i]))
                continue;
            if (m_panel.series[s].kind == FigureSeries::Kind::Bars)
                m_painter.drawRect(m_plot.bar(s, i).adjusted(-1, -1, 1, 1));
            else
                m_painter.drawEllipse(*place, figureStyle::point + 3, figureStyle::point + 3);
        }
}

void FigurePainter::paintMark(const FigureMark& mark)
{
    const auto place = m_plot.placeOf(mark);
    if (!place)
        return;
    const QColor ground = m_theme[Theme::Role::Panel], line = m_theme[Theme::Role::Text];
    m_painter.setBrush(Qt::NoBrush);
    if (!mark.series) {
        QRectF cell = m_plot.cell(mark.row, mark.index);
        cell.setSize({std::max(cell.width(), 6.0), std::max(cell.height(), 6.0)});
        cell.moveCenter(*place);
        for (const auto& [colour, wide] : {std::pair{ground, 3.4}, std::pair{line, 1.5}}) {
            m_painter.setPen(QPen(colour, wide));
            m_painter.drawRect(cell);
        }
        return;
    }
    if (m_panel.series[*mark.series].kind == FigureSeries::Kind::Bars) {
        m_painter.setPen(QPen(line, 1.3));
        m_painter.drawRect(
            m_plot.bar(*mark.series, static_cast<std::size_t>(mark.index)).adjusted(-0.5, -0.5, 0.5, 0.5));
        return;
    }
    m_painter.setPen(QPen(ground, 1.6));
    m_painter.setBrush(line);
    m_painter.drawEllipse(*place, figureStyle::point + 1.4, figureStyle::point + 1.4);
    m_painter.setBrush(Qt::NoBrush);
}

} // namespace unroll
