// SPDX-License-Identifier: GPL-3.0-or-later
// Training speed with every view open against training alone, pairs in turn: the views of the window as it begins, or
// every lens besides, each in a window of its own, so that none hides another.
#include "core/experiment/gallery.h"
#include "tests/bench/studio/bench.h"

#include <QEventLoop>
#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace unroll::bench {

namespace {

/// The clock of a run's rows: seconds of training, taken on the worker at each step, pauses left out.
class RowClock {
public:
    void take(const std::vector<MetricRow>& rows)
    {
        if (!rows.empty())
            m_last = rows.back();
    }
    std::int64_t step() const { return m_last.step; }
    /// Since the last call.
    double takeSeconds() { return m_last.seconds - std::exchange(m_taken, m_last.seconds); }

private:
    MetricRow m_last;
    double m_taken = 0;
};

void tearOffLenses(MainWindow& window)
{
    for (const PanelSet::Panel& panel : window.panels().all())
        if (isLensPanel(panel.spec.id)) {
            panel.dock->setFloating(true);
            panel.dock->resize(480, 320);
            panel.dock->show();
        }
}

/// All that is shown is of the newest step: nothing is owed any more.
bool isAnswered(const RunController& run)
{
    const auto now = run.snapshot();
    return now->state != RunState::Running && std::all_of(now->frames.begin(), now->frames.end(),
                                                          [&](const auto& frame) { return frame->step == now->step; });
}

/// The same experiment twice, in a window and without one. One of the two trains while the other is paused, in turns (a
/// b b a), so that what the machine does besides falls on both.
void compare(bool everyLens, int kPairs, std::int64_t kSteps)
{
    Experiment experiment = loadExperiment(findExperiment("fable").value().string()).value();
    experiment.training.evaluateEvery = experiment.training.sampleEvery = 0;
    experiment.training.evaluateWhole = false;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    Bench bench;
    bench.waitUntilChecked();
    if (everyLens)
        tearOffLenses(bench.window);
    RunController& run = bench.window.controller();
    RowClock aloneClock, watchedClock;
    QEventLoop untilStepped;
    std::int64_t end = 0;
    QObject::connect(&run, &RunController::metricsArrived, &bench.window, [&](const std::vector<MetricRow>& rows) {
        watchedClock.take(rows);
        if (watchedClock.step() >= end)
            untilStepped.quit();
    });

    // Without a window nothing happens on this thread: the events of the paused one wait.
    const auto alone = [&] {
        const std::int64_t last = aloneClock.step() + kSteps;
        session->step(kSteps);
        while (aloneClock.step() < last) {
            usleep(RunController::kTickMilliseconds * 1000);
            aloneClock.take(session->takeMetrics());
        }
        return aloneClock.takeSeconds();
    };
    const auto watched = [&] {
        end = watchedClock.step() + kSteps;
        run.step(experiment, {}, kSteps);
        untilStepped.exec();
        waitFor([&] { return isAnswered(run); }, 60000); // before the other one trains
        return watchedClock.takeSeconds();
    };
    alone();
    watched();
    if (everyLens)
        watched();
    std::vector<double> ratios;
    double sumAlone = 0, sumWatched = 0;
    for (int pair = 0; pair < kPairs; ++pair) {
        const bool windowFirst = pair % 2 == 1;
        const double first = windowFirst ? watched() : alone();
        const double second = windowFirst ? alone() : watched();
        const double bare = windowFirst ? second : first, open = windowFirst ? first : second;
        sumAlone += bare;
        sumWatched += open;
        ratios.push_back(open / bare - 1);
    }
    std::printf("training slowed by %s: %.1f %% (median of %d pairs of %lld steps, half of them in %.1f .. "
                "%.1f; %.1f %% in all: %.1f s against %.1f s; goal 5)\n",
                everyLens ? "every lens" : "open views", 100 * percentile(ratios, 0.5), kPairs,
                static_cast<long long>(kSteps), 100 * percentile(ratios, 0.25), 100 * percentile(ratios, 0.75),
                100 * (sumWatched / sumAlone - 1), sumWatched, sumAlone);
}

const PartEntry part({"slowdown", "training speed with the window's views open against training alone",
                      [] { compare(false, 40, 50); }});
const PartEntry lenses({"lenses", "the same with every lens open besides, in windows of their own",
                        [] { compare(true, 10, 150); }, false});

} // namespace

} // namespace unroll::bench
