// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_problems.h"

#include "app/studio/document/problems.h"
#include "app/studio/window/dock.h"
#include "app/studio/window/run_commands.h"

namespace unroll {

RunProblems::RunProblems(const RunController& controller, Problems& problems, RunCommands& commands, Dock& dock,
                         QObject* parent)
    : QObject(parent), m_controller(controller), m_problems(problems), m_commands(commands), m_dock(dock)
{
    connect(&controller, &RunController::snapshotChanged, this, &RunProblems::refresh);
    connect(&controller, &RunController::runChanged, this, &RunProblems::refresh);
}

void RunProblems::refresh()
{
    const Snapshot& snapshot = *m_controller.snapshot();
    const int before = m_problems.count(Severity::Error);
    m_problems.setOfRun(snapshot.problems, snapshot.state == RunState::Failed ? snapshot.failure : std::string());
    if (m_problems.count(Severity::Error) <= before)
        return;
    m_dock.raise();
    m_commands.tellTrouble(
        QString::fromStdString(snapshot.failure.empty() ? m_problems.all().front().sentence : snapshot.failure));
}

} // namespace unroll
