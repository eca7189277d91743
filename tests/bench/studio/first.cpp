// SPDX-License-Identifier: GPL-3.0-or-later
// From Run to the first loss.
#include "tests/bench/studio/bench.h"

namespace unroll::bench {

namespace {

constexpr double kBound = 3000;

void first()
{
    Bench bench;
    bench.waitUntilChecked();
    bool came = false;
    QObject::connect(&bench.window.controller(), &RunController::metricsArrived, &bench.window, [&] { came = true; });
    const double start = seconds(CLOCK_MONOTONIC);
    bench.window.actions().run->trigger();
    waitFor([&] { return came; }, 120000);
    report("first loss after Run", {1000 * (seconds(CLOCK_MONOTONIC) - start)}, kBound);
}

const PartEntry part({"first", "from Run to the first loss", first});

} // namespace

} // namespace unroll::bench
