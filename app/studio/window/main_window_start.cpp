// SPDX-License-Identifier: GPL-3.0-or-later
// The window's start page: all of it is StartMode's.
#include "app/studio/window/main_window.h"
#include "app/studio/window/start_mode.h"

namespace unroll {

void MainWindow::connectStart()
{
    m_startMode = new StartMode(*this, *m_centre);
    connect(m_startMode, &StartMode::changed, this, &MainWindow::refreshTitle);
}

bool MainWindow::isStartShown() const
{
    return m_startMode->isShown();
}

void MainWindow::showStart()
{
    m_startMode->show();
}

void MainWindow::leaveStart()
{
    m_startMode->leave();
}

void MainWindow::showPanel(Dock& dock)
{
    leaveStart();
    dock.show();
    dock.raise();
}

} // namespace unroll
