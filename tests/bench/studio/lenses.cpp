// SPDX-License-Identifier: GPL-3.0-or-later
// Work of the window's thread for each 33 ms tick of a run with four lenses in sight, the cursor at rest and on its
// way.
#include "tests/bench/studio/bench.h"

#include <cstdio>

namespace unroll::bench {

namespace {

constexpr double kBound = 8;
constexpr int kSeen = 15000; ///< milliseconds of each half

/// A network of 128 units that is quick enough to bring news at every tick.
void makeNetwork(Document& document)
{
    const auto set = [&](const char* node, const char* param, std::int64_t value) {
        document.apply(edits::setParam(document.graph().findByName(node)->id, param, value));
    };
    set("embedding", "width", 16);
    set("lstm", "units", 128);
    document.setTraining("batch", std::int64_t{2});
    document.setTraining("steps", std::int64_t{1000000});
    document.setTraining("evaluate_every", std::int64_t{50});
    document.setTraining("evaluate_batches", std::int64_t{1});
    document.setTraining("sample_every", std::int64_t{200});
    document.setTraining("threads", std::int64_t{1});
}

/// State in its place and three more torn off: such as are answered from one reading, and so the most often.
void showFour(MainWindow& window)
{
    window.resize(1920, 1080);
    window.arrange("inspect");
    for (const char* id : {"lens.answers", "lens.trajectory", "lens.unit_stats"}) {
        Dock& dock = window.panels().dock(id);
        dock.setFloating(true);
        dock.resize(640, 420);
        dock.show();
    }
}

void lenses()
{
    Watched& app = watched();
    Bench bench;
    makeNetwork(bench.window.document());
    showFour(bench.window);
    bench.waitUntilChecked();
    RunController& run = bench.window.controller();
    run.setReading({.length = 256});
    std::vector<double> wall, cpu;
    std::size_t looks = 0;
    std::int64_t cursor = -1; // at rest
    const auto answered = [&] { return run.snapshot()->frames.size(); };
    bench.window.actions().run->trigger();
    if (!waitFor([&] { return answered() >= 4; }, 20000))
        std::printf("only %zu of 4 lenses were answered\n", answered());
    QObject::connect(&run, &RunController::snapshotChanged, &bench.window, [&] { ++looks; });
    QObject::connect(&run, &RunController::ticked, &bench.window, [&] {
        wall.push_back(1000 * app.takeWall());
        cpu.push_back(1000 * app.takeCpu());
        if (cursor >= 0)
            QMetaObject::invokeMethod(
                &bench.window, [&] { bench.window.cursor().hold(cursor++ % 256); }, Qt::QueuedConnection);
    });
    for (const char* what : {"the cursor at rest", "the cursor on its way"}) {
        wall.clear();
        cpu.clear();
        looks = 0;
        app.takeWall();
        app.takeCpu();
        waitFor([] { return false; }, kSeen);
        report(std::string("four lenses, ") + what + ": GUI work a 33 ms tick, CPU", cpu, kBound);
        report("the same, wall time", wall, kBound);
        std::printf("%zu snapshots in %d s\n", looks, kSeen / 1000);
        cursor = 0;
    }
}

const PartEntry part({"lenses", "work of the window's thread for each 33 ms tick, four lenses in sight", lenses});

} // namespace

} // namespace unroll::bench
