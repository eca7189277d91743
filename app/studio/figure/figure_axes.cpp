// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

/// The ends of values that are numbers, and can be shown.
struct Extent {
    bool log = false;
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    std::int64_t leftOut = 0;

    bool isEmpty() const { return low > high; }
    void take(double value)
    {
        if (!std::isfinite(value))
            return;
        if (log && !(value > 0)) {
            ++leftOut;
            return;
        }
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void take(const std::vector<double>& values)
    {
        for (const double value : values)
            take(value);
    }
};

bool hasBars(const FigurePanel& panel)
{
    return std::any_of(panel.series.begin(), panel.series.end(),
                       [](const FigureSeries& series) { return series.kind == FigureSeries::Kind::Bars; });
}

bool hasPoints(const FigurePanel& panel)
{
    return std::any_of(panel.series.begin(), panel.series.end(),
                       [](const FigureSeries& series) { return series.kind == FigureSeries::Kind::Points; });
}

/// What the axis says wins.
AxisRange withEnds(AxisRange range, const FigureAxis& axis)
{
    const bool low = axis.low && std::isfinite(*axis.low) && (!axis.log || *axis.low > 0);
    const bool high = axis.high && std::isfinite(*axis.high) && (!axis.log || *axis.high > 0);
    if (low)
        range.low = *axis.low;
    if (high)
        range.high = *axis.high;
    if (!(range.high > range.low)) {
        if (axis.log)
            (high && !low ? range.low : range.high) = high && !low ? range.high / 10 : range.low * 10;
        else
            (high && !low ? range.low : range.high) = high && !low ? range.high - 1 : range.low + 1;
    }
    return range;
}

AxisRange rangeOf(const Extent& extent, const FigureAxis& axis, double pad)
{
    AxisRange range{0, 1, axis.log, QString::fromStdString(axis.title)};
    if (axis.log)
        range.low = 0.1;
    if (!extent.isEmpty()) {
        std::tie(range.low, range.high) = std::pair(extent.low, extent.high);
        if (axis.log) {
            const double factor = range.high > range.low ? std::pow(range.high / range.low, pad) : 2;
            range.low /= factor;
            range.high *= factor;
        } else if (pad > 0 || !(range.high > range.low)) {
            std::tie(range.low, range.high) = padded(range.low, range.high);
        }
    }
    return withEnds(range, axis);
}

AxisRange placesRange(double count, const FigureAxis& axis)
{
    return withEnds({-0.5, std::max(count, 1.0) - 0.5, false, QString::fromStdString(axis.title)}, axis);
}

AxisRange xRange(const FigurePanel& panel, std::int64_t steps, std::int64_t& leftOut)
{
    if (panel.x.steps && steps > 0)
        return placesRange(static_cast<double>(steps), panel.x);
    if (panel.cells)
        return placesRange(static_cast<double>(panel.cells->columns), panel.x);
    if (!panel.x.labels.empty())
        return placesRange(static_cast<double>(panel.x.labels.size()), panel.x);
    Extent extent{panel.x.log};
    for (const FigureSeries& series : panel.series)
        extent.take(series.x);
    for (const FigureCircle& circle : panel.circles) {
        extent.take(circle.x - circle.radius);
        extent.take(circle.x + circle.radius);
    }
    for (const FigureRule& rule : panel.rules)
        if (rule.vertical)
            extent.take(rule.at);
    leftOut += extent.leftOut;
    if (hasBars(panel) && !panel.x.log && !extent.isEmpty()) {
        extent.low -= halfSlot(panel);
        extent.high += halfSlot(panel);
        return rangeOf(extent, panel.x, 0);
    }
    return rangeOf(extent, panel.x, hasPoints(panel) || panel.square ? 0.05 : 0);
}

AxisRange yRange(const FigurePanel& panel, std::int64_t& leftOut)
{
    if (panel.cells)
        return placesRange(static_cast<double>(panel.cells->rows), panel.y);
    if (!panel.y.labels.empty())
        return placesRange(static_cast<double>(panel.y.labels.size()), panel.y);
    Extent extent{panel.y.log};
    for (const FigureSeries& series : panel.series)
        extent.take(series.y);
    leftOut += extent.leftOut;
    for (const FigureSeries& series : panel.series) {
        extent.take(series.low);
        extent.take(series.high);
    }
    for (const FigureCircle& circle : panel.circles) {
        extent.take(circle.y - circle.radius);
        extent.take(circle.y + circle.radius);
    }
    for (const FigureRule& rule : panel.rules)
        if (!rule.vertical)
            extent.take(rule.at);
    if (hasBars(panel) && !panel.y.log)
        extent.take(0);
    return rangeOf(extent, panel.y, 0.05);
}

} // namespace

std::int64_t stepCount(const FigurePanel& panel)
{
    if (!panel.x.steps)
        return 0;
    auto steps = static_cast<std::int64_t>(panel.x.labels.size());
    if (panel.cells)
        steps = std::max(steps, panel.cells->columns);
    for (const FigureSeries& series : panel.series)
        for (const double x : series.x)
            if (std::isfinite(x) && x < 1e7)
                steps = std::max(steps, static_cast<std::int64_t>(std::floor(x)) + 1);
    return steps;
}

std::int64_t stepCount(const Figure& figure)
{
    std::int64_t steps = 0;
    for (const FigurePanel& panel : figure.panels)
        steps = std::max(steps, stepCount(panel));
    return steps;
}

double halfSlot(const FigurePanel& panel)
{
    double least = std::numeric_limits<double>::infinity();
    for (const FigureSeries& series : panel.series) {
        if (series.kind != FigureSeries::Kind::Bars)
            continue;
        std::vector<double> x = series.x;
        std::sort(x.begin(), x.end());
        for (std::size_t i = 1; i < x.size(); ++i)
            if (x[i] > x[i - 1])
                least = std::min(least, x[i] - x[i - 1]);
    }
    return std::isfinite(least) ? least / 2 : 0.5;
}

FigureAxes axesOf(const FigurePanel& panel, std::int64_t steps)
{
    FigureAxes axes;
    axes.x = xRange(panel, steps, axes.leftOut);
    axes.y = yRange(panel, axes.leftOut);
    axes.down = panel.cells.has_value();
    return axes;
}

std::vector<Tick> ticksOf(const AxisRange& axis, int wanted, bool whole, double offset)
{
    if (axis.log)
        return logTicks(axis.low, axis.high, wanted);
    if (!whole)
        return linearTicks(axis.low, axis.high, wanted);
    std::vector<Tick> ticks;
    const double low = std::ceil(axis.low) + offset, high = std::floor(axis.high) + offset;
    if (!(high > low))
        return {{low - offset, QString::number(low)}};
    for (Tick& tick : linearTicks(low, high, wanted))
        if (tick.value == std::floor(tick.value))
            ticks.push_back({tick.value - offset, tick.label});
    return ticks;
}

} // namespace unroll
