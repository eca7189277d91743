// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/preferences/commands.h"

#include "app/studio/theme/key_names.h"

#include <QMenu>
#include <QMenuBar>

namespace unroll {

namespace {

constexpr const char* kUsual = "usualKeys";

QString plain(QString text)
{
    return text.remove('&').remove(QChar(0x2026)).trimmed();
}

void collect(const QList<QAction*>& entries, QList<QAction*>& found)
{
    for (QAction* entry : entries) {
        if (entry->menu() != nullptr)
            collect(entry->menu()->actions(), found);
        else if (!entry->objectName().isEmpty())
            found << entry;
    }
}

/// Keys that lists, fields and the canvas need for themselves, whatever has the keyboard.
bool isForMoving(const QKeySequence& key)
{
    switch (key[0].key()) {
    case Qt::Key_Escape:
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: return !(key[0].keyboardModifiers() & Qt::AltModifier);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown: return !(key[0].keyboardModifiers() & ~Qt::ShiftModifier);
    case Qt::Key_Backtab: return true;
    default: return false;
    }
}

QString native(const QKeySequence& key)
{
    return key.toString(QKeySequence::NativeText);
}

/// The words of a tool tip without the key that they end with.
QString withoutKey(const QAction& command)
{
    const QString end = withKey({}, native(command.shortcut()));
    QString words = command.toolTip();
    if (!end.isEmpty() && words.endsWith(end))
        words.chop(end.size());
    return words;
}

} // namespace

std::vector<CommandGroup> commandGroups(const QMainWindow& window)
{
    std::vector<CommandGroup> groups;
    QList<QAction*> placed;
    for (QAction* entry : window.findChild<QMenuBar*>(QString(), Qt::FindDirectChildrenOnly)->actions()) {
        CommandGroup group{plain(entry->text()), {}};
        if (entry->menu() != nullptr)
            collect(entry->menu()->actions(), group.commands);
        placed << group.commands;
        if (!group.commands.isEmpty())
            groups.push_back(std::move(group));
    }
    CommandGroup rest{Preferences::tr("Other"), {}};
    for (QAction* command : window.findChildren<QAction*>(Qt::FindDirectChildrenOnly))
        if (!command->objectName().isEmpty() && !placed.contains(command))
            rest.commands << command;
    if (!rest.commands.isEmpty())
        groups.push_back(std::move(rest));
    return groups;
}

QString commandText(const QAction& command)
{
    return plain(command.text());
}

QString keysText(const QAction& command)
{
    return QKeySequence::listToString(command.shortcuts(), QKeySequence::NativeText).replace("; ", ", ");
}

QList<QKeySequence> keysFrom(const QString& text)
{
    QList<QKeySequence> keys = QKeySequence::listFromString(text);
    keys.removeAll(QKeySequence());
    return keys;
}

void setUsualKeys(QAction& command, const QList<QKeySequence>& keys)
{
    command.setProperty(kUsual, QKeySequence::listToString(keys));
    command.setShortcuts(keys);
}

QList<QKeySequence> usualKeys(const QAction& command)
{
    return keysFrom(command.property(kUsual).toString());
}

void giveKeys(const QMainWindow& window, const KeyMap& chosen)
{
    KeyNames& words = KeyNames::all();
    for (const CommandGroup& group : commandGroups(window))
        for (QAction* command : group.commands) {
            const auto other = chosen.find(command->objectName());
            const QString tip = withoutKey(*command);
            command->setShortcuts(other != chosen.end() ? other->second : usualKeys(*command));
            command->setToolTip(withKey(tip, native(command->shortcut())));
            words.name(command->objectName(), native(command->shortcut()), commandText(*command));
        }
    words.tell();
}

void followKeys(QMainWindow& window, const Preferences& preferences)
{
    const auto give = [&window, &preferences] { giveKeys(window, preferences.choices().keys); };
    QObject::connect(&preferences, &Preferences::changed, &window, give);
    give();
}

QString keyTrouble(const QMainWindow& window, const QAction& command, qsizetype place, const QKeySequence& key)
{
    if (key.isEmpty())
        return {};
    if (key.count() > 1)
        return Preferences::tr("One key is expected, such as Ctrl+K; this is a sequence of %1.").arg(key.count());
    if (isForMoving(key))
        return Preferences::tr("%1 is reserved for navigation and cannot be assigned.").arg(native(key));
    for (const QAction* menu : window.findChild<QMenuBar*>(QString(), Qt::FindDirectChildrenOnly)->actions())
        if (QKeySequence::mnemonic(menu->text()) == key)
            return Preferences::tr("%1 opens the menu %2.").arg(native(key), plain(menu->text()));
    for (const CommandGroup& group : commandGroups(window))
        for (const QAction* other : group.commands) {
            const QList<QKeySequence> keys = other->shortcuts();
            for (qsizetype i = 0; i < keys.size(); ++i)
                if (!(other == &command && i == place) && keys[i].matches(key) != QKeySequence::NoMatch)
                    return Preferences::tr("%1 is already assigned to %2 (%3).")
                        .arg(native(key), commandText(*other), group.title);
        }
    return {};
}

} // namespace unroll
