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
    menu.addActions({actions.connectNode, actions.rename, actions.group});
    for (QAction* action : {actions.enterGroup, actions.unpackGroup})
        if (action->isEnabled()) // groups alone know them
            menu.addAction(action);
    menu.addSeparator();
    menu.addAction(actions.tidy);
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
    menu.addActions({actions.tidy, actions.selectAll, actions.fitAll});
    if (actions.leaveGroup->isEnabled())
        menu.addAction(actions.leaveGroup);
}

} // namespace

QMenu* makeContextMenu(const WindowActions& actions, EditCommands& commands, bool onNodes, const QPointF& at,
                       QWidget* parent)
{
    auto* menu = new QMenu(parent);
    menu->setObjectName("contextMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (onNodes)
        fillForNodes(*menu, actions);
    else
        fillForCanvas(*menu, actions, commands, at);
    return menu;
}

} // namespace unroll
