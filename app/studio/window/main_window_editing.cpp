// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/connect_menu.h"
#include "app/studio/window/context_menu.h"
#include "app/studio/window/main_window.h"

#include <QApplication>
#include <QCursor>
#include <QFocusEvent>
#include <QMenuBar>
#include <QPointer>
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
    edit->addActions(
        {m_actions.addBlock, m_actions.connectNode, m_actions.rename, m_actions.group, m_actions.unpackGroup});
    edit->addSeparator();
    edit->addAction(m_actions.tidy);
    edit->addSeparator();
    edit->addActions({m_actions.selectAll, m_actions.selectNone});
}

/// Keys that name a command leave the focus where it is.
void MainWindow::finishTypingFirst()
{
    for (const QAction* command : findChildren<QAction*>(Qt::FindDirectChildrenOnly))
        connect(command, &QAction::triggered, this, &MainWindow::finishTyping);
}

/// What is half way in a field counts: it is told as if the window were left for a moment.
void MainWindow::finishTyping()
{
    const QPointer<QWidget> field =
        QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : focusWidget();
    if (!field)
        return;
    QFocusEvent out(QEvent::FocusOut, Qt::ActiveWindowFocusReason), in(QEvent::FocusIn, Qt::ActiveWindowFocusReason);
    QApplication::sendEvent(field, &out);
    if (field && field->hasFocus())
        QApplication::sendEvent(field, &in);
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

void MainWindow::showContextMenu(const QPoint& at)
{
    const QPointF place = m_view->mapToScene(at);
    const NodeItem* node = m_scene.nodeAt(place);
    if (node != nullptr && !m_scene.selection().contains(node->id()))
        m_scene.select({node->id()});
    makeContextMenu(m_actions, m_commands, node != nullptr, place, this)->popup(m_view->viewport()->mapToGlobal(at));
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

/// By the keyboard: where the selected nodes are, or as much of that as is in view.
void MainWindow::showContextMenuOfSelection()
{
    const QRect port = m_view->viewport()->rect();
    const QRectF nodes = m_scene.nodesRect(true);
    const bool onNodes = !nodes.isEmpty();
    const QPoint middle = onNodes ? m_view->mapFromScene(nodes.center()) : port.center();
    const QPoint at(std::clamp(middle.x(), port.left(), port.right()),
                    std::clamp(middle.y(), port.top(), port.bottom()));
    makeContextMenu(m_actions, m_commands, onNodes, m_view->mapToScene(at), this)
        ->popup(m_view->viewport()->mapToGlobal(at));
}

} // namespace unroll
