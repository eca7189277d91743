// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/run/run_controller.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QToolBar>

namespace unroll {

class Appearance;
class RunProgress;
class SeedField;

/// The commands of a run as actions with their keys.
struct RunActions {
    QAction* run;
    QAction* pause;
    QAction* step;
    QAction* stop;
};

/// Run, pause, step, stop; how far, how fast, how long; on what and from which seed.
class RunBar : public QToolBar {
    Q_OBJECT
public:
    RunBar(Document& document, RunController& controller, const RunActions& actions, const Appearance& appearance,
           QWidget* parent = nullptr);

    /// The bar's words, for tests and screen readers: "Running, step 1,240 / 2,000, 12.4 k tokens/s, 3 min 20 s left, on cpu, 2
    /// threads".
    QString words() const;

private:
    void refresh();
    void showSettings();

    Document& m_document;
    RunController& m_controller;
    RunActions m_actions;
    RunProgress* m_progress = nullptr;
    QComboBox* m_device;
    SeedField* m_seed;
};

} // namespace unroll
