// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the studio on the current machine: unroll_studio_bench [PART]. A line for each figure on stdout, the load of
// the machine first; without a word all parts, with one that is none of them the list.
#include "tests/bench/studio/bench.h"

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>

namespace unroll::bench {

namespace {

int list()
{
    for (const Part& part : parts())
        std::fprintf(stderr, "  %-11s %s\n", part.name, part.about);
    return 2;
}

/// Figures of a busy machine say little.
void tellLoad()
{
    double load = 0;
    if (getloadavg(&load, 1) == 1)
        std::printf("load of the machine over the last minute: %.1f\n", load);
}

int runParts(const QByteArray& asked)
{
    const auto wanted = [&](const Part& part) { return asked.isEmpty() ? part.inAll : asked == part.name; };
    if (std::none_of(parts().begin(), parts().end(), wanted))
        return list();
    tellLoad();
    for (const Part& part : parts())
        if (wanted(part)) {
            part.run();
            std::fflush(stdout);
        }
    return 0;
}

} // namespace

} // namespace unroll::bench

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    unroll::bench::Watched app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setStyle("Fusion");
    return unroll::bench::runParts(argc > 1 ? QByteArray(argv[1]) : QByteArray());
}
