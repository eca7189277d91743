// SPDX-License-Identifier: GPL-3.0-or-later
// From an edit among 200 nodes until the check's answer is on the canvas.
#include "tests/bench/studio/bench.h"

namespace unroll::bench {

namespace {

constexpr double kBound = 50;
constexpr int kNodes = 200;
constexpr int kEdits = 60;

void check()
{
    Bench bench;
    Document& document = bench.window.document();
    document.replace(chainOf(kNodes), {});
    bench.waitUntilChecked();
    bench.window.canvas().fitAll();
    waitFor([] { return false; }, 500);
    const Paints paints(*bench.window.canvas().viewport());
    int before = 0;
    bool answered = false;
    QObject::connect(&document, &Document::checkedChanged, &bench.window, [&] {
        answered = true;
        before = paints.done();
    });
    std::vector<double> applied, times;
    for (int i = 0; i < kEdits; ++i) {
        answered = false;
        const double start = seconds(CLOCK_MONOTONIC);
        // Every shape behind it changes.
        document.apply(unroll::edits::setParam(3, "units", std::int64_t{64 + 64 * (i % 2)}));
        applied.push_back(1000 * (seconds(CLOCK_MONOTONIC) - start));
        waitFor([&] { return answered && paints.done() > before; }, 10000);
        times.push_back(1000 * (seconds(CLOCK_MONOTONIC) - start));
    }
    report("an edit among 200 nodes made and shown on its node", applied, kBound);
    report("an edit among 200 nodes checked and redrawn", times, kBound);
}

const PartEntry part({"check", "from an edit among 200 nodes until the check's answer is on the canvas", check});

} // namespace

} // namespace unroll::bench
