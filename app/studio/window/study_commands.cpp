// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/study_commands.h"

#include "app/studio/runs/runs_panel.h"
#include "app/studio/study/study_panel.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/run_reopening.h"

namespace unroll {

StudyCommands::StudyCommands(MainWindow& window) : QObject(&window), m_window(window)
{
    StudyPanel& panel = window.panel<StudyPanel>();
    connect(&panel, &StudyPanel::opened, this, [this] { m_window.showPanel(m_window.panels().dock("study")); });
    connect(&panel, &StudyPanel::failed, &window.messages(), &MessageBar::showError);
    connect(&panel, &StudyPanel::saved, &window.messages(),
            [this](const QString& path) { m_window.messages().showNote(tr("Saved %1.").arg(path)); });
    connect(&panel, &StudyPanel::runAsked, this, [this](const QString& folder) {
        m_window.panel<RunsPanel>().commands().readRecord(
            folder, [this](const RunRecord& record) { m_window.reopening().reopen(record); });
    });
}

} // namespace unroll
