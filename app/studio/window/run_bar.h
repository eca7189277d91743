// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/run_commands.h"

#include <QComboBox>
#include <QLabel>
#include <QToolBar>

namespace unroll {

class Appearance;
class RunProgress;
class NumberField;

/// Run, step, stop; how far, how fast, how long; on what and from which seed; whether changes wait for the next run.
class RunBar : public QToolBar {
    Q_OBJECT
public:
    RunBar(Document& document, RunController& controller, const RunCommands& commands, const RunActions& actions,
           const Appearance& appearance, QWidget* parent = nullptr);

    /// The bar's words, for tests and screen readers: "Running, step 1,240 / 2,000, 12.4 k tokens/s, 3 min 20 s left,
    /// on cpu, 2 threads".
    QString shownText() const;

private:
    void addCommands(const RunActions& actions);
    void addSettings();
    void refresh();
    void showSettings();

    Document& m_document;
    RunController& m_controller;
    const RunCommands& m_commands;
    RunProgress* m_progress;
    QLabel* m_changes;
    QAction* m_pausePlace = nullptr;  ///< its own button, where Run does not pause
    QAction* m_resumePlace = nullptr; ///< beside Run where that begins another run
    QAction* m_changesPlace = nullptr;
    QComboBox* m_device;
    NumberField* m_seed;
};

} // namespace unroll
