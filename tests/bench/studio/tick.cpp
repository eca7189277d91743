// SPDX-License-Identifier: GPL-3.0-or-later
// Work of the window's thread for each 33 ms tick while every view is open.
#include "tests/bench/studio/bench.h"

#include <cstdio>
#include <numeric>

namespace unroll::bench {

namespace {

constexpr double kBound = 8;

/// Small enough that every tick brings new steps, with a heat map as large as the default's.
void makeQuick(Document& document)
{
    const auto set = [&](const char* node, const char* param, std::int64_t value) {
        document.apply(edits::setParam(document.graph().findByName(node)->id, param, value));
    };
    set("embedding", "width", 16);
    set("lstm", "units", 16);
    document.setTraining("batch", std::int64_t{2});
    document.setTraining("steps", std::int64_t{1000000});
    document.setTraining("evaluate_every", std::int64_t{50});
    document.setTraining("evaluate_batches", std::int64_t{1});
    document.setTraining("sample_every", std::int64_t{200});
    document.setTraining("threads", std::int64_t{1});
}

void tick()
{
    Watched& app = watched();
    Bench bench;
    makeQuick(bench.window.document());
    bench.waitUntilChecked();
    std::vector<double> wall, cpu;
    std::vector<MetricRow> past; // a long run behind: every redraw must thin it out
    RunController& run = bench.window.controller();
    bench.window.actions().run->trigger();
    for (std::int64_t step = -60000; step < 0; ++step)
        past.push_back({step, 0, 0, {{"train/loss", 2.0 + 0.3 * static_cast<double>((step * 7919) % 101) / 101}}});
    Q_EMIT run.metricsArrived(past);
    waitFor([&] { return run.snapshot()->step >= 3 && !run.snapshot()->frames.empty(); }, 120000);
    QObject::connect(&run, &RunController::ticked, &bench.window, [&] {
        wall.push_back(1000 * app.takeWall());
        cpu.push_back(1000 * app.takeCpu());
    });
    app.takeWall();
    app.takeCpu();
    waitFor([] { return false; }, 20000);
    report("GUI work a 33 ms tick, CPU", cpu, kBound);
    report("the same, wall time", wall, kBound);
    std::printf("the window's thread takes %.1f %% of a core (%lld steps)\n",
                100 * std::accumulate(cpu.begin(), cpu.end(), 0.0) / (33.0 * static_cast<double>(cpu.size())),
                static_cast<long long>(run.snapshot()->step));
}

const PartEntry part({"tick", "work of the window's thread for each 33 ms tick, every view open", tick});

} // namespace

} // namespace unroll::bench
