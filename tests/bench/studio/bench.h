// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the parts of unroll_studio_bench share: a window on the real engine, clocks, and how a figure is told.

#include "app/studio/curves/curves_panel.h"
#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/window/main_window.h"
#include "core/experiment/data_cache.h"
#include "core/model/builders.h"
#include "tests/bench/studio/part.h"

#include <QApplication>
#include <QTemporaryDir>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace unroll::bench {

double seconds(clockid_t clock);
/// Since the process began, dynamic loading included. The kernel counts starts in ticks of 10 ms.
double sinceStart();
/// The value that this share (0..1) of them does not exceed, in any order; of few values the 95th is the greatest. 0
/// where there are none.
double percentile(std::vector<double> values, double share);

/// One line: median and 95th percentile in ms, how often it was timed, and whether the 95th percentile is within the
/// bound (ms).
void report(const std::string& what, const std::vector<double>& milliseconds, double bound);

/// Handles events until the condition holds; false where it did not within this time. The thread sleeps between events
/// as in the program: a busy one would take a core from training.
bool waitFor(const std::function<bool()>& condition, int milliseconds);

/// Adds up what the GUI thread does between two takes, in seconds.
class Watched : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;
    double takeWall() { return std::exchange(m_wall, 0); }
    double takeCpu() { return std::exchange(m_cpu, 0); }

private:
    int m_depth = 0;
    double m_wall = 0;
    double m_cpu = 0;
};

/// The program's one.
Watched& watched();

/// Counts the paints of a widget that are done, on the screen or what stands for one.
class Paints : public QObject {
public:
    explicit Paints(QWidget& widget);
    int done() const { return m_done; }

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    int m_done = 0;
};

/// A whole window on the default experiment, with settings in a folder of its own and real runs behind it.
struct Bench {
    explicit Bench(bool keepsRuns = false);

    QTemporaryDir folder;
    QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
    BlockRegistry registry = allSpecs();
    DataCache data{allBuilders()};
    Appearance appearance{ThemeChoice::Light};
    StudioContext context;
    MainWindow window;

    /// The check has examined what the document holds now.
    bool waitUntilChecked();
};

/// Text, embedding, LSTMs in close rows, head: so many nodes that a run could train.
Experiment chainOf(int nodes);

} // namespace unroll::bench
