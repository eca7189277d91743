// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does with files that are dropped on it.
#include "app/studio/canvas/node_item.h"
#include "app/studio/document/dropped_file.h"
#include "app/studio/window/file_commands.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/run_reopening.h"
#include "app/studio/window/start_mode.h"

#include <QDropEvent>

namespace unroll {

namespace {

/// Of the data node at this point of the canvas; nothing: there is none, or it reads no file.
std::optional<FileParam> fileParamAt(const QPoint& at, const GraphView& view)
{
    const GraphScene& scene = view.graphScene();
    const NodeItem* item = view.viewport()->rect().contains(at) ? scene.nodeAt(view.mapToScene(at)) : nullptr;
    const Node* node = item != nullptr ? scene.shown().find(item->id()) : nullptr;
    const BlockSpec* spec = node != nullptr ? scene.registry().find(node->block) : nullptr;
    const ParamSpec* path = spec != nullptr && spec->category == Category::Data ? pathParamOf(*spec) : nullptr;
    return path != nullptr && scene.path().empty() ? std::optional(FileParam{node->id, node->name, path->name})
                                                   : std::nullopt;
}

} // namespace

bool MainWindow::acceptsDrop(const QMimeData& dragged) const
{
    return firstThatFits(dragged).kind != DroppedFile::Kind::None;
}

bool MainWindow::takeDrop(const QMimeData& dropped, const std::optional<QPoint>& at)
{
    const DroppedFile file = firstThatFits(dropped);
    MainWindow* taker = nullptr;
    switch (file.kind) {
    case DroppedFile::Kind::None: return false;
    case DroppedFile::Kind::Experiment: taker = m_files->openWhereItFits(file.path); break;
    case DroppedFile::Kind::Run: taker = m_reopening->openExperiment(file.path); break;
    case DroppedFile::Kind::Data:
        taker = isStartShown() ? m_startMode->openData(file.path) : readData(file.path, at) ? this : nullptr;
        break;
    }
    if (taker != nullptr && file.of > 1) {
        const QString said = taker->m_messages->words();
        const QString only = tr("Only %2 of the %1 files was used.").arg(file.of).arg(file.name());
        taker->m_messages->showNote(said.isEmpty() ? only : said + ' ' + only);
    }
    return taker != nullptr;
}

/// The data node under the cursor, or the one node that reads files such as this. False: the window says what to do instead.
bool MainWindow::readData(const QString& path, const std::optional<QPoint>& at)
{
    const auto under = at ? fileParamAt(m_view->viewport()->mapFrom(this, *at), *m_view) : std::nullopt;
    const auto readers = under ? std::vector{*under} : fileParams(path, m_document.graph(), m_document.registry());
    const BlockSpec* own = blockReading(path, m_document.registry());
    const QString name = DroppedFile{DroppedFile::Kind::Data, path}.name();
    if (readers.empty() && own != nullptr)
        return addReader(*own, path);
    if (readers.size() != 1) {
        m_messages->showNote(
            readers.empty()
                ? tr("No node reads text. Add a Text block, then drop %1 again.").arg(name)
                : tr("Several nodes read this kind of file. Select one and choose %1 in the Inspector.").arg(name));
        return false;
    }
    if (!m_document.apply(edits::setParam(readers.front().node, readers.front().param, path.toStdString())))
        return false;
    m_messages->showNote(tr("%1 now reads %2.").arg(QString::fromStdString(readers.front().nodeName), name));
    return true;
}

/// A file whose kind no node here reads: a node that does, in the middle of what is in view. Data stand at the top.
bool MainWindow::addReader(const BlockSpec& spec, const QString& path)
{
    m_scene.goTo({});
    QString other;
    for (const auto& [id, node] : m_document.graph().nodes)
        if (const BlockSpec* block = m_document.registry().find(node->block);
            block != nullptr && block->category == Category::Data)
            other = QString::fromStdString(node->name);
    const QPointF middle = m_view->mapToScene(m_view->viewport()->rect().center());
    m_scene.addBlock(spec.id, m_scene.freePlace(spec.id, middle - m_scene.bodyOf(spec.id, {}).center()),
                     {{pathParamOf(spec)->name, path.toStdString()}});
    QString words = tr("Added a %1 node that reads %2.")
                        .arg(QString::fromStdString(spec.title), DroppedFile{DroppedFile::Kind::Data, path}.name());
    if (!other.isEmpty())
        words += ' ' + tr("A graph has one data node: remove %1 to train on the new one.").arg(other);
    m_messages->showNote(words);
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
    event->setAccepted(takeDrop(*event->mimeData(), event->position().toPoint()));
}

} // namespace unroll
