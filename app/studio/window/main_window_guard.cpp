// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does about unsaved changes that are found, and about files that other programs write.
#include "app/studio/document/file_identity.h"
#include "app/studio/window/file_guard.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/window_list.h"

#include <QEvent>
#include <QFileInfo>

namespace unroll {

void MainWindow::connectFiles()
{
    setAcceptDrops(true);
    m_guard = new FileGuard(m_document, *m_questions, this);
    connect(m_guard, &FileGuard::reloadAsked, this, &MainWindow::reload);
    connect(m_guard, &FileGuard::restoreAsked, this, &MainWindow::restore);
    connect(&m_autosave, &Autosave::failed, m_messages, &MessageBar::showError);
    connect(&m_autosave, &Autosave::worksAgain, m_messages, &MessageBar::takeBack);
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && isActiveWindow())
        m_guard->look();
}

void MainWindow::offerAbandoned()
{
    m_guard->offer(SideFile::allAbandoned(recentFiles().entries(), m_workshop.autosave.folder), false);
}

/// What was found goes on in a window that is free for it, as its side file does.
void MainWindow::restore(const std::shared_ptr<SideFile>& changes)
{
    auto experiment = changes->read();
    if (!experiment) {
        m_messages->showError(tr("Not restored. %1").arg(QString::fromStdString(experiment.error().text())));
        return;
    }
    MainWindow& window = fittingWindow(*this);
    window.show();
    const QString file =
        QFileInfo::exists(changes->file()) ? changes->file() : QString(); // gone: they are all there is
    if (!file.isEmpty() && !isSameFile(file, window.m_document.path()) && !window.openFile(file))
        return;
    window.m_document.restore(std::move(*experiment), file.isEmpty() ? QString() : window.m_document.path());
    window.m_autosave.adopt(changes);
    window.m_view->fitAll();
}

/// A run that is under way would end with the experiment it belongs to.
void MainWindow::reload()
{
    if (m_controller.isUnderWay())
        m_messages->showNote(tr("Stop the run first, then the file can be read again."));
    else
        openFile(m_document.path());
}

} // namespace unroll
