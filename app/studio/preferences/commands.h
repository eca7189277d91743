// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/preferences/preferences.h"

#include <QAction>
#include <QMainWindow>
#include <vector>

namespace unroll {

/// The commands of one menu of a window, with those of its submenus.
struct CommandGroup {
    QString title;
    QList<QAction*> commands;
};

/// All commands of a window that have a name (QObject::objectName), by the menus they stand in; last those that are in
/// none.
std::vector<CommandGroup> commandGroups(const QMainWindow& window);

QString commandText(const QAction& command); ///< as a menu says it, without mnemonic and dots
QString keysText(const QAction& command);    ///< "Ctrl+Shift+Z, Ctrl+Y"; empty: it has none

/// Keys as they are written, parted by "; ". An empty text has none (Qt's own reader makes one empty key of it).
QList<QKeySequence> keysFrom(const QString& text);

/// The default keys of the command.
void setUsualKeys(QAction& command, const QList<QKeySequence>& keys);
QList<QKeySequence> usualKeys(const QAction& command);

/// Every command of the window has the keys that were chosen, or its usual ones; tool tips and sentences that name them
/// follow.
void giveKeys(const QMainWindow& window, const KeyMap& chosen);
/// Now and whenever the keys are chosen again. Once all commands stand in their menus.
void followKeys(QMainWindow& window, const Preferences& preferences);

/// Why the command cannot have this key, in words; empty: it can. `place` is that of the key among the command's own,
/// which it replaces.
QString keyTrouble(const QMainWindow& window, const QAction& command, qsizetype place, const QKeySequence& key);

} // namespace unroll
