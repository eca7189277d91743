// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/curves_bar.h"
#include "app/studio/curves/curves_picture.h"
#include "app/studio/curves/file_saving.h"
#include "app/studio/curves/overlay.h"
#include "app/studio/curves/shown_run.h"
#include "app/studio/plot/chart.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/theme/empty_state.h"

#include <QElapsedTimer>
#include <QStackedWidget>
#include <string>

namespace unroll {

/// The curves of the current run and of others: exact values at each step at any zoom, in at most `kPointBudget`
/// points. It autoscales until the user moves or zooms the curves; then the view stays until autoscale is turned on
/// again.
class CurvesPanel : public QWidget {
    Q_OBJECT
public:
    /// Shared by all series of the chart: a redraw stays within its share of a tick.
    static constexpr std::size_t kPointBudget = 1400;

    CurvesPanel(RunController& controller, const Appearance& appearance, QWidget* parent = nullptr);

    Chart& chart() const { return *m_chart; }
    bool isEmpty() const;
    bool isFollowing() const { return !m_held; }
    const SeriesStore& series(const std::string& metric) const; ///< of the current run; empty if never measured
    /// Replaces the current run, its view and readings by these rows; new rows are appended.
    void showRows(const std::vector<MetricRow>& rows);
    /// The runs drawn beside the current one, in this order; those behind kOverlayColors.size() are left out. Kept when
    /// a run begins or ends.
    void setOverlays(const std::vector<CurveOverlay>& overlays);
    /// The colour a run is drawn in: it keeps it as long as it is among the overlays. Nothing where it is not.
    std::optional<Theme::Role> overlayColor(const QString& folder) const;
    /// Writes the curves to a file; saved() or notSaved() tells. Only while none is being written.
    void save(CurvesBar::Format format, const QString& path);
    void redraw();

Q_SIGNALS:
    void saved(const QString& path);
    void notSaved(const QString& sentence);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void connectBar();
    void connectChart();
    void take(const std::vector<MetricRow>& rows);
    void resmooth();
    void redrawIfNeeded();
    bool hasCurves() const;
    void changed();
    std::vector<ChartLevel> levels() const;
    CurveChoice choice() const;
    void offerWhatCanBe();
    void showEmpty();
    void hold(const AxisRange& x, const AxisRange& y);
    void follow(bool follows);
    void changeMetric();
    void changeUnit(XUnit before);
    void readAt(std::optional<double> x);
    std::function<std::string()> bytesOf(CurvesBar::Format format);
    void askForFile(CurvesBar::Format format);
    void copyPicture();

    RunController& m_controller;
    const Appearance& m_appearance;
    CurvesBar* m_bar;
    Chart* m_chart;
    QStackedWidget* m_pages;
    EmptyState* m_empty = nullptr;
    ShownRun m_run;
    std::vector<ShownRun> m_overlays;
    std::optional<HeldView> m_held; ///< nothing: follows
    std::optional<double> m_read;   ///< x of the crosshair
    FileSaving m_saving;
    QString m_folder; ///< where a file was saved last
    bool m_dirty = false;
    QElapsedTimer
        m_sinceRedraw; ///< while training the eye asks for ten pictures a second, and each takes time from training
};

} // namespace unroll
