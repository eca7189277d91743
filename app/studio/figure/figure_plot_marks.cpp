// SPDX-License-Identifier: GPL-3.0-or-later
// What of a panel is under the pointer, and what it stands for.
#include "app/studio/figure/figure_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

constexpr double kReach = 28;       ///< pixels to a point that is meant
constexpr double kAcrossWeight = 6; ///< of a line or bars: what is above or below is meant, and the nearest of those

} // namespace

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
