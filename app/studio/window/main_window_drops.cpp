// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with files that are dropped on it.
#include "app/studio/window/dropped_file.h"
#include "app/studio/window/main_window.h"
#include "core/train/run_folder.h"

#include <QDropEvent>

namespace unroll {

bool MainWindow::acceptsDrop(const QMimeData& dragged) const
{
    return firstThatFits(dragged).kind != DroppedFile::Kind::None;
}

bool MainWindow::takeDrop(const QMimeData& dropped)
{
    const DroppedFile file = firstThatFits(dropped);
    MainWindow* taker = nullptr;
    switch (file.kind) {
    case DroppedFile::Kind::None: return false;
    case DroppedFile::Kind::Experiment: taker = openInFittingWindow(file.path); break;
    case DroppedFile::Kind::Run: taker = openRun(file.path); break;
    case DroppedFile::Kind::Text:
        taker = isStartShown() ? openText(file.path) : readText(file.path) ? this : nullptr;
        break;
    }
    if (taker != nullptr && file.of > 1) {
        const QString said = taker->m_messages->words();
        const QString only = tr("Of the %1 files only %2 was taken.").arg(file.of).arg(file.name());
        taker->m_messages->showNote(said.isEmpty() ? only : said + ' ' + only);
    }
    return taker != nullptr;
}

/// The graph of a run, unsaved: the run's own record stays as it is.
MainWindow* MainWindow::openRun(const QString& folder)
{
    const auto run = RunFolder::open(folder.toStdString());
    if (!run) {
        m_messages->showError(tr("The run could not be opened. %1").arg(QString::fromStdString(run.error().text())));
        return nullptr;
    }
    MainWindow& window = fittingWindow();
    window.m_document.replace(run->experiment(), {});
    window.m_view->fitAll();
    window.show();
    window.m_messages->showNote(tr("This is the experiment of the run %1. Saving it makes a file of its own.")
                                    .arg(DroppedFile{DroppedFile::Kind::Run, folder}.name()));
    return &window;
}

/// False: the window says what to do instead.
bool MainWindow::readText(const QString& path)
{
    const auto texts = textParams(m_document.graph(), m_document.registry());
    const QString name = DroppedFile{DroppedFile::Kind::Text, path}.name();
    if (texts.size() != 1) {
        m_messages->showNote(
            texts.empty() ? tr("Nothing here reads a text. Add a Text block, then drop %1 again.").arg(name)
                          : tr("Several nodes here read a text. Select one and choose %1 in the Inspector.").arg(name));
        return false;
    }
    m_document.endMerge();
    if (!m_document.apply(edits::setParam(texts.front().node, texts.front().param, path.toStdString())))
        return false;
    m_document.endMerge();
    m_messages->showNote(tr("%1 now reads %2.").arg(QString::fromStdString(texts.front().nodeName), name));
    return true;
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!acceptsDrop(*event->mimeData()))
        return;
    event->setDropAction(Qt::CopyAction); // a move would have the other side delete its file
    event->accept();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    event->setDropAction(Qt::CopyAction);
    event->setAccepted(takeDrop(*event->mimeData()));
}

} // namespace unroll
