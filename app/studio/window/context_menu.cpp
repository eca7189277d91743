// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/context_menu.h"

#include "app/studio/window/window_actions.h"

namespace unroll {

namespace {

void fillForNodes(QMenu& menu, const WindowActions& actions)
{
    menu.addActions({actions.cut, actions.copy, actions.duplicate});
    menu.addSeparator();
    menu.addActions({actions.remove, actions.removeAndReconnect});
    menu.addSeparator();
    menu.addActions({actions.connectNode, actions.rename, actions.comment, actions.group});
    for (QAction* action : {actions.enterGroup, actions.unpackGroup, actions.unrollGroup})
        if (action->isEnabled()) // groups alone know them
            menu.addAction(action);
    menu.addSeparator();
    if (actions.unrolled->isEnabled()) // what carries state knows it
        menu.addAction(actions.unrolled);
    menu.addAction(actions.compareCells);
    menu.addSeparator();
    menu.addAction(actions.tidy);
}

void fillForComment(QMenu& menu, const WindowActions& actions)
{
    menu.addAction(actions.rename);
    menu.addSeparator();
    menu.addActions({actions.cut, actions.copy, actions.duplicate});
    menu.addSeparator();
    menu.addAction(actions.remove);
}

void fillForWire(QMenu& menu, const WindowActions& actions)
{
    menu.addAction(actions.addBlock);
    menu.addSeparator();
    menu.addAction(actions.remove);
}

/// As the command, but to the place of the click: the cursor is at the menu by the time it is chosen.
void addPaste(QMenu& menu, const QAction& command, EditCommands& commands, const QPointF& at,
              EditCommands::Inputs inputs)
{
    const QString key = command.shortcut().toString(QKeySequence::NativeText);
    auto* action = menu.addAction(command.icon(), command.text() + '\t' + key);
    action->setObjectName(command.objectName() + QStringLiteral("Here"));
    QObject::connect(action, &QAction::triggered, &commands, [&commands, at, inputs] { commands.pasteAt(at, inputs); });
}

void fillForCanvas(QMenu& menu, const WindowActions& actions, EditCommands& commands, const QPointF& at)
{
    addPaste(menu, *actions.paste, commands, at, EditCommands::Inputs::Leave);
    addPaste(menu, *actions.pasteWithInputs, commands, at, EditCommands::Inputs::Keep);
    menu.addSeparator();
    menu.addActions({actions.addBlock, actions.comment});
    menu.addSeparator();
    menu.addActions({actions.tidy, actions.selectAll, actions.fitAll});
    if (actions.leaveGroup->isEnabled())
        menu.addAction(actions.leaveGroup);
    menu.addSeparator();
    menu.addAction(actions.savePicture);
}

} // namespace

QMenu* makeContextMenu(const WindowActions& actions, EditCommands& commands, ContextMenu kind, const QPointF& at,
                       QWidget* parent)
{
    auto* menu = new QMenu(parent);
    menu->setObjectName("contextMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    switch (kind) {
    case ContextMenu::Canvas: fillForCanvas(*menu, actions, commands, at); break;
    case ContextMenu::Nodes: fillForNodes(*menu, actions); break;
    case ContextMenu::Comment: fillForComment(*menu, actions); break;
    case ContextMenu::Wire: fillForWire(*menu, actions); break;
    }
    return menu;
}

} // namespace unroll
