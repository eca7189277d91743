// SPDX-License-Identifier: GPL-3.0-or-later
// Training speed with every view open against training alone, pairs in turn.
#include "core/experiment/gallery.h"
#include "tests/bench/studio/bench.h"

#include <QEventLoop>
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

/// The same experiment twice, in a window and without one. One of the two trains while the other is paused, in short
/// turns (a b b a), so that what the machine does besides falls on both.
void slowdown()
{
    constexpr int kPairs = 40;
    constexpr std::int64_t kSteps = 50;
    Experiment experiment = loadExperiment(findExperiment("fable").value().string()).value();
    experiment.training.evaluateEvery = experiment.training.sampleEvery = 0;
    experiment.training.evaluateWhole = false;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    Bench bench;
    bench.waitUntilChecked();
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
            usleep(RunController::tickMilliseconds * 1000);
            aloneClock.take(session->takeMetrics());
        }
        return aloneClock.takeSeconds();
    };
    const auto watched = [&] {
        end = watchedClock.step() + kSteps;
        run.step(experiment, {}, kSteps);
        untilStepped.exec();
        return watchedClock.takeSeconds();
    };
    alone();
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
    std::printf("training slowed by open views: %.1f %% (median of %d pairs of %lld steps, half of them in %.1f .. "
                "%.1f; %.1f %% in all: %.1f s against %.1f s; goal 5)\n",
                100 * percentile(ratios, 0.5), kPairs, static_cast<long long>(kSteps), 100 * percentile(ratios, 0.25),
                100 * percentile(ratios, 0.75), 100 * (sumWatched / sumAlone - 1), sumWatched, sumAlone);
}

const PartEntry part({"slowdown", "training speed with every view open against training alone", slowdown});

} // namespace

} // namespace unroll::bench
