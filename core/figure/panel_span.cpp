// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/panel_span.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

using Kind = FigureSeries::Kind;

/// The ends of values, as far as the axis can show them.
class Ends {
public:
    explicit Ends(bool log) : m_log(log) {}

    void add(double value)
    {
        if (!std::isfinite(value) || (m_log && !(value > 0)))
            return;
        m_low = std::min(m_low, value);
        m_high = std::max(m_high, value);
    }

    void addAll(const std::vector<double>& values)
    {
        for (const double value : values)
            add(value);
    }

    /// Half a place beyond the outer ones.
    void addPlaces(std::int64_t count)
    {
        if (count > 0 && !m_log) {
            add(-0.5);
            add(static_cast<double>(count) - 0.5);
        }
    }

    bool none() const { return m_low > m_high; }
    double low() const { return m_low; }
    double high() const { return m_high; }

    /// Wider by a share of itself at each end.
    void widen(double below, double above)
    {
        if (none())
            return;
        const double low = m_low, high = m_high;
        if (m_log) {
            m_low = low * std::pow(high / low, -below);
            m_high = high * std::pow(high / low, above);
        } else {
            m_low = low - (high - low) * below;
            m_high = high + (high - low) * above;
        }
    }

    /// Room that a side of zero does not need is taken back.
    void clip(bool notBelow, bool notAbove)
    {
        m_low = notBelow ? std::max(m_low, 0.0) : m_low;
        m_high = notAbove ? std::min(m_high, 0.0) : m_high;
    }

private:
    bool m_log;
    double m_low = std::numeric_limits<double>::infinity();
    double m_high = -std::numeric_limits<double>::infinity();
};

Span spanOf(const FigureAxis& axis, const Ends& ends)
{
    const auto fits = [&](const std::optional<double>& end) {
        return end && std::isfinite(*end) && (!axis.log || *end > 0);
    };
    Span span = ends.none() ? axis.log ? Span{1, 10} : Span{0, 1} : Span{ends.low(), ends.high()};
    if (fits(axis.low))
        span.low = *axis.low;
    if (fits(axis.high))
        span.high = *axis.high;
    if (span.low < span.high && std::isfinite(span.high - span.low))
        return span;
    if (axis.log)
        return {span.low / 2, span.low * 2};
    const double room = span.low == 0 ? 1 : std::abs(span.low) / 2;
    return std::isfinite(room) ? Span{span.low - room, span.low + room} : Span{0, 1};
}

bool has(const FigurePanel& panel, Kind kind)
{
    return std::any_of(panel.series.begin(), panel.series.end(),
                       [&](const FigureSeries& series) { return series.kind == kind; });
}

} // namespace

std::int64_t stepsOf(const FigurePanel& panel)
{
    if (!panel.x.steps)
        return 0;
    std::int64_t count = std::ssize(panel.x.labels);
    if (panel.cells)
        count = std::max(count, panel.cells->columns);
    for (const FigureSeries& series : panel.series)
        for (const double x : series.x)
            if (std::isfinite(x) && x >= 0 && x < 1e9)
                count = std::max(count, static_cast<std::int64_t>(x) + 1);
    return count;
}

double barSpacing(const FigurePanel& panel)
{
    std::vector<double> places;
    for (const FigureSeries& series : panel.series)
        if (series.kind == Kind::Bars)
            std::copy_if(series.x.begin(), series.x.end(), std::back_inserter(places),
                         [](double x) { return std::isfinite(x); });
    std::sort(places.begin(), places.end());
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < places.size(); ++i)
        if (places[i] > places[i - 1])
            least = std::min(least, places[i] - places[i - 1]);
    return std::isfinite(least) ? least : 1;
}

Span xSpan(const FigurePanel& panel)
{
    Ends ends(panel.x.log);
    if (panel.cells)
        ends.addPlaces(panel.cells->columns);
    ends.addPlaces(stepsOf(panel));
    ends.addPlaces(std::ssize(panel.x.labels));
    const bool places = !ends.none();
    for (const FigureSeries& series : panel.series)
        ends.addAll(series.x);
    for (const FigureCircle& circle : panel.circles) {
        ends.add(circle.x - circle.radius);
        ends.add(circle.x + circle.radius);
    }
    for (const FigureRule& rule : panel.rules)
        if (rule.vertical)
            ends.add(rule.at);
    if (has(panel, Kind::Bars) && !ends.none() && !panel.x.log && !places) {
        const double half = barSpacing(panel) / 2;
        const double low = ends.low(), high = ends.high();
        ends.add(low - half);
        ends.add(high + half);
    } else if (!places && (has(panel, Kind::Points) || !panel.circles.empty())) {
        ends.widen(0.04, 0.04);
    }
    return spanOf(panel.x, ends);
}

Span ySpan(const FigurePanel& panel)
{
    Ends ends(panel.y.log);
    if (panel.cells)
        ends.addPlaces(panel.cells->rows);
    ends.addPlaces(std::ssize(panel.y.labels));
    const bool places = !ends.none();
    for (const FigureSeries& series : panel.series)
        for (const std::vector<double>* values : {&series.y, &series.low, &series.high})
            ends.addAll(*values);
    for (const FigureCircle& circle : panel.circles) {
        ends.add(circle.y - circle.radius);
        ends.add(circle.y + circle.radius);
    }
    for (const FigureRule& rule : panel.rules)
        if (!rule.vertical)
            ends.add(rule.at);
    if (places)
        return spanOf(panel.y, ends);
    constexpr double room = 0.06;
    const bool bars = has(panel, Kind::Bars) && !panel.y.log;
    if (bars && !ends.none())
        ends.add(0);
    const double low = ends.low(), high = ends.high();
    ends.widen(bars && low == 0 ? 0 : room, bars && high == 0 ? 0 : room);
    if (!panel.y.log && !ends.none()) // near zero the axis begins there
        ends.clip(low >= 0, high <= 0);
    return spanOf(panel.y, ends);
}

std::int64_t leftOutByLog(const FigurePanel& panel)
{
    std::int64_t count = 0;
    for (const FigureSeries& series : panel.series)
        for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i)
            count += (panel.x.log && series.x[i] <= 0) || (panel.y.log && series.y[i] <= 0);
    return count;
}

} // namespace unroll
