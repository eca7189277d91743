// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/block_adder.h"
#include "app/studio/canvas/port_edits.h"
#include "app/studio/curves/curves_panel.h"
#include "app/studio/inspector/inspector_panel.h"
#include "app/studio/inspector/training_panel.h"
#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/palette/block_placer.h"
#include "app/studio/palette/palette_panel.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/start/own_data.h"
#include "app/studio/window/layouts.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/problems_panel.h"
#include "app/studio/window/samples_panel.h"
#include "core/experiment/data_cache.h"
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
    StudioContext context;
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
/// How many visible labels hold the words.
qsizetype saying(const QWidget& widget, const QString& words);

/// The button that is seen with this label; nullptr where there is none.
QPushButton* buttonIn(const QWidget& widget, const QString& label);
/// The button that is not hidden and whose name for screen readers begins so; nullptr where there is none.
QAbstractButton* buttonNamed(const QWidget& widget, const QString& name);
/// False: there is none.
bool clickOn(const QWidget& widget, const QString& label);

} // namespace unroll::test
