// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/study_view_state.h"

#include "app/studio/theme/number_text.h"
#include "app/studio/theme/translated.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

/// Choices have a place each; a range that is one value gets room around it.
AxisRange rangeOfAxis(const StudyAxis& axis)
{
    AxisRange range{axis.low, axis.high, axis.log, QString::fromStdString(axis.key)};
    if (!axis.choices.empty())
        return {-0.5, static_cast<double>(axis.choices.size()) - 0.5, false, range.title};
    if (!(range.high > range.low)) {
        range.high = axis.log ? range.low * 1.1 : range.low + std::max(1.0, std::abs(range.low) * 0.1);
        range.low = axis.log ? range.low / 1.1 : range.low - std::max(1.0, std::abs(range.low) * 0.1);
    }
    return range;
}

} // namespace

StudyPlot::StudyPlot(std::shared_ptr<const StudyResults> results, const StudyWatch& watch)
    : m_results(std::move(results))
{
    for (const StudyAxis& axis : m_results->axes)
        m_ranges.push_back(rangeOfAxis(axis));
    m_ranges.push_back(valueRange(watch.logValue));
    rankTrials();
    for (std::size_t trial = 0; trial < m_results->trials.size(); ++trial)
        m_within.push_back(std::all_of(watch.brushes.begin(), watch.brushes.end(), [&](const auto& brush) {
            const auto at = brush.first < axisCount() ? share(trial, brush.first) : std::nullopt;
            return at && *at >= brush.second.from && *at <= brush.second.to;
        }));
}

/// Of all that trials have reached, with a little room.
AxisRange StudyPlot::valueRange(bool log)
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const StudyTrial& trial : m_results->trials)
        if (const auto reached = trial.reached()) {
            low = std::min(low, *reached);
            high = std::max(high, *reached);
        }
    AxisRange range{0, 1, false, QString::fromStdString(m_results->metric)};
    m_canBeLog = low > 0 && low <= high;
    if (!(low <= high))
        return range;
    range.log = log && m_canBeLog;
    if (range.log) {
        const double factor = high > low ? std::pow(high / low, 0.04) : 1.1;
        range.low = low / factor;
        range.high = high * factor;
        return range;
    }
    const double pad = high > low ? 0.04 * (high - low) : std::max(0.05 * std::abs(high), 1e-9);
    range.low = low - pad;
    range.high = high + pad;
    return range;
}

void StudyPlot::rankTrials()
{
    m_ranks.assign(m_results->trials.size(), std::nullopt);
    std::vector<std::size_t> finished;
    for (const std::size_t trial : m_results->ranked())
        if (m_results->trials[trial].value)
            finished.push_back(trial);
    const double last = std::max<double>(1, static_cast<double>(finished.size()) - 1);
    for (std::size_t place = 0; place < finished.size(); ++place)
        m_ranks[finished[place]] = 1 - static_cast<double>(place) / last;
}

const std::vector<std::string>& StudyPlot::choices(std::size_t axis) const
{
    static const std::vector<std::string> none;
    return axis < m_results->axes.size() ? m_results->axes[axis].choices : none;
}

QString StudyPlot::title(std::size_t axis) const
{
    return m_ranges[axis].title;
}

std::optional<double> StudyPlot::share(std::size_t trial, std::size_t axis) const
{
    const StudyTrial& of = m_results->trials[trial];
    const auto value = axis == valueAxis() ? of.reached() : of.places[axis];
    if (!value || (m_ranges[axis].log && *value <= 0))
        return {};
    return std::clamp(m_ranges[axis].shareOf(*value), 0.0, 1.0);
}

QString StudyPlot::valueText(std::size_t trial, std::size_t axis) const
{
    const StudyTrial& of = m_results->trials[trial];
    if (axis == valueAxis())
        return of.reached() ? readingText(*of.reached()) : QString();
    return of.places[axis] ? QString::fromStdString(studyValueText(m_results->axes[axis], *of.places[axis]))
                           : QString();
}

std::size_t StudyPlot::withinCount() const
{
    return static_cast<std::size_t>(std::count(m_within.begin(), m_within.end(), true));
}

std::set<std::int64_t> StudyPlot::numbersWithin() const
{
    std::set<std::int64_t> numbers;
    for (std::size_t trial = 0; trial < m_within.size(); ++trial)
        if (m_within[trial])
            numbers.insert(m_results->trials[trial].number);
    return numbers;
}

std::optional<std::size_t> StudyPlot::indexOf(std::optional<std::int64_t> number) const
{
    if (!number || !m_results)
        return {};
    const auto found = std::find_if(m_results->trials.begin(), m_results->trials.end(),
                                    [&](const StudyTrial& trial) { return trial.number == *number; });
    return found == m_results->trials.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - m_results->trials.begin()));
}

QString StudyPlot::trialText(std::size_t trial) const
{
    const StudyTrial& of = m_results->trials[trial];
    QString words = tr("Trial %1, %2").arg(of.number).arg(QString::fromStdString(of.state));
    if (of.reached())
        words += tr(": %1 %2").arg(title(valueAxis()), valueText(trial, valueAxis()));
    for (std::size_t axis = 0; axis < m_results->axes.size(); ++axis)
        if (of.places[axis])
            words += QStringLiteral(", %1 %2").arg(title(axis), valueText(trial, axis));
    return words;
}

} // namespace unroll
