// SPDX-License-Identifier: GPL-3.0-or-later
// Training of every gallery experiment as unroll-cli trains it, without evaluations, samples and checkpoints: tokens a
// second over fifty steps, after ten to warm up.
#include "core/block/registry.h"
#include "core/experiment/gallery.h"
#include "core/model/builders.h"
#include "core/session/session.h"

#include <benchmark/benchmark.h>
#include <filesystem>

namespace unroll {
namespace {

constexpr std::int64_t kWarm = 10, kTimed = 50;

Experiment quiet(const std::filesystem::path& file)
{
    Experiment experiment = loadExperiment(file.string()).value();
    TrainSettings& training = experiment.training;
    training.steps = kWarm + kTimed;
    training.evaluateEvery = training.sampleEvery = training.checkpointEvery = 0;
    training.evaluateWhole = false;
    return experiment;
}

void run(benchmark::State& state, const std::filesystem::path& file)
{
    double tokens = 0;
    for (auto _ : state) {
        const auto session = startSession(quiet(file), allSpecs(), allBuilders(), {.behindWindow = false});
        session->run();
        session->finish();
        const auto rows = session->takeMetrics();
        if (std::ssize(rows) != kWarm + kTimed)
            return state.SkipWithError(session->snapshot()->failure.c_str());
        const MetricRow &first = rows[kWarm - 1], &last = rows.back();
        state.SetIterationTime(last.seconds - first.seconds);
        tokens += static_cast<double>(last.tokens - first.tokens);
    }
    state.counters["tokens/s"] = benchmark::Counter(tokens, benchmark::Counter::kIsRate);
}

int registerAll()
{
    for (const auto& file : galleryExperiments())
        benchmark::RegisterBenchmark(file.stem().c_str(), [file](benchmark::State& state) { run(state, file); })
            ->Unit(benchmark::kMillisecond)
            ->Iterations(3)
            ->UseManualTime();
    return 0;
}

[[maybe_unused]] const int registered = registerAll();

} // namespace
} // namespace unroll
