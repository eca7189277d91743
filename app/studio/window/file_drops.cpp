// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/file_drops.h"

#include "app/studio/canvas/block_adder.h"
#include "app/studio/canvas/graph_view.h"
#include "app/studio/canvas/hit_test.h"
#include "app/studio/canvas/node_item.h"
#include "app/studio/document/dropped_file.h"
#include "app/studio/study/study_panel.h"
#include "app/studio/theme/message_bar.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/race_commands.h"
#include "app/studio/window/run_reopening.h"

#include <QDropEvent>
#include <utility>

namespace unroll {

namespace {

/// Of the data node at this point of the canvas; nothing: there is none, or it reads no file.
std::optional<FileParam> fileParamAt(const QPoint& at, const GraphView& view)
{
    const GraphScene& scene = view.graphScene();
    const NodeItem* item = view.viewport()->rect().contains(at) ? nodeAt(scene, view.mapToScene(at)) : nullptr;
    const Node* node = item != nullptr ? scene.shown().find(item->id()) : nullptr;
    const BlockSpec* spec = node != nullptr ? scene.registry().find(node->block) : nullptr;
    const ParamSpec* path = spec != nullptr && spec->category == Category::Data ? pathParamOf(*spec) : nullptr;
    return path != nullptr && scene.path().empty() ? std::optional(FileParam{node->id, node->name, path->name})
                                                   : std::nullopt;
}

/// Null: nothing was opened, and the window says why.
MessageBar* messagesOf(MainWindow* window)
{
    return window != nullptr ? &window->messages() : nullptr;
}

} // namespace

FileDrops::FileDrops(MainWindow& window)
    : QObject(&window),
      m_window(window),
      m_document(window.document()),
      m_view(window.canvas()),
      m_messages(window.messages())
{
    window.setAcceptDrops(true);
    window.installEventFilter(this);
}

bool FileDrops::accepts(const QMimeData& dragged)
{
    return firstThatFits(dragged).kind != DroppedFile::Kind::None;
}

bool FileDrops::handleDrop(const QMimeData& dropped, const std::optional<QPoint>& at)
{
    const DroppedFile file = firstThatFits(dropped);
    MessageBar* taker = nullptr; // of the window that has it now
    switch (file.kind) {
    case DroppedFile::Kind::None: return false;
    case DroppedFile::Kind::Experiment: taker = messagesOf(m_window.files().openWhereItFits(file.path)); break;
    case DroppedFile::Kind::Run: taker = messagesOf(m_window.reopening().openExperiment(file.path)); break;
    case DroppedFile::Kind::Race:
        m_window.race().open(file.path);
        taker = &m_messages;
        break;
    case DroppedFile::Kind::Study:
        m_window.panel<StudyPanel>().open(file.path);
        taker = &m_messages;
        break;
    case DroppedFile::Kind::Data: taker = openData(file.path, at); break;
    }
    if (taker != nullptr && file.of > 1) {
        const QString said = taker->shownText();
        const QString only = tr("Only %2 of the %1 files was used.").arg(file.of).arg(file.name());
        taker->showNote(said.isEmpty() ? only : said + ' ' + only);
    }
    return taker != nullptr;
}

/// On the start page, where there is no graph in sight whose nodes could read them, as an experiment of their own.
MessageBar* FileDrops::openData(const QString& path, const std::optional<QPoint>& at)
{
    if (m_window.startMode().isShown())
        return messagesOf(m_window.startMode().openData(path));
    return readData(path, at) ? &m_messages : nullptr;
}

/// The data node under the cursor, or the one node that reads files such as this. False: the window says what to do
/// instead.
bool FileDrops::readData(const QString& path, const std::optional<QPoint>& at)
{
    const auto under = at ? fileParamAt(m_view.viewport()->mapFrom(&m_window, *at), m_view) : std::nullopt;
    const auto readers = under ? std::vector{*under} : fileParams(path, m_document.graph(), m_document.registry());
    const BlockSpec* own = blockReading(path, m_document.registry());
    const QString name = DroppedFile{DroppedFile::Kind::Data, path}.name();
    if (readers.empty() && own != nullptr)
        return addReader(*own, path);
    if (readers.size() != 1) {
        m_messages.showNote(
            readers.empty()
                ? tr("No node reads text. Add a Text block, then drop %1 again.").arg(name)
                : tr("Several nodes read this kind of file. Select one and choose %1 in the Inspector.").arg(name));
        return false;
    }
    if (!m_document.apply(edits::setParam(readers.front().node, readers.front().param, path.toStdString())))
        return false;
    m_messages.showNote(tr("%1 now reads %2.").arg(QString::fromStdString(readers.front().nodeName), name));
    return true;
}

/// A file whose kind no node here reads: a node that does, in the middle of what is in view. Data stand at the top.
bool FileDrops::addReader(const BlockSpec& spec, const QString& path)
{
    GraphScene& scene = m_view.graphScene();
    scene.goTo({});
    BlockAdder blocks(scene);
    QString other;
    for (const auto& [id, node] : m_document.graph().nodes)
        if (const BlockSpec* block = m_document.registry().find(node->block);
            block != nullptr && block->category == Category::Data)
            other = QString::fromStdString(node->name);
    const QPointF middle = m_view.mapToScene(m_view.viewport()->rect().center());
    blocks.add(spec.id, blocks.freePlace(spec.id, middle - blocks.bodyOf(spec.id, {}).center()),
               {{pathParamOf(spec)->name, path.toStdString()}});
    QString words = tr("Added a %1 node that reads %2.")
                        .arg(QString::fromStdString(spec.title), DroppedFile{DroppedFile::Kind::Data, path}.name());
    if (!other.isEmpty())
        words += ' ' + tr("A graph has one data node: remove %1 to train on the new one.").arg(other);
    m_messages.showNote(words);
    return true;
}

/// A move would have the other side delete its file.
bool FileDrops::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::DragEnter) {
        auto& drag = static_cast<QDragEnterEvent&>(*event);
        if (accepts(*drag.mimeData())) {
            drag.setDropAction(Qt::CopyAction);
            drag.accept();
        }
        return true;
    }
    if (event->type() == QEvent::Drop) {
        auto& drop = static_cast<QDropEvent&>(*event);
        drop.setDropAction(Qt::CopyAction);
        drop.setAccepted(handleDrop(*drop.mimeData(), drop.position().toPoint()));
        return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace unroll
