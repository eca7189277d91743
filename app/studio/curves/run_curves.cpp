// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/run_curves.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

/// What `to` holds where `from` holds x, with from[i] <= x < from[i + 1].
double between(const std::vector<double>& from, const std::vector<double>& to, std::size_t i, double x)
{
    return to[i] + (to[i + 1] - to[i]) * (x - from[i]) / (from[i + 1] - from[i]);
}

std::size_t countUpTo(const std::vector<double>& values, double x)
{
    return static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), x) - values.begin());
}

} // namespace

void RunClock::append(const MetricRow& row)
{
    const auto step = static_cast<double>(row.step);
    const auto tokens = static_cast<double>(row.tokens);
    const double seconds = std::isfinite(row.seconds) ? row.seconds : 0;
    if (empty() || step > m_steps.back()) {
        m_tokens.push_back(empty() ? tokens : std::max(tokens, m_tokens.back()));
        m_seconds.push_back(empty() ? seconds : std::max(seconds, m_seconds.back()));
        m_steps.push_back(step);
    } else if (step == m_steps.back()) {
        m_tokens.back() = std::max(tokens, m_tokens.back());
        m_seconds.back() = std::max(seconds, m_seconds.back());
    }
}

const std::vector<double>& RunClock::column(XUnit unit) const
{
    switch (unit) {
    case XUnit::Steps: return m_steps;
    case XUnit::Seconds: return m_seconds;
    case XUnit::Tokens:
    case XUnit::Flops:
    case XUnit::Epochs: break;
    }
    return m_tokens;
}

void RunClock::setMeasures(const RunMeasures& measures)
{
    m_flopsAToken = std::isfinite(measures.flopsAToken) ? std::max(0.0, measures.flopsAToken) : 0;
    m_tokensAnEpoch = static_cast<double>(std::max<std::int64_t>(0, measures.tokensAnEpoch));
}

bool RunClock::has(XUnit unit) const
{
    return unit == XUnit::Flops ? m_flopsAToken > 0 : unit != XUnit::Epochs || m_tokensAnEpoch > 0;
}

/// Without a measure there is no x to go by: everything is at 0.
double RunClock::fromColumn(XUnit unit, double logged) const
{
    if (!has(unit))
        return 0;
    return unit == XUnit::Flops ? logged * m_flopsAToken : unit == XUnit::Epochs ? logged / m_tokensAnEpoch : logged;
}

double RunClock::toColumn(XUnit unit, double x) const
{
    if (!has(unit))
        return 0;
    return unit == XUnit::Flops ? x / m_flopsAToken : unit == XUnit::Epochs ? x * m_tokensAnEpoch : x;
}

double RunClock::firstPositive(XUnit unit) const
{
    const std::vector<double>& values = column(unit);
    const std::size_t i = countUpTo(values, 0);
    return i < values.size() && has(unit) ? fromColumn(unit, values[i]) : INFINITY;
}

double RunClock::at(XUnit unit, double step) const
{
    if (unit == XUnit::Steps || empty())
        return step;
    const std::vector<double>& values = column(unit);
    const std::size_t after = countUpTo(m_steps, step);
    if (after == 0)
        return fromColumn(unit, values.front());
    return fromColumn(unit, after == m_steps.size() ? values.back() : between(m_steps, values, after - 1, step));
}

double RunClock::stepAt(XUnit unit, double x) const
{
    if (unit == XUnit::Steps || empty())
        return x;
    const std::vector<double>& values = column(unit);
    x = toColumn(unit, x);
    const std::size_t after = countUpTo(values, x);
    if (after == 0)
        return -INFINITY;
    if (after == values.size())
        return x > values.back() ? INFINITY : m_steps.back();
    return between(values, m_steps, after - 1, x);
}

void RunCurves::append(const std::vector<MetricRow>& rows)
{
    for (const MetricRow& row : rows) {
        m_clock.append(row);
        const auto step = static_cast<double>(row.step);
        for (const auto& [name, value] : row.values) {
            SeriesStore& store = m_metrics[name];
            if (store.empty() || step >= store.x(store.size() - 1))
                store.append(step, value);
        }
    }
}

const SeriesStore* RunCurves::find(const std::string& metric) const
{
    const auto found = m_metrics.find(metric);
    return found == m_metrics.end() || found->second.empty() ? nullptr : &found->second;
}

} // namespace unroll
