// SPDX-License-Identifier: GPL-3.0-or-later
// A redraw of the curves over the whole runs and while zooming in: five curves of a million points, eight runs beside.
// CPU time of the window's thread, from the stores to the painted picture.
#include "tests/bench/studio/bench.h"

#include <QToolButton>
#include <cmath>

namespace unroll::bench {

namespace {

constexpr double kBound = 8;
constexpr int kFrames = 60;
constexpr std::int64_t kLongRun = 1'000'000;
constexpr std::int64_t kShortRun = 50'000;

/// A loss that falls with noise upon it: no two columns of the picture are alike.
std::vector<MetricRow> lossOf(std::int64_t steps, std::uint64_t seed)
{
    std::vector<MetricRow> rows;
    rows.reserve(static_cast<std::size_t>(steps));
    std::uint64_t random = seed;
    for (std::int64_t step = 1; step <= steps; ++step) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const double noise = static_cast<double>(random >> 40) / static_cast<double>(1 << 24) - 0.5;
        const double loss = 1 + 3 / std::sqrt(static_cast<double>(step)) + 0.4 * noise;
        rows.push_back(
            {step, step * 768, static_cast<double>(step) * 0.01, {{"train/loss", loss}, {"val/loss", loss}}});
    }
    return rows;
}

/// Raw, smoothed and validation of the current run and the smoothed lines of two others have a million points each.
void fill(CurvesPanel& panel)
{
    panel.showRows(lossOf(kLongRun, 1));
    std::vector<CurveOverlay> overlays;
    for (int i = 0; i < static_cast<int>(kOverlayColors.size()); ++i)
        overlays.push_back({QString("run %1").arg(i + 1), QString::number(i),
                            lossOf(i < 2 ? kLongRun : kShortRun, static_cast<std::uint64_t>(i) + 2)});
    panel.setOverlays(overlays);
}

void timeRedraws(CurvesPanel& panel, const std::string& what, const std::function<void(int)>& change)
{
    std::vector<double> times;
    for (int i = 0; i < kFrames; ++i) {
        const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        change(i);
        panel.chart().surface().repaint();
        times.push_back(1000 * (seconds(CLOCK_THREAD_CPUTIME_ID) - start));
    }
    std::size_t points = 0;
    for (const ChartSeries& series : panel.chart().picture().series)
        points += series.points.size();
    report("5 curves of 1,000,000 points and 6 of 50,000, " + what + ", " + std::to_string(points) + " points drawn",
           times, kBound);
}

void curves()
{
    Bench bench;
    CurvesPanel& panel = bench.window.panel<CurvesPanel>();
    fill(panel);
    waitFor([] { return false; }, 500);
    Chart& chart = panel.chart();
    const auto zoom = [&](int i) {
        const double factor = i < kFrames / 2 ? 1.2 : 1 / 1.2;
        Q_EMIT chart.viewAsked(chart.picture().x.zoomed(0.7, factor), chart.picture().y);
    };
    timeRedraws(panel, "whole runs", [&](int) { panel.redraw(); });
    timeRedraws(panel, "zooming in and out", zoom);
    for (auto* button : panel.findChildren<QToolButton*>())
        if (button->accessibleName() == "Logarithmic y axis")
            button->click();
    timeRedraws(panel, "logarithmic", [&](int) { panel.redraw(); });
}

const PartEntry part({"curves", "a redraw of 11 curves of up to 1,000,000 points", curves});

} // namespace

} // namespace unroll::bench
