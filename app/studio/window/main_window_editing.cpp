// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/connect_menu.h"
#include "app/studio/window/main_window.h"

#include <QCursor>
#include <QMenuBar>
#include <algorithm>

namespace unroll {

void MainWindow::makeEditMenu()
{
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    edit->addActions({m_actions.undo, m_actions.redo});
    edit->addSeparator();
    edit->addActions({m_actions.cut, m_actions.copy, m_actions.paste, m_actions.pasteWithInputs, m_actions.duplicate});
    edit->addSeparator();
    edit->addActions({m_actions.remove, m_actions.removeAndReconnect});
    edit->addSeparator();
    edit->addActions({m_actions.addBlock, m_actions.connectNode, m_actions.rename, m_actions.comment});
    edit->addSeparator();
    edit->addActions({m_actions.group, m_actions.unpackGroup, m_actions.unrollGroup});
    edit->addSeparator();
    edit->addAction(m_actions.tidy);
    edit->addSeparator();
    edit->addActions({m_actions.selectAll, m_actions.selectNone, m_actions.nextWire, m_actions.nextComment});
    edit->addSeparator();
    edit->addAction(m_actions.preferences);
}

void MainWindow::connectCommands()
{
    using Inputs = EditCommands::Inputs;
    m_commands.setAim([this] { return aim(); });
    connect(m_actions.cut, &QAction::triggered, &m_commands, &EditCommands::cut);
    connect(m_actions.copy, &QAction::triggered, &m_commands, &EditCommands::copy);
    connect(m_actions.paste, &QAction::triggered, &m_commands, [this] { m_commands.paste(Inputs::Leave); });
    connect(m_actions.pasteWithInputs, &QAction::triggered, &m_commands, [this] { m_commands.paste(Inputs::Keep); });
    connect(m_actions.duplicate, &QAction::triggered, &m_commands, &EditCommands::duplicate);
    connect(m_actions.removeAndReconnect, &QAction::triggered, &m_commands, &EditCommands::removeAndReconnect);
    connect(m_actions.group, &QAction::triggered, &m_commands, &EditCommands::group);
    connect(m_actions.unpackGroup, &QAction::triggered, &m_commands, &EditCommands::unpack);
    connect(m_actions.unrollGroup, &QAction::triggered, &m_commands, &EditCommands::unroll);
    connect(&inspector(), &InspectorPanel::unrollAsked, &m_commands, &EditCommands::unroll);
    connect(&inspector(), &InspectorPanel::nodeAsked, this, &MainWindow::goToNode);
    connect(m_actions.comment, &QAction::triggered, &m_commands, &EditCommands::comment);
    connect(&m_commands, &EditCommands::titleWanted, m_view, &GraphView::editTitle);
    connect(&m_commands, &EditCommands::arranged, m_view, &GraphView::showChanged);
    connect(m_actions.nextWire, &QAction::triggered, this, [this] {
        m_scene.selectNextWire();
        m_view->revealPicked();
    });
    connect(m_actions.nextComment, &QAction::triggered, this, [this] {
        m_scene.selectNextFrame();
        m_view->revealPicked();
    });
    connect(m_actions.tidy, &QAction::triggered, &m_commands, &EditCommands::tidy);
    connect(m_actions.enterGroup, &QAction::triggered, &m_commands, &EditCommands::enter);
    connect(m_actions.selectAll, &QAction::triggered, &m_commands, &EditCommands::selectAll);
    connect(m_actions.addBlock, &QAction::triggered, m_view, &GraphView::askForBlockHere);
    connect(m_actions.connectNode, &QAction::triggered, this, &MainWindow::showConnectMenu);
    connect(m_actions.contextMenu, &QAction::triggered, this, &MainWindow::showContextMenuOfSelection);
    connect(m_view, &GraphView::menuAsked, this, &MainWindow::showContextMenu);
    connect(&m_commands, &EditCommands::refused, m_messages, &MessageBar::showNote);
}

QPointF MainWindow::aim() const
{
    const QWidget* port = m_view->viewport();
    const QPoint cursor = port->mapFromGlobal(QCursor::pos());
    return m_view->mapToScene(port->rect().contains(cursor) ? cursor : port->rect().center());
}

/// Of what lies there, which is then selected.
void MainWindow::showContextMenu(const QPoint& at)
{
    const QPointF place = m_view->mapToScene(at);
    const auto port = m_scene.portAt(place, GraphView::portReach);
    const NodeItem* node = port ? m_scene.node(port->port.node) : m_scene.nodeAt(place);
    const auto grip = node == nullptr ? m_scene.gripAt(place, 0) : std::nullopt;
    const WireItem* wire = node == nullptr && !grip ? m_view->wireUnder(at) : nullptr;
    const Picked picked = m_scene.picked();
    if (node != nullptr && !picked.nodes.contains(node->id()))
        m_scene.select({node->id()});
    if (grip && !picked.frames.contains(grip->frame))
        m_scene.pick({{}, {}, {grip->frame}});
    if (wire != nullptr && !picked.wires.contains(wire->wire()))
        m_scene.pick({{}, {wire->wire()}, {}});
    if (node == nullptr && !grip && wire == nullptr)
        return popUp(ContextMenu::Canvas, at);
    popUp(node != nullptr ? ContextMenu::Nodes : grip ? ContextMenu::Comment : ContextMenu::Wire, at, port);
}

void MainWindow::popUp(ContextMenu kind, const QPoint& at, const std::optional<WireEnd>& port)
{
    QMenu* menu = makeContextMenu(m_actions, m_commands, kind, m_view->mapToScene(at), this);
    if (port)
        addPortEntries(*menu, m_scene, *port);
    menu->popup(m_view->viewport()->mapToGlobal(at));
}

/// Beside the node that is selected.
void MainWindow::showConnectMenu()
{
    const NodeId node = *m_scene.selection().begin();
    auto* menu = new QMenu(this);
    menu->setObjectName("connectMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillConnectMenu(*menu, m_scene, node);
    const QPointF corner = m_scene.nodesRect(true).topRight();
    menu->popup(m_view->viewport()->mapToGlobal(m_view->mapFromScene(corner)));
}

/// By the keyboard: where what is selected stands, or as much of that as is in view.
void MainWindow::showContextMenuOfSelection()
{
    const QRect port = m_view->viewport()->rect();
    const Picked picked = m_scene.picked();
    const ContextMenu kind = !picked.nodes.empty()    ? ContextMenu::Nodes
                             : !picked.frames.empty() ? ContextMenu::Comment
                             : !picked.wires.empty()  ? ContextMenu::Wire
                                                      : ContextMenu::Canvas;
    const QRectF area = m_scene.pickedRect();
    const QPoint middle = kind == ContextMenu::Canvas ? port.center() : m_view->mapFromScene(area.center());
    popUp(kind, {std::clamp(middle.x(), port.left(), port.right()), std::clamp(middle.y(), port.top(), port.bottom())});
}

} // namespace unroll
