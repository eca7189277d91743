// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a panel: title, legend, axes, cells. What is drawn over it is in figure_painter_series.cpp, the hand in
// figure_painter_hand.cpp.
#include "app/studio/figure/figure_painter.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/translated.h"

#include <QPaintDevice>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {} // namespace

FigurePainter::FigurePainter(QPainter& painter, const FigurePlot& plot, const Appearance& appearance)
    : m_painter(painter),
      m_plot(plot),
      m_panel(plot.panel()),
      m_appearance(appearance),
      m_theme(appearance.theme()),
      m_area(plot.area()),
      m_ratio(painter.device() != nullptr ? painter.device()->devicePixelRatioF() : 1)
{}

void FigurePainter::paint()
{
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    paintHead();
    m_painter.setFont(m_appearance.font(Type::Caption));
    m_panel.cells ? paintCells() : paintGrid();
    paintAcross();
    paintDown();
    paintTitles();
    m_painter.save();
    m_painter.setClipRect(m_area.adjusted(-figureStyle::point - 1, -figureStyle::point - 1, figureStyle::point + 1,
                                          figureStyle::point + 1));
    paintCircles();
    paintRules();
    for (const bool dim : {true, false})
        for (std::size_t i = 0; i < m_panel.series.size(); ++i)
            if (m_panel.series[i].dim == dim)
                paintSeries(i);
    paintRuleLabels();
    m_painter.restore();
    m_painter.restore();
}

double FigurePainter::snapped(double place) const
{
    return std::round(place * m_ratio) / m_ratio;
}

/// From device pixel to device pixel, so many whole ones thick.
void FigurePainter::hairline(const QPointF& from, const QPointF& to, const QColor& colour, double thick)
{
    const double wide = std::max(1.0, std::round(thick * m_ratio)) / m_ratio;
    QRectF line;
    if (from.x() == to.x())
        line = QRectF(QPointF(snapped(from.x() - wide / 2), from.y()), QPointF(0, to.y()));
    else
        line = QRectF(QPointF(from.x(), snapped(from.y() - wide / 2)), QPointF(to.x(), 0));
    from.x() == to.x() ? line.setWidth(wide) : line.setHeight(wide);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    m_painter.fillRect(line.normalized(), colour);
    m_painter.setRenderHint(QPainter::Antialiasing);
}

const ColourMap& FigurePainter::colours(const HeatEnds& range)
{
    auto& map = range.cyclic ? m_cyclic : range.diverging ? m_diverging : m_sequential;
    if (!map)
        map = range.cyclic      ? ColourMap::sequential(figureStyle::kRound)
              : range.diverging ? ColourMap::diverging(m_theme.divergingMap())
                                : ColourMap::sequential(m_theme.sequentialMap());
    return *map;
}

void FigurePainter::paintHead()
{
    const QString title = QString::fromStdString(m_panel.title);
    m_painter.setFont(m_appearance.font(Type::Strong));
    const QFontMetricsF strong(m_painter.font());
    m_painter.setPen(m_theme[Theme::Role::Text]);
    const QRectF line(m_area.left(), figureStyle::above,
                      std::max(0.0, m_plot.size().width() - m_area.left() - space::s), strong.height());
    m_painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, strong.elidedText(title, Qt::ElideRight, line.width()));
    m_painter.setFont(m_appearance.font(Type::Caption));
    const QFontMetricsF text(m_painter.font());
    for (const FigurePlot::Entry& entry : m_plot.legend()) {
        paintSign(entry.series, QRectF(entry.place.left(), entry.place.top(), figureStyle::sign, entry.place.height()));
        m_painter.setPen(m_theme[Theme::Role::TextDim]);
        const QRectF words = entry.place.adjusted(figureStyle::sign + space::xs, 0, 0, 0);
        m_painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                           text.elidedText(QString::fromStdString(m_panel.series[entry.series].name), Qt::ElideRight,
                                           words.width() + 1));
    }
    QString note;
    if (m_plot.legendLeftOut() > 0)
        note = tr("and %1 more").arg(m_plot.legendLeftOut());
    if (const std::int64_t left = m_plot.axes().leftOut; left > 0) {
        const QString out =
            left == 1 ? tr("1 value is not positive") : tr("%1 values are not positive").arg(countText(left));
        note = note.isEmpty() ? out : note + QStringLiteral("  ·  ") + out;
    }
    const QRectF row(m_area.left(), figureStyle::above, m_area.width(), strong.height());
    m_painter.setPen(m_theme[Theme::Role::TextDim]);
    m_painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, note);
}

