// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/charts/chart_frame.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double swatch = 16; ///< length of a legend line, px

std::vector<Tick> ticksOf(const AxisRange& axis, double pixels, double spacing)
{
    const int wanted = std::max(2, static_cast<int>(pixels / spacing));
    return axis.log ? logTicks(axis.low, axis.high, wanted) : linearTicks(axis.low, axis.high, wanted);
}

} // namespace

double ChartFrame::mapped(const AxisRange& axis, double value)
{
    return axis.log ? std::log10(std::max(value, axis.low * 1e-3)) : value;
}

QPointF ChartFrame::toPlot(const QRectF& plot, double px, double py) const
{
    const auto share = [](const AxisRange& axis, double value) {
        const double low = mapped(axis, axis.low);
        return (mapped(axis, value) - low) / (mapped(axis, axis.high) - low);
    };
    return {plot.left() + share(x, px) * plot.width(), plot.bottom() - share(y, py) * plot.height()};
}

double ChartFrame::xAt(const QRectF& plot, double pixel) const
{
    const double share = (pixel - plot.left()) / plot.width();
    const double low = mapped(x, x.low);
    const double value = low + share * (mapped(x, x.high) - low);
    return x.log ? std::pow(10.0, value) : value;
}

QStringList ChartFrame::words() const
{
    QStringList all;
    for (const LegendEntry& entry : legend)
        all << entry.text;
    for (const ChartLevel& level : levels)
        all << level.label;
    return all + crosshairWords;
}

QFont ChartFrame::font() const
{
    return m_appearance.font(Type::Caption);
}

QRectF ChartFrame::plotArea(const QSizeF& size) const
{
    const QFontMetricsF text(font());
    double labels = text.horizontalAdvance("0.00");
    for (const auto& tick : ticksOf(y, size.height(), 3 * text.height()))
        labels = std::max(labels, text.horizontalAdvance(tick.label));
    const double left = labels + space::l + space::xs;
    const double top = text.height() + space::l;
    const double bottom = text.height() + space::m;
    return QRectF(left, top, std::max(20.0, size.width() - left - space::l),
                  std::max(20.0, size.height() - top - bottom));
}

void ChartFrame::paintBehind(QPainter& painter, const QRectF& plot) const
{
    painter.setFont(font());
    paintGrid(painter, plot);
    paintTitles(painter, plot);
}

void ChartFrame::paintAbove(QPainter& painter, const QRectF& plot) const
{
    painter.setFont(font());
    for (const ChartLevel& level : levels)
        paintLevel(painter, plot, level);
    paintMissing(painter, plot);
    paintLegend(painter, plot);
    if (crosshair)
        paintCrosshair(painter, plot);
}

