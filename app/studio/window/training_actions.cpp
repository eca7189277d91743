// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/training_actions.h"

#include "app/studio/run/runs_place.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/studio_context.h"
#include "app/studio/window/window_actions.h"

namespace unroll {

TrainingActions::TrainingActions(const WindowActions& actions, Document& document, RunController& controller,
                                 MessageBar& messages, const StudioContext& studio, const RunsPanel& runs,
                                 const std::function<void()>& before, QWidget* window)
    : QObject(window),
      m_actions{actions.run,    actions.pause,   actions.step,        actions.stop,
                actions.resume, actions.restart, actions.keepWeights, actions.showKept},
      m_document(document),
      m_studio(studio),
      m_runs(runs)
{
    for (QAction* action : {m_actions.run, m_actions.step, m_actions.resume, m_actions.restart, m_actions.keepWeights})
        connect(action, &QAction::triggered, this, before);
    m_commands = new RunCommands(
        document, controller, messages, m_actions, studio.appearance, [this] { return options(); }, window);
    connect(&document, &Document::replaced, this, [this] {
        if (m_document.path().isEmpty() || m_document.path() != m_weightsOf) // else it was read again
            m_initialWeights.clear();
    });
    connect(&document, &Document::fileChanged, this, [this] { m_weightsOf = m_document.path(); });
}

void TrainingActions::setInitialWeights(const QString& file)
{
    m_initialWeights = file;
    m_weightsOf = m_document.path();
}

SessionOptions TrainingActions::options() const
{
    SessionOptions options;
    options.lookBudget = m_studio.preferences->choices().lookShare / 100;
    options.initialWeights = m_initialWeights.toStdString();
    if (m_studio.keepsRuns)
        options.runFolder = newRunFolder(m_document.path(), m_document.title(), m_runs.place()).toStdString();
    return options;
}

} // namespace unroll
