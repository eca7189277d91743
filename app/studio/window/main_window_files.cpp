// SPDX-License-Identifier: GPL-3.0-or-later
// The window's commands on files.
#include "app/studio/window/main_window.h"

#include "app/studio/export/export_command.h"
#include "app/studio/window/file_guard.h"
#include "app/studio/window/recent_menu.h"
#include "app/studio/window/run_reopening.h"
#include "app/studio/window/window_list.h"
#include "core/train/gallery.h"

#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>

namespace unroll {

namespace {

bool isOfGallery(const QString& path)
{
    const auto folder = galleryFolder();
    return !folder.empty() &&
           QFileInfo(path).absolutePath() == QFileInfo(QString::fromStdString(folder.string())).absoluteFilePath();
}

} // namespace

void MainWindow::makeFileMenu()
{
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addActions({m_actions.newWindow, m_actions.start, m_actions.open});
    file->addMenu(m_recent = new RecentMenu(tr("Open &Recent"), recentFiles(), this));
    QMenu* gallery = file->addMenu(tr("&Gallery"));
    for (const auto& path : galleryExperiments()) {
        const QString whole = QString::fromStdString(path.string());
        gallery->addAction(QFileInfo(whole).completeBaseName(), this, [this, whole] { openInFittingWindow(whole); });
    }
    gallery->setEnabled(!gallery->isEmpty());
    file->addSeparator();
    file->addActions({m_actions.save, m_actions.saveAs});
    file->addSeparator();
    file->addAction(m_actions.exportRun);
    new ExportCommand(*m_actions.exportRun, m_document, m_controller, m_workshop, *this);
    file->addSeparator();
    file->addActions({m_actions.close, m_actions.quit});
    connect(m_recent, &RecentMenu::asked, this, &MainWindow::openInFittingWindow);
    connect(m_actions.newWindow, &QAction::triggered, this, [this] {
        MainWindow& window = newWindow(m_workshop);
        window.showStart();
        window.show();
    });
    connect(m_actions.open, &QAction::triggered, this, &MainWindow::openDialog);
    connect(m_actions.save, &QAction::triggered, this, &MainWindow::save);
    connect(m_actions.saveAs, &QAction::triggered, this, &MainWindow::saveAs);
    connect(m_actions.close, &QAction::triggered, this, &QWidget::close);
    connect(m_actions.quit, &QAction::triggered, this, &MainWindow::closeAll);
}

void MainWindow::openDefault()
{
    const auto found = findExperiment(defaultExperiment);
    if (found)
        openFile(QString::fromStdString(found->string()));
    else
        m_messages->showError(
            tr("The first experiment could not be found: %1").arg(QString::fromStdString(found.error().text())));
}

bool MainWindow::openFile(const QString& path)
{
    auto loaded = loadExperiment(path.toStdString());
    if (!loaded) {
        m_messages->showError(tr("Could not be opened. %1").arg(QString::fromStdString(loaded.error().text())));
        return false;
    }
    const bool gallery = isOfGallery(path);
    m_reopening->forgetPlace();
    m_document.replace(std::move(*loaded), gallery ? QString() : QFileInfo(path).absoluteFilePath());
    m_view->fitAll();
    if (gallery) {
        teach(path);
    } else {
        recentFiles().note(m_document.path());
        m_guard->offer(SideFile::abandoned(m_document.path(), m_workshop.autosave.folder), true);
    }
    return true;
}

bool MainWindow::isFree() const
{
    return !m_controller.isUnderWay() && !m_document.isModified();
}

/// A file has one window. Where nothing would be lost by it, what is open is read again.
MainWindow* MainWindow::openInFittingWindow(const QString& path)
{
    MainWindow* holder = windowOf(path);
    if (holder != nullptr && !(holder == this && isFree())) {
        bringForward(*holder);
        holder->m_messages->showNote(tr("%1 is open in this window.").arg(QFileInfo(path).fileName()));
        return holder;
    }
    MainWindow& window = fittingWindow(*this);
    if (window.openFile(path)) {
        window.show();
        return &window;
    }
    if (&window != this) {
        m_messages->showError(window.m_messages->words());
        delete &window;
    }
    return nullptr;
}

void MainWindow::openDialog()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open an experiment"), {}, tr("Experiments (*.unroll);;All files (*)"));
    if (!path.isEmpty())
        openInFittingWindow(path);
}

bool MainWindow::save()
{
    if (m_document.path().isEmpty())
        return saveAs();
    if (!m_guard->isChangedOnDisk())
        return saveTo(m_document.path());
    QMessageBox question(QMessageBox::Warning, tr("Changed by another program"),
                         tr("%1 was changed by another program since it was read here. Overwriting it loses what is "
                            "in it now.")
                             .arg(QFileInfo(m_document.path()).fileName()),
                         QMessageBox::Cancel, this);
    const QAbstractButton* overwrite = question.addButton(tr("&Overwrite"), QMessageBox::DestructiveRole);
    QPushButton* elsewhere = question.addButton(tr("Save &As …"), QMessageBox::AcceptRole);
    question.setDefaultButton(elsewhere);
    question.exec();
    if (question.clickedButton() == overwrite)
        return saveTo(m_document.path());
    return question.clickedButton() == elsewhere && saveAs();
}

bool MainWindow::saveAs()
{
    const QString wish = m_document.path().isEmpty() ? m_document.title() + ".unroll" : m_document.path();
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the experiment"), wish, tr("Experiments (*.unroll)"));
    if (path.isEmpty())
        return false;
    return saveTo(QFileInfo(path).suffix().isEmpty() ? path + ".unroll" : path);
}

bool MainWindow::saveTo(const QString& path)
{
    const auto saved = m_document.save(path);
    if (!saved) {
        m_notSaved = tr("Not saved. %1").arg(QString::fromStdString(saved.error().text()));
        m_messages->showError(m_notSaved);
        return false;
    }
    m_messages->takeBack(m_notSaved);
    recentFiles().note(path);
    return true;
}

/// Every window of the program, until one wants to stay. One that saves its run does not: it goes when that is done.
void MainWindow::closeAll()
{
    for (const auto& window : visibleWindows()) // one may go while another asks
        if (window && !window->close() && !window->isClosing())
            return;
}

bool MainWindow::letGo()
{
    if (!m_document.isModified())
        return true;
    QMessageBox question(QMessageBox::Question, tr("Unsaved changes"),
                         tr("Save the changes to “%1”?").arg(m_document.title()),
                         QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    question.setDefaultButton(QMessageBox::Save);
    question.exec();
    const auto answer = question.standardButton(question.clickedButton());
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

} // namespace unroll