void FigurePainter::paintSign(std::size_t series, const QRectF& place)
{
    const FigureSeries& of = m_panel.series[series];
    const QColor colour = shadeColour(series, of.shade.size() / 2); // of shaded points one of their own colours
    const QPointF middle = place.center();
    if (of.kind == FigureSeries::Kind::Line) {
        m_painter.setPen(penOf(m_theme, m_panel, series));
        m_painter.drawLine(QPointF(place.left(), middle.y()), QPointF(place.right(), middle.y()));
    } else if (of.kind == FigureSeries::Kind::Bars) {
        const double side = 9;
        m_painter.fillRect(QRectF(middle.x() - side / 2, snapped(middle.y() - side / 2), side, side), colour);
    } else {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour);
        paintShape(middle, shapeOf(m_panel, series), figureStyle::point + 0.6);
    }
    m_painter.setBrush(Qt::NoBrush);
}

void FigurePainter::paintGrid()
{
    const QColor grid = m_theme[Theme::Role::ChartGrid];
    if (m_panel.y.labels.empty())
        for (const Tick& tick : ticksOf(m_plot.axes().y, m_plot.ticksDown(), false)) {
            const double y = m_plot.at(m_plot.axes().x.low, tick.value).y();
            hairline({m_area.left(), y}, {m_area.right(), y}, grid);
        }
    if (m_panel.x.labels.empty() && !m_panel.x.steps)
        for (const Tick& tick : ticksOf(m_plot.axes().x, m_plot.ticksAcross(), false)) {
            const double x = m_plot.at(tick.value, m_plot.axes().y.low).x();
            hairline({x, m_area.top()}, {x, m_area.bottom()}, grid);
        }
    const QColor axis = m_theme[Theme::Role::ChartAxis];
    const AxisRange& y = m_plot.axes().y;
    const bool zero = !y.log && y.low < 0 && y.high > 0;
    if (zero)
        hairline({m_area.left(), m_plot.at(0, 0).y()}, {m_area.right(), m_plot.at(0, 0).y()}, axis);
    if (!zero || m_panel.square)
        hairline(m_area.bottomLeft(), m_area.bottomRight(), axis);
    if (m_panel.square)
        hairline(m_area.topLeft(), m_area.bottomLeft(), axis);
}

void FigurePainter::paintAcross()
{
    const ColumnLabels& labels = m_plot.labels();
    const QFontMetricsF text(m_painter.font());
    const double top = m_area.bottom() + space::xs;
    if (labels.lines > 0) {
        m_painter.save();
        m_painter.setFont(labels.font);
        m_painter.setPen(m_theme[m_panel.x.steps ? Theme::Role::Text : Theme::Role::TextDim]);
        const double line = QFontMetricsF(labels.font).height();
        for (const ColumnLabels::Label& label : labels.labels)
            m_painter.drawText(QRectF(m_area.left() + label.left, top + label.line * line, label.width, line),
                               Qt::AlignCenter | Qt::TextDontClip,
                               QString::fromStdString(m_panel.x.labels[static_cast<std::size_t>(label.column)]));
        m_painter.restore();
        return;
    }
    m_painter.setPen(m_theme[Theme::Role::TextDim]);
    const bool whole = m_panel.x.steps || m_panel.cells || !m_panel.x.labels.empty();
    for (const Tick& tick : ticksOf(m_plot.axes().x, m_plot.ticksAcross(), whole, m_panel.x.steps ? 1 : 0)) {
        const double x = m_plot.at(tick.value, m_plot.axes().y.low).x(), half = 4 * text.height();
        m_painter.drawText(QRectF(x - half, top, 2 * half, text.height()), Qt::AlignCenter, tick.label);
    }
}

void FigurePainter::paintDown()
{
    const QFontMetricsF text(m_painter.font());
    m_painter.setPen(m_theme[Theme::Role::TextDim]);
    const double left = m_panel.y.title.empty() ? 0 : text.height() + space::s;
    const double wide = std::max(0.0, m_area.left() - space::s - left);
    const auto put = [&](double value, const QString& words) {
        const double y = m_plot.at(m_plot.axes().x.low, value).y();
        m_painter.drawText(QRectF(left, y - text.height(), wide, 2 * text.height()), Qt::AlignRight | Qt::AlignVCenter,
                           text.elidedText(words, Qt::ElideMiddle, wide + 1));
    };
    if (!m_panel.y.labels.empty()) {
        const auto count = static_cast<double>(m_panel.y.labels.size());
        const double row = m_area.height() / std::max(1.0, m_plot.axes().y.high - m_plot.axes().y.low);
        const auto every =
            static_cast<std::size_t>(std::max(1.0, std::ceil(0.92 * text.height() / std::max(row, 1e-3))));
        for (std::size_t i = 0; static_cast<double>(i) < count; i += every)
            put(static_cast<double>(i), QString::fromStdString(m_panel.y.labels[i]));
        return;
    }
    for (const Tick& tick : ticksOf(m_plot.axes().y, m_plot.ticksDown(), m_panel.cells.has_value())) {
        const auto row = static_cast<std::size_t>(std::max(0.0, tick.value));
        const bool unit = m_panel.cells && row < m_panel.cells->units.size();
        put(tick.value, unit ? QString::number(m_panel.cells->units[row]) : tick.label);
    }
}

