// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_plot.h"

#include "app/studio/figure/figure_style.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace unroll {

namespace {

constexpr double kLeastArea = 72; ///< pixels
constexpr double kLeastRow = 2;
constexpr double kMostRow = 14; ///< that is asked for, where cells have names
constexpr int kMostLegendRows = 2;

bool hasNamedSeries(const FigurePanel& panel)
{
    return std::any_of(panel.series.begin(), panel.series.end(),
                       [&](const FigureSeries& each) { return isInLegend(panel, each); });
}

double widest(const std::vector<Tick>& ticks, const QFontMetricsF& text)
{
    double wide = 0;
    for (const Tick& tick : ticks)
        wide = std::max(wide, text.horizontalAdvance(tick.label));
    return wide;
}

constexpr double kReach = 28;       ///< pixels to a point that is meant
constexpr double kAcrossWeight = 6; ///< of a line or bars: what is above or below is meant, and the nearest of those

} // namespace

FigurePlot::FigurePlot(std::shared_ptr<const Figure> figure, std::size_t panel, std::int64_t steps)
    : m_figure(std::move(figure)), m_index(panel), m_steps(steps), m_axes(axesOf(m_figure->panels[panel], steps))
{
    if (this->panel().cells)
        m_cellRange = rangeOf(*this->panel().cells);
}

FigureMargins FigurePlot::leastMargins(const Appearance& appearance) const
{
    const QFontMetricsF text(appearance.font(Type::Caption));
    double left = 0;
    if (!panel().y.labels.empty()) {
        for (const std::string& label : panel().y.labels)
            left = std::max(left, text.horizontalAdvance(QString::fromStdString(label)));
        left = std::min(left, figureStyle::widestRowLabel * text.height());
    } else {
        left = widest(ticksOf(m_axes.y, 5, panel().cells.has_value()), text);
    }
    left += space::s;
    if (!panel().y.title.empty())
        left += text.height() + space::xs;
    double right = space::m;
    if (m_cellRange) {
        const double numbers = std::max({text.horizontalAdvance(endText(*m_cellRange, m_cellRange->low)),
                                         text.horizontalAdvance(endText(*m_cellRange, m_cellRange->high)),
                                         text.horizontalAdvance(endText(*m_cellRange, middleOf(*m_cellRange)))});
        right = space::m + figureStyle::colourBar + space::xs + numbers + space::xs;
    }
    return {space::m + left, right};
}

double FigurePlot::leastHeight(const Appearance& appearance) const
{
    const QFontMetricsF text(appearance.font(Type::Caption));
    double area = kLeastArea;
    if (panel().cells) {
        const auto rows = static_cast<double>(panel().cells->rows);
        area = std::max(kLeastRow * rows, std::min(area, kMostRow * rows));
    }
    const bool titled = !panel().title.empty() || hasNamedSeries(panel());
    return figureStyle::above + area +
           (titled ? QFontMetricsF(appearance.font(Type::Strong)).height() + space::xs : space::xs) +
           3 * text.height() + space::s;
}

bool FigurePlot::hasPlaces() const
{
    const auto labels = static_cast<double>(panel().x.labels.size());
    return labels > 0 && m_axes.x.low == -0.5 && labels <= m_axes.x.high + 0.5;
}

/// Labels of the steps or ticks, and the title of the axis below them.
double FigurePlot::footer(const Appearance& appearance) const
{
    const double line = QFontMetricsF(appearance.font(Type::Caption)).height();
    double height = space::xs;
    height += m_labels.lines > 0 ? m_labels.lines * QFontMetricsF(m_labels.font).height() : line;
    const bool thinned = m_labels.lines > 0 && m_labels.every > 1;
    if (!panel().x.title.empty() || thinned)
        height += line;
    return height + space::xs;
}

