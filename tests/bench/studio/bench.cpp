// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/studio/bench.h"

#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace unroll::bench {

namespace {

constexpr NodeId kChainColumns = 32;

} // namespace

double seconds(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

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

double percentile(std::vector<double> values, double share)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::max<std::size_t>(rank, 1) - 1];
}

void report(const std::string& what, const std::vector<double>& milliseconds, double bound)
{
    const double most = percentile(milliseconds, 0.95);
    std::printf("%s: median %.1f ms, p95 %.1f ms (%zu times; bound %g ms: %s)\n", what.c_str(),
                percentile(milliseconds, 0.5), most, milliseconds.size(), bound,
                !milliseconds.empty() && most <= bound ? "holds" : "DOES NOT HOLD");
}

bool waitFor(const std::function<bool()>& condition, int milliseconds)
{
    QDeadlineTimer deadline(milliseconds);
    QTimer wake;
    wake.start(5);
    while (!condition() && !deadline.hasExpired())
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    return condition();
}

bool Watched::notify(QObject* receiver, QEvent* event)
{
    if (m_depth++ > 0) {
        const bool handled = QApplication::notify(receiver, event);
        --m_depth;
        return handled;
    }
    const double wall = seconds(CLOCK_MONOTONIC);
    const double cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    const bool handled = QApplication::notify(receiver, event);
    m_wall += seconds(CLOCK_MONOTONIC) - wall;
    m_cpu += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    --m_depth;
    return handled;
}

Watched& watched()
{
    return *static_cast<Watched*>(QCoreApplication::instance());
}

Paints::Paints(QWidget& widget)
{
    widget.installEventFilter(this);
}

/// The filter sees a paint before it is done.
bool Paints::eventFilter(QObject*, QEvent* event)
{
    if (event->type() == QEvent::Paint)
        QMetaObject::invokeMethod(
            this, [this] { ++m_done; }, Qt::QueuedConnection);
    return false;
}

Bench::Bench(bool keepsRuns)
    : context{registry, data, appearance, settings, sessionRuns(registry, allBuilders(), &data), keepsRuns},
      window(context)
{
    context.autosave.folder = folder.filePath("autosave");
    window.show();
    window.files().openDefault();
}

bool Bench::waitUntilChecked()
{
    const auto& document = window.document();
    return waitFor([&] { return document.checked()->nodes.size() == document.graph().nodes.size(); }, 60000);
}

Experiment chainOf(int nodes)
{
    Experiment experiment;
    experiment.title = "chain";
    Graph& graph = experiment.graph;
    const NodeId text = 1, head = static_cast<NodeId>(nodes);
    for (NodeId id = text; id <= head; ++id) {
        const char* block = id == text ? "text" : id == head ? "head" : id == text + 1 ? "embedding" : "lstm";
        const auto column = static_cast<double>((id - text) % kChainColumns);
        const auto row = static_cast<double>((id - text) / kChainColumns);
        graph.addNode(
            {.id = id, .block = block, .name = block + std::to_string(id), .place = {240 * column, 160 * row}});
    }
    graph.addWire({{text, "tokens"}, {text + 1, "tokens"}});
    graph.addWire({{text, "targets"}, {head, "targets"}});
    for (NodeId id = text + 1; id < head; ++id)
        graph.addWire({{id, "y"}, {id + 1, "x"}});
    return experiment;
}

} // namespace unroll::bench
