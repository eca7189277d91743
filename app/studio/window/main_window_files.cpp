// SPDX-License-Identifier: GPL-3.0-or-later
// The window's File menu.
#include "app/studio/export/export_command.h"
#include "app/studio/window/file_commands.h"
#include "app/studio/window/file_drops.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/recent_menu.h"
#include "app/studio/window/run_reopening.h"
#include "app/studio/window/start_mode.h"
#include "app/studio/window/window_list.h"
#include "core/train/gallery.h"

#include <QEvent>
#include <QFileInfo>
#include <QMenuBar>

namespace unroll {

void MainWindow::makeFileMenu()
{
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addActions({m_actions.newWindow, m_actions.start, m_actions.open});
    auto* recent = new RecentMenu(tr("Open &Recent"), recentFiles(), this);
    connect(recent, &RecentMenu::asked, this, [this](const QString& path) { m_files->openWhereItFits(path); });
    file->addMenu(recent);
    QMenu* gallery = file->addMenu(tr("&Gallery"));
    for (const auto& path : galleryExperiments()) {
        const QString whole = QString::fromStdString(path.string());
        gallery->addAction(QFileInfo(whole).completeBaseName(), this,
                           [this, whole] { m_files->openWhereItFits(whole); });
    }
    gallery->setEnabled(!gallery->isEmpty());
    file->addSeparator();
    file->addActions({m_actions.save, m_actions.saveAs});
    file->addSeparator();
    file->addAction(m_actions.exportRun);
    new ExportCommand(*m_actions.exportRun, m_document, m_controller, m_workshop, *this);
    file->addSeparator();
    file->addActions({m_actions.close, m_actions.quit});
}

void MainWindow::connectFiles()
{
    m_files = new FileCommands(*this, m_autosave);
    connect(m_actions.newWindow, &QAction::triggered, this, [this] {
        MainWindow& window = newWindow(m_workshop);
        window.showStart();
        window.show();
    });
    connect(m_actions.open, &QAction::triggered, m_files, &FileCommands::openDialog);
    connect(m_actions.save, &QAction::triggered, m_files, &FileCommands::save);
    connect(m_actions.saveAs, &QAction::triggered, m_files, &FileCommands::saveAs);
    connect(m_actions.close, &QAction::triggered, this, &QWidget::close);
    connect(m_actions.quit, &QAction::triggered, m_files, &FileCommands::closeAll);
}

void MainWindow::acceptFiles()
{
    const auto messagesOf = [](MainWindow* window) { return window != nullptr ? window->m_messages : nullptr; };
    new FileDrops(*this, m_document, *m_view, *m_messages,
                  {[=, this](const QString& path) { return messagesOf(m_files->openWhereItFits(path)); },
                   [=, this](const QString& path) { return messagesOf(m_reopening->openExperiment(path)); },
                   [=, this](const QString& path) { return messagesOf(m_startMode->openData(path)); },
                   [this] { return isStartShown(); }});
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && isActiveWindow())
        m_files->look();
}

void MainWindow::openDefault()
{
    m_files->openDefault();
}

bool MainWindow::openFile(const QString& path)
{
    return m_files->open(path);
}

void MainWindow::offerAbandoned()
{
    m_files->offerAbandoned();
}

bool MainWindow::isFree() const
{
    return !m_controller.isUnderWay() && !m_document.isModified();
}

} // namespace unroll
