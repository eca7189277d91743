// SPDX-License-Identifier: GPL-3.0-or-later
// From process start to the first painted window.
#include "core/experiment/data_cache.h"
#include "core/model/builders.h"
#include "tests/bench/studio/bench.h"

#include <QProcess>
#include <cstdio>
#include <cstdlib>

namespace unroll::bench {

namespace {

constexpr double kBound = 500;
constexpr int kProcesses = 5;

void tellWhenPainted(QWidget& widget)
{
    const Paints paints(widget);
    waitFor([&] { return paints.done() > 0; }, 60000);
    std::printf("%.3f\n", sinceStart());
    std::fflush(stdout);
    std::_Exit(0); // what it costs to close is not part of it
}

void paintOnce()
{
    Bench bench;
    tellWhenPainted(*bench.window.canvas().viewport());
}

/// As the program begins without a file.
void paintStartOnce()
{
    const QTemporaryDir folder;
    QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    const BlockRegistry registry = allSpecs();
    DataCache data(allBuilders());
    Appearance appearance(ThemeChoice::Light);
    StudioContext context{registry, data, appearance, settings, sessionRuns(registry, allBuilders()), false};
    MainWindow window(context);
    window.startMode().show();
    window.show();
    tellWhenPainted(*window.startPage().viewport());
}

void timeProcesses(const char* what, const char* part)
{
    std::vector<double> times;
    for (int i = 0; i <= kProcesses; ++i) {
        QProcess process;
        process.start(QApplication::applicationFilePath(), {part});
        process.waitForFinished(60000);
        if (i > 0) // the first warms the file cache
            times.push_back(1000 * process.readAllStandardOutput().trimmed().split('\n').last().toDouble());
    }
    report(what, times, kBound);
}

void paint()
{
    timeProcesses("window painted after the process began, warm", "paint-once");
    timeProcesses("the same, on its start page", "paint-start-once");
}

const PartEntry once({"paint-once", "one process of paint", paintOnce, false});
const PartEntry startOnce({"paint-start-once", "the same with the start page", paintStartOnce, false});
const PartEntry part({"paint", "from process start to the first painted window", paint});

} // namespace

} // namespace unroll::bench
