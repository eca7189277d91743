// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/training_actions.h"

#include "app/studio/run/runs_place.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/window/window_actions.h"
#include "app/studio/workshop.h"

namespace unroll {

TrainingActions::TrainingActions(const WindowActions& actions, Document& document, RunController& controller,
                                 MessageBar& messages, const Workshop& workshop, const RunsPanel& runs,
                                 const std::function<void()>& before, QWidget* window)
    : QObject(window),
      m_actions{actions.run,    actions.pause,   actions.step,        actions.stop,
                actions.resume, actions.restart, actions.keepWeights, actions.showKept},
      m_document(document),
      m_workshop(workshop),
      m_runs(runs)
{
    for (QAction* action : {m_actions.run, m_actions.step, m_actions.resume, m_actions.restart, m_actions.keepWeights})
        connect(action, &QAction::triggered, this, before);
    m_commands = new RunCommands(
        document, controller, messages, m_actions, workshop.appearance, [this] { return options(); }, window);
}

SessionOptions TrainingActions::options() const
{
    SessionOptions options;
    options.lookBudget = m_workshop.preferences->choices().lookShare / 100;
    if (m_workshop.keepsRuns)
        options.runFolder = newRunFolder(m_document.path(), m_document.title(), m_runs.place()).toStdString();
    return options;
}

} // namespace unroll
