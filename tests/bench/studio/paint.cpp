// SPDX-License-Identifier: GPL-3.0-or-later
// From process start to the first painted window.
#include "tests/bench/studio/bench.h"

#include <QProcess>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace unroll::bench {

namespace {

constexpr double bound = 500;
constexpr int processes = 5;

/// Since the process began, dynamic loading included. The kernel counts starts in ticks of 10 ms.
double sinceStart()
{
    std::ifstream file("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream rest(text.substr(text.rfind(')') + 2));
    std::string field;
    for (int i = 3; i <= 22; ++i)
        rest >> field;
    return seconds(CLOCK_BOOTTIME) - std::stod(field) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void paintOnce()
{
    Bench bench;
    const Paints paints(*bench.window.canvas().viewport());
    waitFor([&] { return paints.done() > 0; }, 60000);
    std::printf("%.3f\n", sinceStart());
    std::fflush(stdout);
    std::_Exit(0); // what it costs to close is no part of it
}

void paint()
{
    std::vector<double> times;
    for (int i = 0; i <= processes; ++i) {
        QProcess process;
        process.start(QApplication::applicationFilePath(), {"paint-once"});
        process.waitForFinished(60000);
        if (i > 0) // the first warms the file cache
            times.push_back(1000 * process.readAllStandardOutput().trimmed().split('\n').last().toDouble());
    }
    report("window painted after the process began, warm", times, bound);
}

const PartEntry once({"paint-once", "one process of paint", paintOnce, false});
const PartEntry part({"paint", "from process start to the first painted window", paint});

} // namespace

} // namespace unroll::bench