/// Titles of the axes: below, and vertical at the left.
void FigurePainter::paintTitles()
{
    const QFontMetricsF text(m_painter.font());
    m_painter.setPen(m_theme[Theme::Role::TextDim]);
    const ColumnLabels& labels = m_plot.labels();
    const double lines = labels.lines > 0 ? labels.lines * QFontMetricsF(labels.font).height() : text.height();
    QString across = QString::fromStdString(m_panel.x.title);
    if (labels.lines > 0 && labels.every > 1)
        across += (across.isEmpty() ? QString() : QStringLiteral("  ·  ")) + tr("1 in %1 shown").arg(labels.every);
    m_painter.drawText(QRectF(m_area.left(), m_area.bottom() + space::xs + lines, m_area.width(), text.height()),
                       Qt::AlignCenter | Qt::TextDontClip, across);
    if (m_panel.y.title.empty())
        return;
    m_painter.save();
    m_painter.translate(space::xs, m_area.center().y());
    m_painter.rotate(-90);
    const double length = m_area.height() + space::l;
    m_painter.drawText(QRectF(-length / 2, 0, length, text.height()), Qt::AlignCenter,
                       text.elidedText(QString::fromStdString(m_panel.y.title), Qt::ElideRight, length));
    m_painter.restore();
}

/// There may be fewer columns than the axis has steps, and fewer rows than it has places.
void FigurePainter::paintCells()
{
    const FigureCells& cells = *m_panel.cells;
    if (cells.rows < 1 || cells.columns < 1)
        return;
    const QRectF all = m_area & (m_plot.cell(0, 0) | m_plot.cell(cells.rows - 1, cells.columns - 1));
    const QRectF place(QPointF(snapped(all.left()), snapped(all.top())),
                       QPointF(snapped(all.right()), snapped(all.bottom())));
    const QSize pixels = (place.size() * m_ratio).toSize();
    QImage image = cellsImage(cells, *m_plot.cellRange(), colours(*m_plot.cellRange()),
                              m_theme[Theme::Role::HeatMissing].rgb(), pixels);
    image.setDevicePixelRatio(m_ratio);
    m_painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    m_painter.drawImage(place, image);
    const QColor frame = m_theme[Theme::Role::HeatFrame];
    const double half = 0.5 / m_ratio;
    hairline(place.topLeft() - QPointF(0, half), place.topRight() - QPointF(0, half), frame);
    hairline(place.bottomLeft() + QPointF(0, half), place.bottomRight() + QPointF(0, half), frame);
    hairline(place.topLeft() - QPointF(half, 0), place.bottomLeft() - QPointF(half, 0), frame);
    hairline(place.topRight() + QPointF(half, 0), place.bottomRight() + QPointF(half, 0), frame);
    paintColourBar();
}

void FigurePainter::paintColourBar()
{
    const HeatEnds& range = *m_plot.cellRange();
    const ColourMap& map = colours(range);
    const QRectF bar(snapped(m_area.right() + space::m), m_area.top(), figureStyle::colourBar,
                     std::min(m_area.height(), 180.0));
    QImage strip(1, 256, QImage::Format_RGB32);
    for (int i = 0; i < 256; ++i)
        strip.setPixel(0, 255 - i, map[i]);
    m_painter.drawImage(bar, strip);
    m_painter.setPen(QPen(m_theme[Theme::Role::HeatFrame], 1 / m_ratio));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(bar);
    const QFontMetricsF text(m_painter.font());
    m_painter.setPen(m_theme[Theme::Role::TextDim]);
    const auto put = [&](float value) {
        const double share = static_cast<double>((value - range.low) / (range.high - range.low));
        const double y = std::clamp(bar.bottom() - share * bar.height(), bar.top() + text.height() / 2 - 2,
                                    bar.bottom() - text.height() / 2 + 2);
        m_painter.drawText(QRectF(bar.right() + space::xs, y - text.height() / 2, 200, text.height()),
                           Qt::AlignLeft | Qt::AlignVCenter, endText(range, value));
    };
    put(range.high);
    put(range.low);
    if (bar.height() > 3.5 * text.height())
        put(middleOf(range));
}

} // namespace unroll
