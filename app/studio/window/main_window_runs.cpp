// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with runs on disk.
#include "app/studio/run/runs_place.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/run_reopening.h"

#include <QDesktopServices>
#include <QUrl>

namespace unroll {

void MainWindow::connectRuns()
{
    m_reopening = new RunReopening(*this);
    connect(m_runCommands, &RunCommands::resumeAsked, m_reopening, &RunReopening::resumeShown);
    connect(&runs(), &RunsPanel::folderAsked, this, &MainWindow::openFolder);
    connect(&runs(), &RunsPanel::told, m_messages, &MessageBar::showNote);
    connect(&runs(), &RunsPanel::failed, m_messages, &MessageBar::showError);
    connect(&runs(), &RunsPanel::overlaysChanged, this, &MainWindow::overlayRuns);
}

void MainWindow::overlayRuns(const std::vector<CurveOverlay>& runs)
{
    curves().setOverlays(runs);
    std::map<QString, Theme::Role> colors;
    for (const CurveOverlay& run : runs)
        if (const auto color = curves().overlayColor(run.folder))
            colors.emplace(run.folder, *color);
    m_panels.get<RunsPanel>().showColors(std::move(colors));
}

SessionOptions MainWindow::runOptions() const
{
    SessionOptions options;
    options.lookBudget = m_workshop.preferences->choices().lookShare / 100;
    if (m_workshop.keepsRuns)
        options.runFolder =
            newRunFolder(m_document.path(), m_document.title(), m_panels.get<RunsPanel>().place()).toStdString();
    return options;
}

void MainWindow::openFolder(const QString& folder)
{
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
        m_messages->showError(tr("No file manager was found. The run is in %1").arg(folder));
}

} // namespace unroll
