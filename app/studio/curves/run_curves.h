// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/series_store.h"
#include "core/runs/metrics.h"
#include "core/runs/run_measures.h"

#include <map>
#include <string>
#include <vector>

namespace unroll {

/// What the x axis counts.
enum class XUnit { Steps, Tokens, Seconds, Flops, Epochs };

/// What each logged step of a run was in tokens, in seconds of training, and in what tokens stand for. Between logged
/// steps all are read off a straight line.
class RunClock {
public:
    void setMeasures(const RunMeasures& measures);
    /// Whether anything of the run can be drawn over it.
    bool has(XUnit unit) const;

    /// Steps never fall; tokens or seconds that do stand still instead.
    void append(const MetricRow& row);

    bool empty() const { return m_steps.empty(); }
    /// Of the logged steps; 0 where there are none.
    double first(XUnit unit) const { return empty() ? 0 : fromColumn(unit, column(unit).front()); }
    double last(XUnit unit) const { return empty() ? 0 : fromColumn(unit, column(unit).back()); }
    /// The least logged x above 0; infinity: there is none.
    double firstPositive(XUnit unit) const;
    /// x at that step; before the first and after the last one as there.
    double at(XUnit unit, double step) const;
    /// The step at x: minus infinity before the first logged x, infinity after the last.
    double stepAt(XUnit unit, double x) const;

private:
    const std::vector<double>& column(XUnit unit) const;
    double fromColumn(XUnit unit, double logged) const;
    double toColumn(XUnit unit, double x) const;

    double m_flopsAToken = 0;   ///< 0: not known
    double m_tokensAnEpoch = 0; ///< 0: there are none, or not known
    std::vector<double> m_steps;
    std::vector<double> m_tokens;
    std::vector<double> m_seconds;
};

/// All metrics of one run as growing series over its steps.
class RunCurves {
public:
    /// Rows that go back behind what is there are left out.
    void append(const std::vector<MetricRow>& rows);

    bool empty() const { return m_clock.empty(); }
    const RunClock& clock() const { return m_clock; }
    void setMeasures(const RunMeasures& measures) { m_clock.setMeasures(measures); }
    /// nullptr where the metric was never measured.
    const SeriesStore* find(const std::string& metric) const;

private:
    RunClock m_clock;
    std::map<std::string, SeriesStore> m_metrics;
};

} // namespace unroll