void FigurePlot::layOut(const QSizeF& size, const FigureMargins& margins, const Appearance& appearance)
{
    m_size = size;
    const QFontMetricsF text(appearance.font(Type::Caption)), strong(appearance.font(Type::Strong));
    const QString title = QString::fromStdString(panel().title);
    m_area = QRectF(margins.left, 0, std::max(1.0, size.width() - margins.left - margins.right), 1);
    const bool titled = !title.isEmpty() || hasNamedSeries(panel());
    m_head = figureStyle::above + (titled ? strong.height() + space::xs : space::xs);
    layOutLegend(title.isEmpty() ? 0 : strong.horizontalAdvance(title) + space::l, text.height() + space::xs / 2.0,
                 appearance);
    std::vector<QString> labels;
    if (hasPlaces())
        for (const std::string& label : panel().x.labels)
            labels.push_back(QString::fromStdString(label));
    m_axes = axesOf(panel(), m_steps);
    const auto places = static_cast<std::int64_t>(std::lround(m_axes.x.high + 0.5));
    const QFont letters = appearance.font(panel().x.steps ? Type::Mono : Type::Caption);
    for (int pass = 0; pass < 2; ++pass) { // a square area may be narrower, and have other labels
        m_labels = labels.empty() ? ColumnLabels{letters, 0, 1, {}}
                                  : ColumnLabels::of(labels, places, m_area.width(), letters);
        m_area = QRectF(margins.left, m_head, std::max(1.0, size.width() - margins.left - margins.right),
                        std::max(1.0, size.height() - m_head - footer(appearance)));
        if (panel().square)
            makeSquare();
    }
    if (!labels.empty())
        m_labels = ColumnLabels::of(labels, places, m_area.width(), letters);
    m_ticksDown = std::clamp(static_cast<int>(m_area.height() / (2.6 * text.height())), 2, 8);
    m_ticksAcross = std::clamp(static_cast<int>(m_area.width() / (5.5 * text.height())), 2, 12);
}

/// Names beside the title, in further rows where there is no room; what finds none is counted.
void FigurePlot::layOutLegend(double titleWidth, double rowHeight, const Appearance& appearance)
{
    m_legend.clear();
    m_legendLeftOut = 0;
    const QFontMetricsF text(appearance.font(Type::Caption));
    double left = m_area.left() + titleWidth,
           top = figureStyle::above + (m_head - figureStyle::above - space::xs - text.height()) / 2;
    int row = 0;
    for (std::size_t i = 0; i < panel().series.size(); ++i) {
        const FigureSeries& series = panel().series[i];
        if (!isInLegend(panel(), series))
            continue;
        const double wide = figureStyle::sign + space::xs + text.horizontalAdvance(QString::fromStdString(series.name));
        if (left + wide > m_area.right() && left > m_area.left()) {
            if (++row >= kMostLegendRows) {
                ++m_legendLeftOut;
                continue;
            }
            left = m_area.left();
            top = m_head - space::xs / 2.0;
            m_head += rowHeight;
        }
        if (row >= kMostLegendRows) {
            ++m_legendLeftOut;
            continue;
        }
        m_legend.push_back({i, QRectF(left, top, std::min(wide, m_area.right() - left), text.height())});
        left += wide + space::m;
    }
}

/// A unit is as long across as down. Values that need no fixed ends get room around them, so that the area is not a
/// strip.
void FigurePlot::makeSquare()
{
    AxisRange &x = m_axes.x, &y = m_axes.y;
    if (x.log || y.log)
        return;
    const auto grow = [](AxisRange& range, double length) {
        const double middle = (range.low + range.high) / 2;
        range.low = middle - length / 2;
        range.high = middle + length / 2;
    };
    if (!panel().cells) {
        const double across = x.high - x.low, down = y.high - y.low;
        if (across > 2 * down && !panel().y.low && !panel().y.high)
            grow(y, across / 2);
        if (down > across && !panel().x.low && !panel().x.high)
            grow(x, down);
    }
    const double aspect = (x.high - x.low) / (y.high - y.low);
    const double wide = std::min(m_area.width(), m_area.height() * aspect);
    m_area.setSize({std::max(1.0, wide), std::max(1.0, wide / aspect)});
}

QPointF FigurePlot::at(double x, double y) const
{
    const double share = m_axes.y.shareOf(y);
    return {m_area.left() + m_axes.x.shareOf(x) * m_area.width(),
            m_axes.down ? m_area.top() + share * m_area.height() : m_area.bottom() - share * m_area.height()};
}

QPointF FigurePlot::ruleAt(const FigureRule& rule) const
{
    const bool shown = rule.vertical ? isShown(rule.at, m_axes.y.low) : isShown(m_axes.x.low, rule.at);
    return !shown ? QPointF(-1e6, -1e6)
                  : at(rule.vertical ? rule.at : m_axes.x.low, rule.vertical ? m_axes.y.low : rule.at);
}

bool FigurePlot::isShown(double x, double y) const
{
    return std::isfinite(x) && std::isfinite(y) && (!m_axes.x.log || x > 0) && (!m_axes.y.log || y > 0);
}