void ChartFrame::paintGrid(QPainter& painter, const QRectF& plot) const
{
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(painter.font());
    for (const auto& tick : ticksOf(y, plot.height(), 3 * text.height())) {
        const double at = std::round(toPlot(plot, x.low, tick.value).y()) + 0.5;
        painter.setPen(QPen(theme[Theme::Role::ChartGrid], 1));
        painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at));
        painter.setPen(theme[Theme::Role::TextDim]);
        painter.drawText(QRectF(0, at - text.height() / 2, plot.left() - space::s, text.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    for (const auto& tick : ticksOf(x, plot.width(), 80)) {
        const double at = std::round(toPlot(plot, tick.value, y.low).x()) + 0.5;
        painter.setPen(QPen(theme[Theme::Role::ChartAxis], 1));
        painter.drawLine(QPointF(at, plot.bottom()), QPointF(at, plot.bottom() + space::xs));
        painter.setPen(theme[Theme::Role::TextDim]);
        const double width = text.horizontalAdvance(tick.label) + 2;
        painter.drawText(QRectF(at - width / 2, plot.bottom() + space::xs + 2, width, text.height()), Qt::AlignCenter,
                         tick.label);
    }
    painter.setPen(QPen(theme[Theme::Role::ChartAxis], 1));
    painter.drawLine(QPointF(plot.left(), std::round(plot.bottom()) + 0.5),
                     QPointF(plot.right(), std::round(plot.bottom()) + 0.5));
}

void ChartFrame::paintTitles(QPainter& painter, const QRectF& plot) const
{
    const QFontMetricsF text(painter.font());
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    painter.drawText(QPointF(space::m, space::s + text.ascent()), y.title);
    // The x title stands in the corner below the y numbers, where it never meets a tick's label.
    painter.drawText(QPointF(space::m, plot.bottom() + space::xs + 2 + text.ascent()), x.title);
}

void ChartFrame::paintLegend(QPainter& painter, const QRectF& plot) const
{
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(painter.font());
    const double least = space::l + text.horizontalAdvance(y.title);
    const double middle = space::s + text.height() / 2;
    double right = plot.right();
    for (auto entry = legend.rbegin(); entry != legend.rend(); ++entry) {
        const double width = swatch + space::xs + text.horizontalAdvance(entry->text);
        if (right - width < least)
            return;
        const double left = right - width;
        const QColor color = theme[entry->look.color];
        painter.setPen(QPen(color, entry->look.shape == SeriesLook::Shape::FaintLine ? 1 : 2));
        painter.drawLine(QPointF(left, middle), QPointF(left + swatch, middle));
        if (entry->look.shape == SeriesLook::Shape::MarkedLine) {
            painter.setBrush(color);
            painter.drawEllipse(QPointF(left + swatch / 2, middle), 2.5, 2.5);
        }
        painter.setPen(theme[Theme::Role::Text]);
        painter.drawText(QPointF(left + swatch + space::xs, space::s + text.ascent()), entry->text);
        right = left - space::l;
    }
}

void ChartFrame::paintLevel(QPainter& painter, const QRectF& plot, const ChartLevel& level) const
{
    if (level.y < y.low || level.y > y.high || (y.log && level.y <= 0))
        return;
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(painter.font());
    const double at = std::round(toPlot(plot, x.low, level.y).y()) + 0.5;
    QPen pen(theme[level.color], 1.2, Qt::CustomDashLine);
    pen.setDashPattern({5, 4});
    painter.setPen(pen);
    painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at));
    // The words stand above the line, unless they would leave the plot.
    const double width = text.horizontalAdvance(level.label) + 2 * space::xs;
    const bool above = at - text.height() - 2 > plot.top();
    QRectF box(plot.left() + space::xs, above ? at - text.height() - 2 : at + 2, width, text.height());
    QColor ground = theme[Theme::Role::Panel];
    ground.setAlpha(215);
    painter.fillRect(box, ground);
    painter.setPen(theme[level.color]);
    painter.drawText(box, Qt::AlignCenter, level.label);
}

void ChartFrame::paintMissing(QPainter& painter, const QRectF& plot) const
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_appearance.theme()[Theme::Role::Error]);
    for (const double at : missing) {
        if (at < x.low || at > x.high)
            continue;
        const double px = toPlot(plot, at, y.low).x();
        const QPointF triangle[] = {{px - 4, plot.top()}, {px + 4, plot.top()}, {px, plot.top() + 7}};
        painter.drawPolygon(triangle, 3);
    }
}

void ChartFrame::paintCrosshair(QPainter& painter, const QRectF& plot) const
{
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(painter.font());
    const double at = std::round(toPlot(plot, *crosshair, y.low).x()) + 0.5;
    painter.setPen(QPen(theme[Theme::Role::Crosshair], 1));
    painter.drawLine(QPointF(at, plot.top()), QPointF(at, plot.bottom()));
    double width = 0;
    for (const QString& line : crosshairWords)
        width = std::max(width, text.horizontalAdvance(line));
    const double height = text.lineSpacing() * static_cast<double>(crosshairWords.size());
    QRectF box(at + space::s, plot.top() + space::xs, width + 2 * space::s, height + 2 * space::xs);
    if (box.right() > plot.right())
        box.moveRight(at - space::s);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme[Theme::Role::Tooltip]);
    painter.drawRoundedRect(box, space::radiusSmall, space::radiusSmall);
    painter.setPen(theme[Theme::Role::TooltipText]);
    painter.drawText(box.adjusted(space::s, space::xs, 0, 0), Qt::AlignLeft | Qt::AlignTop, crosshairWords.join('\n'));
}

} // namespace unroll
