// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_on.h"

#include "app/studio/run/run_elsewhere.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/run_on_dialog.h"
#include "app/studio/window/run_reopening.h"

namespace unroll {

RunOn::RunOn(MainWindow& window) : QObject(&window), m_window(window)
{
    connect(window.actions().runOn, &QAction::triggered, this, &RunOn::showDialog);
    m_timer.setInterval(50);
    connect(&m_timer, &QTimer::timeout, this, &RunOn::lookForAttached);
}

RunOnDialog* RunOn::showDialog()
{
    if (m_dialog)
        m_dialog->close();
    m_dialog = new RunOnDialog(hostLines(m_window.studio().settings), m_line, m_window.studio().placeOf, &m_window);
    m_dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_dialog, &RunOnDialog::placeChosen, this, &RunOn::choose);
    connect(m_dialog, &RunOnDialog::runAsked, this, &RunOn::run);
    connect(m_dialog, &RunOnDialog::attachAsked, this, &RunOn::attach);
    m_dialog->show();
    return m_dialog;
}

void RunOn::choose(const QString& line)
{
    m_line = line;
    StudioContext& studio = m_window.studio();
    m_window.controller().setStart(line.isEmpty() ? studio.startRun
                                                  : hostRuns(studio.registry, studio.placeOf(line), studio.startRun));
    if (!line.isEmpty())
        keepHostLine(studio.settings, line);
    m_window.messages().showNote(line.isEmpty() ? tr("New runs of this window are trained on this computer.")
                                                : tr("New runs of this window are trained by: %1").arg(line));
}

/// A run in progress here is not ended without being asked for.
void RunOn::run(const QString& line)
{
    choose(line);
    if (m_window.controller().isUnderWay())
        m_window.messages().showNote(tr("A run is active in this window. Restart it to train it there."));
    else
        m_window.actions().run->trigger();
}

void RunOn::attach(const QString& line, const QString& run)
{
    if (!line.isEmpty())
        keepHostLine(m_window.studio().settings, line);
    RemotePlace place = m_window.studio().placeOf(line);
    place.leavesRunning = true;
    m_coming = attachRemoteSession(run.toStdString(), place);
    m_window.messages().showNote(tr("Attaching to %1 …").arg(run));
    m_timer.start();
}

void RunOn::lookForAttached()
{
    const auto snapshot = m_coming->snapshot();
    const auto experiment = m_coming->experiment();
    if (!experiment && snapshot->state != RunState::Failed)
        return;
    m_timer.stop();
    auto session = std::move(m_coming);
    if (!experiment)
        return m_window.messages().showError(QString::fromStdString(snapshot->failure));
    if (m_window.controller().isUnderWay())
        return m_window.messages().showNote(tr("A run is active in this window. Attach in another one."));
    if (!m_window.files().maybeSave())
        return;
    m_window.document().replace(*experiment, {});
    m_window.canvas().fitAll();
    m_window.controller().attach(*experiment, std::move(session));
    m_window.showPanel(m_window.panels().dock("curves"));
    m_window.messages().hide();
}

} // namespace unroll
