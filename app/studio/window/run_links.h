// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace unroll {

class MainWindow;
class Problems;
class RunCommands;
class TrainingTime;

/// Joins the run of a window to the rest of it: what it trains is marked on the canvas, its problems, its folder and
/// the norms on wires are shown, another document or another run begins again.
class RunLinks : public QObject {
    Q_OBJECT
public:
    /// All must outlive it; it belongs to the window.
    RunLinks(MainWindow& window, RunCommands& commands, Problems& problems, TrainingTime& time);

private:
    void markTrained();

    MainWindow& m_window;
};

} // namespace unroll
