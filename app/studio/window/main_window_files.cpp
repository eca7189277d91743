// SPDX-License-Identifier: GPL-3.0-or-later
// The window's commands on files.
#include "app/studio/window/main_window.h"

#include "core/train/gallery.h"

#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>

namespace unroll {

namespace {

constexpr int mostRecent = 10;

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
    file->addActions({m_actions.newWindow, m_actions.open});
    m_recent = file->addMenu(tr("Open &Recent"));
    QMenu* gallery = file->addMenu(tr("&Gallery"));
    for (const auto& path : galleryExperiments()) {
        const QString whole = QString::fromStdString(path.string());
        gallery->addAction(QFileInfo(whole).completeBaseName(), this, [this, whole] { openInFittingWindow(whole); });
    }
    gallery->setEnabled(!gallery->isEmpty());
    file->addSeparator();
    file->addActions({m_actions.save, m_actions.saveAs});
    file->addSeparator();
    file->addActions({m_actions.close, m_actions.quit});
    connect(m_recent, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    connect(m_actions.newWindow, &QAction::triggered, this, [this] {
        auto* window = new MainWindow(m_workshop);
        window->setAttribute(Qt::WA_DeleteOnClose);
        window->openDefault();
        window->show();
    });
    connect(m_actions.open, &QAction::triggered, this, &MainWindow::openDialog);
    connect(m_actions.save, &QAction::triggered, this, &MainWindow::save);
    connect(m_actions.saveAs, &QAction::triggered, this, &MainWindow::saveAs);
    connect(m_actions.close, &QAction::triggered, this, &QWidget::close);
    connect(m_actions.quit, &QAction::triggered, this, &MainWindow::closeAll);
    fillRecent();
}

void MainWindow::openDefault()
{
    const auto found = findExperiment("fable");
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
    m_document.replace(std::move(*loaded), gallery ? QString() : QFileInfo(path).absoluteFilePath());
    if (!gallery)
        remember(m_document.path());
    m_view->fitAll();
    return true;
}

/// An experiment with a run or with changes keeps its window; else the file takes its place.
void MainWindow::openInFittingWindow(const QString& path)
{
    if (!m_controller.isUnderWay() && !m_document.isModified()) {
        openFile(path);
        return;
    }
    auto* window = new MainWindow(m_workshop);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->openFile(path);
    window->show();
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
    return m_document.path().isEmpty() ? saveAs() : saveTo(m_document.path());
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
    remember(path);
    return true;
}

/// Every window of the program, until one wants to stay. One that saves its run does not: it goes when that is done.
void MainWindow::closeAll()
{
    QList<QPointer<MainWindow>> windows;
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* window = qobject_cast<MainWindow*>(widget); window != nullptr && window->isVisible())
            windows << window;
    for (const auto& window : windows) // one may go while another asks
        if (window && !window->close() && !window->m_closing)
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

void MainWindow::remember(const QString& path)
{
    QStringList recent = m_workshop.settings.value("recent").toStringList();
    recent.removeAll(path);
    recent.prepend(path);
    m_workshop.settings.setValue("recent", QStringList(recent.mid(0, mostRecent)));
    fillRecent();
}

void MainWindow::fillRecent()
{
    m_recent->clear();
    const QStringList recent = m_workshop.settings.value("recent").toStringList();
    for (const QString& path : recent)
        m_recent->addAction(QFileInfo(path).fileName(), this, [this, path] { openInFittingWindow(path); })
            ->setToolTip(path);
    m_recent->setEnabled(!recent.isEmpty());
}

} // namespace unroll
