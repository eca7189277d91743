// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/axis_range.h"
#include "core/runs/study_results.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace unroll {

/// A brushed stretch of an axis, in shares of it: 0 below, 1 on top.
struct StudyBrush {
    double from = 0;
    double to = 1;
    bool operator==(const StudyBrush&) const = default;
};

/// What all views of a study share: brushed ranges by axis (that of the objective is the last one), the chosen trial.
struct StudyWatch {
    std::map<std::size_t, StudyBrush> brushes;
    std::optional<std::int64_t> chosen;
    bool logValue = false; ///< the axis of the objective
    bool operator==(const StudyWatch&) const = default;
};

/// A study as its views draw it: axes, and each trial as shares of them.
class StudyPlot {
public:
    StudyPlot() = default;
    StudyPlot(std::shared_ptr<const StudyResults> results, const StudyWatch& watch);

    const StudyResults* results() const { return m_results.get(); } ///< nullptr: there is none
    std::size_t axisCount() const { return m_ranges.size(); }       ///< settings, then the objective
    std::size_t valueAxis() const { return m_ranges.size() - 1; }
    const AxisRange& range(std::size_t axis) const { return m_ranges[axis]; }
    const std::vector<std::string>& choices(std::size_t axis) const; ///< empty: an axis of numbers
    QString title(std::size_t axis) const;
    /// Where a trial lies on an axis; nothing: it has no value there.
    std::optional<double> share(std::size_t trial, std::size_t axis) const;
    QString valueText(std::size_t trial, std::size_t axis) const;
    /// A finished trial's place among them, 0 the worst, 1 the best; nothing: it is not finished.
    std::optional<double> rank(std::size_t trial) const { return m_ranks[trial]; }
    bool isWithin(std::size_t trial) const { return m_within[trial]; } ///< all brushes
    std::size_t withinCount() const;
    std::set<std::int64_t> numbersWithin() const;
    std::optional<std::size_t> indexOf(std::optional<std::int64_t> number) const;
    QString trialText(std::size_t trial) const; ///< in one line: what it is, what it has reached, its settings
    bool canBeLog() const { return m_canBeLog; }

private:
    void rankTrials();
    AxisRange valueRange(bool log);

    std::shared_ptr<const StudyResults> m_results;
    std::vector<AxisRange> m_ranges;
    std::vector<std::optional<double>> m_ranks;
    std::vector<bool> m_within;
    bool m_canBeLog = false;
};

} // namespace unroll
