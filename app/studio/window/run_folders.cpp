// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_folders.h"

#include "app/studio/run/run_controller.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/theme/message_bar.h"

#include <QAction>
#include <QDesktopServices>
#include <QUrl>

namespace unroll {

RunFolders::RunFolders(QAction& open, const RunController& controller, const RunsPanel& runs, MessageBar& messages,
                       QObject* parent)
    : QObject(parent), m_open(open), m_controller(controller), m_messages(messages)
{
    connect(&open, &QAction::triggered, this,
            [this] { show(QString::fromStdString(m_controller.snapshot()->runFolder)); });
    connect(&runs, &RunsPanel::folderAsked, this, &RunFolders::show);
    connect(&controller, &RunController::snapshotChanged, this, &RunFolders::refresh);
    connect(&controller, &RunController::runChanged, this, &RunFolders::refresh);
    refresh();
}

void RunFolders::refresh()
{
    m_open.setEnabled(!m_controller.snapshot()->runFolder.empty());
}

void RunFolders::show(const QString& folder)
{
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
        m_messages.showError(tr("No file manager was found. The run is in %1").arg(folder));
}

} // namespace unroll
