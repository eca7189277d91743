// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/charts/chart.h"
#include "app/studio/charts/overlay.h"
#include "app/studio/charts/run_curves.h"
#include "app/studio/charts/smoothing.h"
#include "app/studio/run/run_controller.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QSlider>
#include <QStackedWidget>
#include <QToolButton>
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
    const SeriesStore& series(const std::string& metric) const; ///< of the run at hand; empty where never measured
    /// Shows the rows of a run as those of the run at hand: one that is looked at again, or the past of one that goes on, whose new rows then
    /// follow. Until the next run begins.
    void showRows(const std::vector<MetricRow>& rows);
    /// The runs drawn beside the one at hand, in this order; those behind overlayColors.size() are left out. Kept when a run begins or ends.
    void setOverlays(const std::vector<CurveOverlay>& overlays);
    /// The colour a run is drawn in: it keeps it as long as it is among the overlays. Nothing where it is not.
    std::optional<Theme::Role> overlayColor(const QString& folder) const;
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
    std::vector<const SeriesStore*> shown() const;
    Theme::Role freeColor() const;
    void drawOverlays(const AxisRange& x, std::size_t budget);
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
    struct Overlay {
        QString name;
        QString folder;
        Theme::Role color;
        RunCurves curves;
    };
    RunCurves m_run;
    std::vector<Overlay> m_overlays;
    SeriesStore m_smoothed; ///< of the raw metric shown
    Smoothing m_smoothing{0.9};
    bool m_dirty = false;
    QElapsedTimer
        m_sinceRedraw; ///< while training the eye asks for ten pictures a second, and each takes time from training
};

} // namespace unroll
