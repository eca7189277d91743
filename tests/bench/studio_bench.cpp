// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the studio, on the default experiment and the machine at hand:
//   unroll_studio_bench paint      from process start to the first painted window, median of five processes
//   unroll_studio_bench first      from Run to the first loss
//   unroll_studio_bench tick       work of the window's thread for each 33 ms tick while every view is open
//   unroll_studio_bench slowdown   training speed with every view open against training alone, pairs in turn
//   unroll_studio_bench canvas     a full repaint and a zoom step: 50, 200 and 1,000 nodes in view; the last near enough to be read
// One line each on stdout; without a word all of them.
#include "app/studio/window/main_window.h"
#include "core/train/gallery.h"

#include <QApplication>
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <clocale>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>
#include <unistd.h>

namespace unroll {

namespace {

double seconds(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

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

double percentile(std::vector<double> values, double share)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Adds up what the GUI thread does, from one tick to the next.
class Watched : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
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

    double takeWall() { return std::exchange(m_wall, 0); }
    double takeCpu() { return std::exchange(m_cpu, 0); }

private:
    int m_depth = 0;
    double m_wall = 0;
    double m_cpu = 0;
};

struct Bench {
    QTemporaryDir folder;
    QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
    BlockRegistry registry = allSpecs();
    DataCache data{allBuilders()};
    Appearance appearance{ThemeChoice::Light};
    Workshop workshop{registry, data, appearance, settings, sessionRuns(registry, allBuilders()), false};
    MainWindow window{workshop};

    Bench()
    {
        window.show();
        window.openDefault();
    }
};

bool waitFor(const std::function<bool()>& condition, int milliseconds)
{
    // The thread sleeps between events as in the program: a busy one would take a core from training.
    QDeadlineTimer deadline(milliseconds);
    QTimer wake;
    wake.start(5);
    while (!condition() && !deadline.hasExpired())
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    return condition();
}

/// Ends the process at the first paint of the canvas.
class FirstPaint : public QObject {
public:
    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() == QEvent::Paint)
            QMetaObject::invokeMethod(
                this,
                [] {
                    std::printf("%.3f\n", sinceStart());
                    std::fflush(stdout);
                    std::_Exit(0);
                },
                Qt::QueuedConnection);
        return false;
    }
};

int paintOnce(Watched& app)
{
    Bench bench;
    FirstPaint filter;
    bench.window.canvas().viewport()->installEventFilter(&filter);
    return app.exec();
}

void paint()
{
    std::vector<double> times;
    for (int i = 0; i < 6; ++i) {
        QProcess process;
        process.start(QApplication::applicationFilePath(), {"paint-once"});
        process.waitForFinished(60000);
        if (i > 0) // the first warms the file cache
            times.push_back(process.readAllStandardOutput().trimmed().toDouble());
    }
    std::printf("window painted: %.2f s after the process began (median of 5, warm; goal 0.5)\n",
                percentile(times, 0.5));
}

void first()
{
    Bench bench;
    waitFor([&] { return !bench.window.document().checked()->order.empty(); }, 60000);
    bool came = false;
    QObject::connect(&bench.window.controller(), &RunController::metricsArrived, &bench.window, [&] { came = true; });
    const double start = seconds(CLOCK_MONOTONIC);
    bench.window.actions().run->trigger();
    waitFor([&] { return came; }, 120000);
    std::printf("first loss: %.2f s after Run (goal 3)\n", seconds(CLOCK_MONOTONIC) - start);
}

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

void tick(Watched& app)
{
    Bench bench;
    makeQuick(bench.window.document());
    waitFor([&] { return !bench.window.document().checked()->order.empty(); }, 60000);
    std::vector<double> wall, cpu;
    std::vector<MetricRow> past; // a long run behind: every redraw must thin it out
    RunController& run = bench.window.controller();
    bench.window.actions().run->trigger();
    for (std::int64_t step = -60000; step < 0; ++step)
        past.push_back({step, 0, 0, {{"train/loss", 2.0 + 0.3 * static_cast<double>((step * 7919) % 101) / 101}}});
    Q_EMIT run.metricsArrived(past);
    waitFor([&] { return run.snapshot()->step >= 3 && run.snapshot()->probe; }, 120000);
    QObject::connect(&run, &RunController::ticked, &bench.window, [&] {
        wall.push_back(1000 * app.takeWall());
        cpu.push_back(1000 * app.takeCpu());
    });
    app.takeWall();
    app.takeCpu();
    waitFor([] { return false; }, 20000);
    std::printf("GUI work a 33 ms tick: p50 %.1f, p95 %.1f, p99 %.1f ms of CPU; p95 %.1f ms of wall time (%zu ticks, "
                "%lld steps; goal p95 8)\n",
                percentile(cpu, 0.5), percentile(cpu, 0.95), percentile(cpu, 0.99), percentile(wall, 0.95), cpu.size(),
                static_cast<long long>(run.snapshot()->step));
    std::printf("the window's thread takes %.1f %% of a core\n",
                100 * std::accumulate(cpu.begin(), cpu.end(), 0.0) / (33.0 * static_cast<double>(cpu.size())));
}

/// The clock of a run's rows: seconds of training, taken on the worker at each step, pauses left out.
class RowClock {
public:
    void take(const std::vector<MetricRow>& rows)
    {
        if (!rows.empty())
            m_last = rows.back();
    }
    std::int64_t step() const { return m_last.step; }
    /// Since the last call.
    double takeSeconds() { return m_last.seconds - std::exchange(m_taken, m_last.seconds); }

private:
    MetricRow m_last;
    double m_taken = 0;
};

