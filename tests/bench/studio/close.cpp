// SPDX-License-Identifier: GPL-3.0-or-later
// Closing a window whose run is in progress, and whether that run goes on as if it had never been closed.
#include "app/studio/run/runs_place.h"
#include "core/experiment/gallery.h"
#include "tests/bench/studio/bench.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

namespace unroll::bench {

namespace {

constexpr double kBound = 5000;
constexpr int kClosings = 3;
constexpr std::int64_t kStepsAfter = 20;

using Losses = std::map<std::int64_t, double>; ///< by step

/// The first experiment, with nothing between its steps and on a stated number of threads.
Experiment fable()
{
    Experiment experiment = loadExperiment(findExperiment("fable").value().string()).value();
    TrainSettings& training = experiment.training;
    training.evaluateEvery = training.sampleEvery = training.checkpointEvery = 0;
    training.evaluateWhole = false;
    training.threads = 2;
    training.device = "cpu";
    return experiment;
}

/// A run of it, built and waiting.
std::unique_ptr<Session> sessionOf(const Experiment& experiment, const SessionOptions& options)
{
    auto session = startSession(experiment, allSpecs(), allBuilders(), options);
    waitFor([&] { return session->snapshot()->state == RunState::Paused; }, 60000);
    return session;
}

Losses step(Session& session, std::int64_t count)
{
    const auto wanted = static_cast<std::size_t>(count);
    Losses losses;
    session.step(count);
    waitFor(
        [&] {
            for (const MetricRow& row : session.takeMetrics())
                losses[row.step] = row.values.at("train/loss");
            return losses.size() >= wanted;
        },
        300000);
    return losses;
}

/// How long the window took to go, in ms.
double closeDuringARun(const QString& file)
{
    Bench bench(true);
    bench.window.files().open(file);
    bench.waitUntilChecked();
    RunController& run = bench.window.controller();
    bench.window.actions().run->trigger();
    waitFor([&] { return run.snapshot()->step >= 10; }, 120000);
    const double start = seconds(CLOCK_MONOTONIC);
    bench.window.close();
    waitFor([&] { return !bench.window.isVisible(); }, 120000);
    return 1000 * (seconds(CLOCK_MONOTONIC) - start);
}

void compareWithUnbroken(const Experiment& experiment, const std::string& run)
{
    const auto resumed = sessionOf(experiment, {.runFolder = run, .resume = true});
    const std::int64_t begin = resumed->snapshot()->step;
    const Losses after = step(*resumed, kStepsAfter);
    const Losses unbroken = step(*sessionOf(experiment, {}), begin + kStepsAfter);
    const auto equal = std::count_if(after.begin(), after.end(), [&](const auto& entry) {
        const auto same = unbroken.find(entry.first);
        return same != unbroken.end() && same->second == entry.second;
    });
    std::printf("resumed at step %lld: %ld of %ld losses equal those of an unbroken run bit for bit (%s)\n",
                static_cast<long long>(begin), static_cast<long>(equal), static_cast<long>(kStepsAfter),
                begin > 0 && equal == kStepsAfter ? "holds" : "DOES NOT HOLD");
}

void close()
{
    const Experiment experiment = fable();
    QTemporaryDir folder;
    const QString file = folder.filePath("fable.unroll");
    if (!saveExperiment(experiment, file.toStdString()))
        return;
    std::vector<double> times;
    for (int i = 0; i < kClosings; ++i)
        times.push_back(closeDuringARun(file));
    report("a window with a run under way closed", times, kBound);

    compareWithUnbroken(experiment, lastRunFolder(file, {}).toStdString());
}

const PartEntry part({"close", "closing a window with a run under way, and going on with the run", close});

} // namespace

} // namespace unroll::bench
