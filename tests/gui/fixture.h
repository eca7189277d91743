// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/main_window.h"
#include "tests/gui/scripted_run.h"

#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

namespace unroll::test {

/// A whole window on the default experiment, with settings in a folder of its own and a scripted run behind it.
struct Studio {
    explicit Studio(StartRun runs = {});
    ~Studio();

    QTemporaryDir folder;
    QSettings settings;
    BlockRegistry registry;
    DataCache data;
    Appearance appearance;
    std::shared_ptr<Script> script;
    Workshop workshop;
    MainWindow window;

    const Graph& graph() { return window.document().graph(); }
    NodeId id(const std::string& name) { return graph().findByName(name)->id; }
    NodeItem& item(const std::string& name) { return *window.scene().node(id(name)); }
    /// The middle of a node's header, in viewport coordinates.
    QPoint headerOf(const std::string& name);
    void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {});
    void key(int key, Qt::KeyboardModifiers modifiers = {});
};

/// Some label in it holds these words.
bool says(const QWidget& widget, const QString& words);

/// The button that is seen with this label; nullptr where there is none.
QPushButton* buttonIn(const QWidget& widget, const QString& label);
/// False: there is none.
bool clickOn(const QWidget& widget, const QString& label);

/// Runs one test object of each kind; every area adds its own.
int runTheme(int argc, char** argv);
int runCharts(int argc, char** argv);
int runLenses(int argc, char** argv);
int runHeatMap(int argc, char** argv);
int runCanvas(int argc, char** argv);
int runEditing(int argc, char** argv);
int runGroups(int argc, char** argv);
int runWindow(int argc, char** argv);
int runInspector(int argc, char** argv);
int runInspectorForm(int argc, char** argv);
int runTraining(int argc, char** argv);
int runViews(int argc, char** argv);
int runWiring(int argc, char** argv);
int runBuild(int argc, char** argv);
int runBlockSearch(int argc, char** argv);
int runPalette(int argc, char** argv);
int runFiles(int argc, char** argv);
int runAutosave(int argc, char** argv);
int runDrops(int argc, char** argv);
int runExport(int argc, char** argv);
int runKeepWeights(int argc, char** argv);
int runKeptForReal(int argc, char** argv);

} // namespace unroll::test
