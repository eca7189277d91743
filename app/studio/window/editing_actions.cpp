// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/editing_actions.h"

#include "app/studio/canvas/graph_view.h"
#include "app/studio/document/document.h"
#include "app/studio/window/window_actions.h"

#include <QCursor>
#include <algorithm>

namespace unroll {

EditingActions::EditingActions(const WindowActions& actions, Document& document, GraphView& view,
                               EditCommands& commands, QObject* parent)
    : QObject(parent),
      m_actions(actions),
      m_document(document),
      m_view(view),
      m_scene(view.graphScene()),
      m_commands(commands)
{
    connectHistory();
    connectCommands();
    connectView();
    connectSelecting();
    connect(&m_document, &Document::graphChanged, this, &EditingActions::refresh);
    connect(&m_scene, &GraphScene::selectionChanged, this, &EditingActions::refresh);
    connect(&m_scene, &GraphScene::pathChanged, this, &EditingActions::refresh);
    refresh();
}

void EditingActions::connectHistory()
{
    connect(m_actions.undo, &QAction::triggered, this, [this] { showAfter(&Document::undo); });
    connect(m_actions.redo, &QAction::triggered, this, [this] { showAfter(&Document::redo); });
    connect(&m_document, &Document::historyChanged, this, &EditingActions::refreshUndo);
}

void EditingActions::connectCommands()
{
    using Inputs = EditCommands::Inputs;
    m_commands.setAim([this] { return aim(); });
    connect(m_actions.cut, &QAction::triggered, &m_commands, &EditCommands::cut);
    connect(m_actions.copy, &QAction::triggered, &m_commands, &EditCommands::copy);
    connect(m_actions.paste, &QAction::triggered, &m_commands, [this] { m_commands.paste(Inputs::Leave); });
    connect(m_actions.pasteWithInputs, &QAction::triggered, &m_commands, [this] { m_commands.paste(Inputs::Keep); });
    connect(m_actions.duplicate, &QAction::triggered, &m_commands, &EditCommands::duplicate);
    connect(m_actions.remove, &QAction::triggered, &m_scene, &GraphScene::deleteSelection);
    connect(m_actions.removeAndReconnect, &QAction::triggered, &m_commands, &EditCommands::removeAndReconnect);
    connect(m_actions.rename, &QAction::triggered, this, &EditingActions::rename);
    connect(m_actions.group, &QAction::triggered, &m_commands, &EditCommands::group);
    connect(m_actions.unpackGroup, &QAction::triggered, &m_commands, &EditCommands::unpack);
    connect(m_actions.unrollGroup, &QAction::triggered, &m_commands, &EditCommands::unroll);
    connect(m_actions.comment, &QAction::triggered, &m_commands, &EditCommands::comment);
    connect(m_actions.tidy, &QAction::triggered, &m_commands, &EditCommands::tidy);
    connect(m_actions.addBlock, &QAction::triggered, &m_view, &GraphView::askForBlockHere);
    connect(&m_commands, &EditCommands::titleWanted, &m_view, &GraphView::editTitle);
    connect(&m_commands, &EditCommands::arranged, &m_view, &GraphView::showChanged);
}

void EditingActions::connectView()
{
    connect(m_actions.fitAll, &QAction::triggered, &m_view, &GraphView::fitAll);
    connect(m_actions.fitSelection, &QAction::triggered, &m_view, &GraphView::fitSelection);
    connect(m_actions.zoomIn, &QAction::triggered, this, [this] { m_view.zoomBy(1.25); });
    connect(m_actions.zoomOut, &QAction::triggered, this, [this] { m_view.zoomBy(0.8); });
    connect(m_actions.zoomReset, &QAction::triggered, this, [this] { m_view.zoomBy(1 / m_view.zoom()); });
    connect(m_actions.enterGroup, &QAction::triggered, &m_commands, &EditCommands::enter);
    connect(m_actions.leaveGroup, &QAction::triggered, &m_scene, &GraphScene::leave);
}

void EditingActions::connectSelecting()
{
    connect(m_actions.selectAll, &QAction::triggered, &m_commands, &EditCommands::selectAll);
    connect(m_actions.selectNone, &QAction::triggered, this, [this] { m_scene.pick({}); });
    connect(m_actions.nextWire, &QAction::triggered, this, [this] {
        m_scene.walk().nextWire();
        m_view.revealPicked();
    });
    connect(m_actions.nextComment, &QAction::triggered, this, [this] {
        m_scene.walk().nextFrame();
        m_view.revealPicked();
    });
}

/// A comment's title is typed where it stands.
void EditingActions::rename()
{
    if (const Picked picked = m_scene.picked(); picked.nodes.empty() && picked.frames.size() == 1)
        m_view.editTitle(*picked.frames.begin());
    else
        Q_EMIT renameAsked();
}

/// What was changed by it comes into view.
void EditingActions::showAfter(void (Document::*change)())
{
    const GroupPath path = m_scene.path();
    GraphDiff now;
    const auto taking =
        connect(&m_document, &Document::graphChanged, this, [&](const GraphDiff& whole) { now = whole.at(path); });
    (m_document.*change)();
    disconnect(taking);
    if (path != m_scene.path())
        return; // which has been fitted
    std::set<NodeId> changed(now.added.begin(), now.added.end());
    changed.insert(now.changed.begin(), now.changed.end());
    m_view.showChanged(changed);
}

/// Where to paste: the cursor's place on the canvas, or the middle of what is in view.
QPointF EditingActions::aim() const
{
    const QWidget* port = m_view.viewport();
    const QPoint cursor = port->mapFromGlobal(QCursor::pos());
    return m_view.mapToScene(port->rect().contains(cursor) ? cursor : port->rect().center());
}

void EditingActions::refreshUndo()
{
    m_actions.undo->setEnabled(m_document.canUndo());
    m_actions.undo->setText(tr("&Undo %1").arg(QString::fromStdString(m_document.undoName())).trimmed());
    m_actions.redo->setEnabled(m_document.canRedo());
    m_actions.redo->setText(tr("&Redo %1").arg(QString::fromStdString(m_document.redoName())).trimmed());
}

void EditingActions::refresh()
{
    refreshUndo();
    const Picked picked = m_scene.picked();
    const auto& selected = picked.nodes;
    m_actions.remove->setEnabled(!picked.empty());
    for (QAction* action : {m_actions.cut, m_actions.copy, m_actions.duplicate})
        action->setEnabled(!selected.empty() || !picked.frames.empty());
    for (QAction* action : {m_actions.removeAndReconnect, m_actions.group})
        action->setEnabled(!selected.empty());
    const auto groups = std::count_if(selected.begin(), selected.end(),
                                      [this](NodeId id) { return m_scene.shown().find(id)->group != nullptr; });
    const bool repeats = std::any_of(selected.begin(), selected.end(), [this](NodeId id) {
        const Node& node = *m_scene.shown().find(id);
        return node.group && node.group->repeat != 1;
    });
    m_actions.unpackGroup->setEnabled(groups > 0);
    m_actions.unrollGroup->setEnabled(repeats);
    m_actions.enterGroup->setEnabled(groups == 1 && selected.size() == 1);
    m_actions.rename->setEnabled(selected.size() == 1 || (selected.empty() && picked.frames.size() <= 1));
    m_actions.tidy->setEnabled(!m_scene.shown().nodes.empty());
    m_actions.connectNode->setEnabled(selected.size() == 1);
    m_actions.nextWire->setEnabled(!m_scene.shown().wires.empty());
    m_actions.nextComment->setEnabled(!m_scene.shown().frames.empty());
    m_actions.leaveGroup->setEnabled(!m_scene.path().empty());
}

} // namespace unroll
