// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace unroll {

class Dock;
class Problems;
class RunCommands;
class RunController;

/// What goes wrong in a run stands among the problems; the first word of it brings them forward and is said in the
/// window.
class RunProblems : public QObject {
    Q_OBJECT
public:
    /// `dock` has the problems. All must outlive it; it belongs to the window.
    RunProblems(const RunController& controller, Problems& problems, RunCommands& commands, Dock& dock,
                QObject* parent);

private:
    void refresh();

    const RunController& m_controller;
    Problems& m_problems;
    RunCommands& m_commands;
    Dock& m_dock;
};

} // namespace unroll