/// The same experiment twice, in a window and without one. One of the two trains while the other is paused, in short turns (a b b a), so
/// that what the machine does besides falls on both.
void slowdown()
{
    constexpr int kPairs = 40;
    constexpr std::int64_t kSteps = 50;
    Experiment experiment = loadExperiment(findExperiment("fable").value().string()).value();
    experiment.training.evaluateEvery = experiment.training.sampleEvery = 0;
    experiment.training.evaluateWhole = false;
    Session session(experiment, allSpecs(), allBuilders(), {});
    Bench bench;
    waitFor([&] { return !bench.window.document().checked()->order.empty(); }, 60000);
    RunController& run = bench.window.controller();
    RowClock aloneClock, watchedClock;
    QEventLoop untilStepped;
    std::int64_t end = 0;
    QObject::connect(&run, &RunController::metricsArrived, &bench.window, [&](const std::vector<MetricRow>& rows) {
        watchedClock.take(rows);
        if (watchedClock.step() >= end)
            untilStepped.quit();
    });

    // Without a window nothing happens on this thread: the events of the paused one wait.
    const auto alone = [&] {
        const std::int64_t last = aloneClock.step() + kSteps;
        session.step(kSteps);
        while (aloneClock.step() < last) {
            usleep(RunController::tickMilliseconds * 1000);
            aloneClock.take(session.takeMetrics());
        }
        return aloneClock.takeSeconds();
    };
    const auto watched = [&] {
        end = watchedClock.step() + kSteps;
        run.step(experiment, {}, kSteps);
        untilStepped.exec();
        return watchedClock.takeSeconds();
    };
    alone();
    watched();
    std::vector<double> ratios;
    double sumAlone = 0, sumWatched = 0;
    for (int pair = 0; pair < kPairs; ++pair) {
        const bool windowFirst = pair % 2 == 1;
        const double first = windowFirst ? watched() : alone();
        const double second = windowFirst ? alone() : watched();
        const double bare = windowFirst ? second : first, open = windowFirst ? first : second;
        sumAlone += bare;
        sumWatched += open;
        ratios.push_back(open / bare - 1);
    }
    std::printf("training slowed by open views: %.1f %% (median of %d pairs of %lld steps, half of them in %.1f .. "
                "%.1f; %.1f %% in all: %.1f s against %.1f s; goal 5)\n",
                100 * percentile(ratios, 0.5), kPairs, static_cast<long long>(kSteps), 100 * percentile(ratios, 0.25),
                100 * percentile(ratios, 0.75), 100 * (sumWatched / sumAlone - 1), sumWatched, sumAlone);
}

/// A chain of nodes in rows of 25.
Experiment chain(int count)
{
    Experiment experiment;
    Graph& graph = experiment.graph;
    NodeId last = 0;
    for (int i = 0; i < count; ++i) {
        Node node{graph.nextId++,
                  i == 0 ? "embedding" : "lstm",
                  "n" + std::to_string(i),
                  {},
                  {(i % 25) * 280.0, (i / 25) * 200.0},
                  {},
                  {}};
        if (last != 0)
            graph.wires.push_back({{last, "y"}, {node.id, "x"}});
        last = node.id;
        graph.nodes[last] = std::make_shared<const Node>(std::move(node));
    }
    return experiment;
}

/// Repaints and zoom steps from where the view stands.
void timeCanvas(GraphView& view, GraphScene& scene)
{
    waitFor([] { return false; }, 300);
    const QRectF shown = view.mapToScene(view.viewport()->rect()).boundingRect();
    const auto nodes = scene.nodeItems();
    const auto inView = std::count_if(
        nodes.begin(), nodes.end(), [&](const NodeItem* node) { return node->sceneBoundingRect().intersects(shown); });
    const double began = view.zoom();
    std::vector<double> repaint, zoom;
    for (int i = 0; i < 40; ++i) {
        const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        view.viewport()->repaint();
        repaint.push_back(1000 * (seconds(CLOCK_THREAD_CPUTIME_ID) - start));
        view.zoomBy(i % 2 == 0 ? 1.02 : 1 / 1.02);
        view.viewport()->repaint();
        zoom.push_back(1000 * (seconds(CLOCK_THREAD_CPUTIME_ID) - start) - repaint.back());
    }
    std::printf("canvas, %d nodes in view at zoom %.2f: repaint %.1f ms, zoom step %.1f ms (median)\n",
                static_cast<int>(inView), began, percentile(repaint, 0.5), percentile(zoom, 0.5));
}

void canvas()
{
    Bench bench;
    GraphView& view = bench.window.canvas();
    for (const int count : {50, 200, 1000}) {
        bench.window.document().replace(chain(count), {});
        view.fitAll();
        timeCanvas(view, bench.window.scene());
    }
    // The same thousand from so near that their words and the dots between them are drawn; the dots begin at 0.5.
    for (const double zoom : {0.505, 1.0}) {
        view.zoomBy(zoom / view.zoom());
        timeCanvas(view, bench.window.scene());
    }
}

int runAll(Watched& app, const QString& what)
{
    if (what == "paint-once")
        return paintOnce(app);
    const std::pair<QString, std::function<void()>> parts[] = {
        {"paint", paint}, {"first", first}, {"tick", [&] { tick(app); }}, {"slowdown", slowdown}, {"canvas", canvas}};
    for (const auto& [name, part] : parts)
        if (what.isEmpty() || what == name) {
            part();
            std::fflush(stdout);
        }
    return 0;
}

} // namespace

} // namespace unroll

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    unroll::Watched app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setStyle("Fusion");
    return unroll::runAll(app, argc > 1 ? QString::fromLocal8Bit(argv[1]) : QString());
}