QRectF FigurePlot::bar(std::size_t series, std::size_t index) const
{
    std::size_t kinds = 0, before = 0;
    for (std::size_t i = 0; i < panel().series.size(); ++i)
        if (panel().series[i].kind == FigureSeries::Kind::Bars) {
            before += i < series ? 1 : 0;
            ++kinds;
        }
    const FigureSeries& bars = panel().series[series];
    const double x = bars.x[index], y = bars.y[index];
    if (!isShown(x, y))
        return {};
    const double half = halfSlot(panel());
    const double slot = at(x + half, y).x() - at(x - half, y).x();
    const double one = slot * (slot < 4 ? 1.0 : 0.72) / static_cast<double>(std::max<std::size_t>(kinds, 1));
    const double all = one * static_cast<double>(kinds);
    const double left = at(x, y).x() - all / 2 + one * static_cast<double>(before);
    const double foot = at(x, m_axes.y.log ? m_axes.y.low : std::clamp(0.0, m_axes.y.low, m_axes.y.high)).y();
    return QRectF(QPointF(left, foot), QPointF(left + one, at(x, y).y())).normalized();
}

QRectF FigurePlot::cell(std::int64_t row, std::int64_t column) const
{
    const auto r = static_cast<double>(row), c = static_cast<double>(column);
    return QRectF(at(c - 0.5, r - 0.5), at(c + 0.5, r + 0.5)).normalized();
}

bool FigurePlot::has(const FigureMark& mark) const
{
    if (mark.series)
        return *mark.series < panel().series.size() && mark.index >= 0 &&
               mark.index < std::ssize(panel().series[*mark.series].x);
    const auto& cells = panel().cells;
    return cells && mark.row >= 0 && mark.row < cells->rows && mark.index >= 0 && mark.index < cells->columns;
}

std::optional<QPointF> FigurePlot::placeOf(const FigureMark& mark) const
{
    if (!has(mark))
        return {};
    if (!mark.series)
        return cell(mark.row, mark.index).center();
    const FigureSeries& series = panel().series[*mark.series];
    const auto index = static_cast<std::size_t>(mark.index);
    if (!isShown(series.x[index], series.y[index]))
        return {};
    if (series.kind == FigureSeries::Kind::Bars) {
        const QRectF whole = bar(*mark.series, index);
        return QPointF(whole.center().x(), at(series.x[index], series.y[index]).y());
    }
    return at(series.x[index], series.y[index]);
}

std::optional<FigureMark> FigurePlot::nearest(const QPointF& pointer) const
{
    if (!m_area.contains(pointer))
        return {};
    std::optional<FigureMark> best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < panel().series.size(); ++s) {
        const FigureSeries& series = panel().series[s];
        const bool points = series.kind == FigureSeries::Kind::Points || panel().square;
        const double most = points || panel().cells ? kReach : std::numeric_limits<double>::infinity();
        for (std::int64_t i = 0; i < std::ssize(series.x); ++i) {
            const auto place = placeOf({s, i, 0});
            if (!place)
                continue;
            const QPointF away = *place - pointer;
            const double far = std::hypot(away.x() * (points ? 1 : kAcrossWeight), away.y());
            if (far < least && far <= most) {
                least = far;
                best = FigureMark{s, i, 0};
            }
        }
    }
    if (best || !panel().cells)
        return best;
    const double column = m_axes.x.valueAt((pointer.x() - m_area.left()) / m_area.width());
    const double row = m_axes.y.valueAt((pointer.y() - m_area.top()) / m_area.height());
    const FigureMark mark{{}, std::lround(column), std::lround(row)};
    return has(mark) ? std::optional(mark) : std::nullopt;
}

std::int64_t FigurePlot::stepNear(double x) const
{
    const double step = m_axes.x.valueAt((x - m_area.left()) / m_area.width());
    return std::clamp<std::int64_t>(std::lround(std::clamp(step, -1e9, 1e9)), 0,
                                    std::max<std::int64_t>(m_steps - 1, 0));
}

std::optional<std::int64_t> FigurePlot::stepAt(const QPointF& pointer) const
{
    return steps() > 0 && m_area.contains(pointer) ? std::optional(stepNear(pointer.x())) : std::nullopt;
}

std::optional<std::int64_t> FigurePlot::stepOf(const FigureMark& mark) const
{
    if (steps() == 0 || !has(mark))
        return {};
    const double x = mark.series ? panel().series[*mark.series].x[static_cast<std::size_t>(mark.index)]
                                 : static_cast<double>(mark.index);
    return std::isfinite(x) && x > -0.5 && x < static_cast<double>(m_steps) - 0.5 ? std::optional(std::llround(x))
                                                                                  : std::nullopt;
}

std::vector<std::int64_t> FigurePlot::unitsOf(const FigureMark& mark) const
{
    if (!has(mark))
        return {};
    const auto& units = mark.series ? panel().series[*mark.series].units : panel().cells->units;
    const auto at = static_cast<std::size_t>(mark.series ? mark.index : mark.row);
    return at < units.size() && units[at] >= 0 ? std::vector{units[at]} : std::vector<std::int64_t>{};
}

} // namespace unroll
