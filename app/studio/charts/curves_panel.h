// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/charts/chart.h"
#include "app/studio/charts/series_store.h"
#include "app/studio/charts/smoothing.h"
#include "app/studio/run/run_controller.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QSlider>
#include <QStackedWidget>
#include <QToolButton>
#include <map>
#include <string>

namespace unroll {

/// One picture of a run: which metric is drawn raw and smoothed, which with marks.
struct CurveChoice {
    QString title;
    QString axis;          ///< the y axis' words
    std::string raw;       ///< metric drawn faint, with its smoothed form before it; may be empty
    std::string marked;    ///< metric measured now and then; may be empty
    bool hasFloor = false; ///< losses: the entropy floor belongs in
};

/// The curves of the run: what it was at each step, whatever the zoom, in at most `pointBudget` points.
class CurvesPanel : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t pointBudget =
        1800; ///< shared by all series of the chart: a redraw stays within its share of a tick

    CurvesPanel(RunController& controller, const Appearance& appearance, QWidget* parent = nullptr);

    Chart& chart() const { return *m_chart; }
    bool isEmpty() const;
    const SeriesStore& series(const std::string& metric) { return m_metrics[metric]; }
    void setLog(bool log);
    void redraw();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* controls();
    void clear();
    void clearChart();
    void take(const std::vector<MetricRow>& rows);
    void smoothAnew();
    void redrawIfNeeded();
    AxisRange xRange() const;
    AxisRange yRange(const AxisRange& x) const;
    std::vector<ChartLevel> levels() const;
    void showCrosshair(double x);
    const CurveChoice& choice() const;
    const SeriesStore* find(const std::string& metric) const;

    RunController& m_controller;
    Chart* m_chart;
    QStackedWidget* m_pages;
    QComboBox* m_choice = nullptr;
    QToolButton* m_log = nullptr;
    QSlider* m_smooth = nullptr;
    std::map<std::string, SeriesStore> m_metrics;
    SeriesStore m_smoothed; ///< of the raw metric shown
    Smoothing m_smoothing{0.9};
    bool m_dirty = false;
    QElapsedTimer
        m_sinceRedraw; ///< while training the eye asks for ten pictures a second, and each takes time from training
};

} // namespace unroll
