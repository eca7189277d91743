// SPDX-License-Identifier: GPL-3.0-or-later
// From a click on a file of 1,000 nodes until it is painted.
#include "app/studio/window/recent_menu.h"
#include "tests/bench/studio/bench.h"

namespace unroll::bench {

namespace {

constexpr double kBound = 1000;
constexpr int kNodes = 1000;
constexpr int kTimes = 9;

void open()
{
    Bench bench;
    const QString file = bench.folder.filePath("thousand.unroll");
    if (!saveExperiment(chainOf(kNodes), file.toStdString()))
        return;
    std::vector<double> painted, work, checked;
    for (int i = 0; i < kTimes; ++i) {
        bench.window.files().openDefault();
        bench.waitUntilChecked();
        waitFor([] { return false; }, 200);
        const Paints paints(*bench.window.canvas().viewport());
        const double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
        Q_EMIT bench.window.findChild<RecentMenu*>()->asked(file);
        waitFor([&] { return paints.done() > 0; }, 60000);
        painted.push_back(1000 * (seconds(CLOCK_MONOTONIC) - start));
        work.push_back(1000 * (seconds(CLOCK_THREAD_CPUTIME_ID) - cpu));
        const int before = paints.done();
        bench.waitUntilChecked();
        waitFor([&] { return paints.done() > before; }, 60000);
        checked.push_back(1000 * (seconds(CLOCK_MONOTONIC) - start));
    }
    report("1,000 nodes painted after the click on their file", painted, kBound);
    report("of that CPU of the window's thread", work, kBound);
    report("the same with the check's answer", checked, kBound);
}

const PartEntry part({"open", "from a click on a file of 1,000 nodes until it is painted", open});

} // namespace

} // namespace unroll::bench
