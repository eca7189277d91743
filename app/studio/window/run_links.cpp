// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_links.h"

#include "app/studio/runs/runs_panel.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/run_commands.h"
#include "app/studio/window/run_folders.h"
#include "app/studio/window/run_problems.h"
#include "app/studio/window/wire_norms.h"

namespace unroll {

RunLinks::RunLinks(MainWindow& window, RunCommands& commands, Problems& problems, TrainingTime& time)
    : QObject(&window), m_window(window)
{
    RunController& run = window.controller();
    Dock& list = window.panels().dock("problems");
    connect(&commands, &RunCommands::refused, this, [this, &list] { m_window.showPanel(list); });
    connect(&window.document(), &Document::replaced, &run, &RunController::forget);
    new RunFolders(*window.actions().openRunFolder, run, window.panel<RunsPanel>(), window.messages(), this);
    connect(&run, &RunController::stateChanged, this, &RunLinks::markTrained);
    connect(&run, &RunController::runChanged, this, &RunLinks::markTrained);
    connect(&run, &RunController::runChanged, &window.cursor(), [this] {
        if (!m_window.controller().continuesRun())
            m_window.cursor().clear();
    });
    new WireNorms(*window.actions().wireNorms, {run, time, window.cursor(), window.scene()}, this);
    new RunProblems(run, problems, commands, list, this);
    markTrained();
}

void RunLinks::markTrained()
{
    const RunController& run = m_window.controller();
    const auto& trained = run.experiment();
    m_window.scene().setTrained(run.isUnderWay() && trained ? &trained->graph : nullptr);
}

} // namespace unroll
