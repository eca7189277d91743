// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/export_command.h"

#include "app/studio/run/runs_place.h"

#include <QAction>
#include <QEvent>

namespace unroll {

ExportCommand::ExportCommand(QAction& action, const Document& document, RunController& controller,
                             StudioContext& studio, QWidget& window)
    : QObject(&window),
      m_action(action),
      m_document(document),
      m_controller(controller),
      m_studio(studio),
      m_window(window)
{
    connect(&action, &QAction::triggered, this, [this] { showDialog(run()); });
    connect(&document, &Document::replaced, this, &ExportCommand::refresh);
    connect(&document, &Document::fileChanged, this, &ExportCommand::refresh);
    connect(&controller, &RunController::runChanged, this, &ExportCommand::followRun);
    connect(&controller, &RunController::snapshotChanged, this, &ExportCommand::followRun);
    window.installEventFilter(this);
    refresh();
}

QString ExportCommand::run() const
{
    const std::string& folder = m_controller.snapshot()->runFolder;
    return folder.empty() ? lastRunFolder(m_document.path(), m_document.title(),
                                          runsPlace(m_document.path(), m_studio.preferences->choices().runsPlace))
                          : QString::fromStdString(folder);
}

/// Snapshots come many times a second; only another folder makes a difference.
void ExportCommand::followRun()
{
    if (m_controller.snapshot()->runFolder != m_runFolder)
        refresh();
}

void ExportCommand::refresh()
{
    m_runFolder = m_controller.snapshot()->runFolder;
    m_action.setEnabled(!run().isEmpty());
}

void ExportCommand::showDialog(const QString& runFolder)
{
    if (!m_dialog) {
        m_dialog = new ExportDialog(m_studio, m_controller, &m_window);
        m_dialog->setAttribute(Qt::WA_DeleteOnClose);
        m_dialog->showRun(runFolder);
    } else if (m_dialog->form().run() != runFolder) {
        m_dialog->showRun(runFolder);
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

/// The dialog goes with its window.
bool ExportCommand::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Hide && !event->spontaneous() && m_dialog)
        m_dialog->leave();
    return QObject::eventFilter(watched, event);
}

} // namespace unroll
