// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/file_commands.h"

#include "app/studio/document/file_identity.h"
#include "app/studio/window/file_guard.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/run_reopening.h"
#include "app/studio/window/window_list.h"
#include "core/experiment/gallery.h"

#include <QFileDialog>
#include <QFileInfo>
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

FileCommands::FileCommands(MainWindow& window, Autosave& autosave)
    : QObject(&window),
      m_window(window),
      m_autosave(autosave),
      m_guard(new FileGuard(window.document(), window.questions(), &window))
{
    connect(m_guard, &FileGuard::reloadAsked, this, &FileCommands::reload);
    connect(m_guard, &FileGuard::restoreAsked, this, &FileCommands::restore);
    connect(&m_autosave, &Autosave::failed, &window.messages(), &MessageBar::showError);
    connect(&m_autosave, &Autosave::worksAgain, &window.messages(), &MessageBar::takeBack);
    connectActions();
}

/// What the File menu does.
void FileCommands::connectActions()
{
    const WindowActions& actions = m_window.actions();
    connect(actions.newWindow, &QAction::triggered, this, [this] {
        MainWindow& window = newWindow(m_window.studio());
        window.startMode().show();
        window.show();
    });
    connect(actions.open, &QAction::triggered, this, &FileCommands::openDialog);
    connect(actions.save, &QAction::triggered, this, &FileCommands::save);
    connect(actions.saveAs, &QAction::triggered, this, &FileCommands::saveAs);
    connect(actions.close, &QAction::triggered, &m_window, &QWidget::close);
    connect(actions.quit, &QAction::triggered, this, &FileCommands::closeAll);
}

void FileCommands::openDefault()
{
    const auto found = findExperiment(kDefaultExperiment);
    if (found)
        open(QString::fromStdString(found->string()));
    else
        m_window.messages().showError(
            tr("The first experiment could not be found: %1").arg(QString::fromStdString(found.error().text())));
}

bool FileCommands::open(const QString& path)
{
    auto loaded = loadExperiment(path.toStdString());
    if (!loaded) {
        m_window.messages().showError(
            tr("The file could not be opened. %1").arg(QString::fromStdString(loaded.error().text())));
        return false;
    }
    const bool gallery = isOfGallery(path);
    m_window.reopening().forgetPlace();
    m_window.document().replace(std::move(*loaded), gallery ? QString() : QFileInfo(path).absoluteFilePath());
    m_window.canvas().fitAll();
    if (gallery) {
        Q_EMIT galleryOpened(path);
    } else {
        m_window.recentFiles().note(m_window.document().path());
        m_guard->offer(SideFile::abandoned(m_window.document().path(), m_window.studio().autosave.folder), true);
    }
    return true;
}

/// A file has one window. Where nothing would be lost by it, what is open is read again.
MainWindow* FileCommands::openWhereItFits(const QString& path)
{
    MainWindow* holder = windowOf(path);
    if (holder != nullptr && !(holder == &m_window && m_window.isFree())) {
        bringForward(*holder);
        holder->messages().showNote(tr("%1 is open in this window.").arg(QFileInfo(path).fileName()));
        return holder;
    }
    MainWindow& window = fittingWindow(m_window);
    if (window.files().open(path)) {
        window.show();
        return &window;
    }
    if (&window != &m_window) {
        m_window.messages().showError(window.messages().shownText());
        delete &window;
    }
    return nullptr;
}

void FileCommands::openDialog()
{
    const QString path = QFileDialog::getOpenFileName(&m_window, tr("Open an experiment"), {},
                                                      tr("Experiments (*.unroll);;All files (*)"));
    if (!path.isEmpty())
        openWhereItFits(path);
}

bool FileCommands::save()
{
    if (m_window.document().path().isEmpty())
        return saveAs();
    if (!m_guard->isChangedOnDisk())
        return saveTo(m_window.document().path());
    QMessageBox question(
        QMessageBox::Warning, tr("Changed by another program"),
        tr("%1 was changed by another program after it was opened here. Overwriting discards those changes.")
            .arg(QFileInfo(m_window.document().path()).fileName()),
        QMessageBox::Cancel, &m_window);
    const QAbstractButton* overwrite = question.addButton(tr("&Overwrite"), QMessageBox::DestructiveRole);
    QPushButton* elsewhere = question.addButton(tr("Save &As …"), QMessageBox::AcceptRole);
    question.setDefaultButton(elsewhere);
    question.exec();
    if (question.clickedButton() == overwrite)
        return saveTo(m_window.document().path());
    return question.clickedButton() == elsewhere && saveAs();
}

bool FileCommands::saveAs()
{
    const QString wish =
        m_window.document().path().isEmpty() ? m_window.document().title() + ".unroll" : m_window.document().path();
    const QString path =
        QFileDialog::getSaveFileName(&m_window, tr("Save the experiment"), wish, tr("Experiments (*.unroll)"));
    if (path.isEmpty())
        return false;
    return saveTo(QFileInfo(path).suffix().isEmpty() ? path + ".unroll" : path);
}

bool FileCommands::saveTo(const QString& path)
{
    const auto saved = m_window.document().save(path);
    if (!saved) {
        m_notSaved = tr("Not saved. %1").arg(QString::fromStdString(saved.error().text()));
        m_window.messages().showError(m_notSaved);
        return false;
    }
    m_window.messages().takeBack(m_notSaved);
    m_window.recentFiles().note(path);
    return true;
}

void FileCommands::closeAll()
{
    for (const auto& window : visibleWindows()) // one may go while another asks
        if (window && !window->close() && !window->isClosing())
            return;
}

bool FileCommands::maybeSave()
{
    if (!m_window.document().isModified())
        return true;
    QMessageBox question(QMessageBox::Question, tr("Unsaved changes"),
                         tr("Save the changes to “%1”?").arg(m_window.document().title()),
                         QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &m_window);
    question.setDefaultButton(QMessageBox::Save);
    question.exec();
    const auto answer = question.standardButton(question.clickedButton());
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

void FileCommands::offerAbandoned()
{
    m_guard->offer(SideFile::allAbandoned(m_window.recentFiles().entries(), m_window.studio().autosave.folder), false);
}

/// What was found goes on in a window that is free for it, as its side file does.
void FileCommands::restore(const std::shared_ptr<SideFile>& changes)
{
    auto experiment = changes->read();
    if (!experiment) {
        m_window.messages().showError(tr("Not restored. %1").arg(QString::fromStdString(experiment.error().text())));
        return;
    }
    MainWindow& window = fittingWindow(m_window);
    window.show();
    const QString file =
        QFileInfo::exists(changes->file()) ? changes->file() : QString(); // gone: they are all there is
    if (!file.isEmpty() && !isSameFile(file, window.document().path()) && !window.files().open(file))
        return;
    window.document().restore(std::move(*experiment), file.isEmpty() ? QString() : window.document().path());
    window.files().m_autosave.adopt(changes);
    window.canvas().fitAll();
}

/// A run that is in progress would end with the experiment it belongs to.
void FileCommands::reload()
{
    if (m_window.controller().isUnderWay())
        m_window.messages().showNote(tr("Stop the run before reloading the file."));
    else
        open(m_window.document().path());
}

void FileCommands::look()
{
    m_guard->look();
}

} // namespace unroll
