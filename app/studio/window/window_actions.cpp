// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/window_actions.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/key_words.h"

#include <QCoreApplication>

namespace unroll {

WindowActions::WindowActions(const Appearance& appearance, QObject* owner)
{
    struct Row {
        QAction** action;
        const char* name; ///< stable: key presets and tests know actions by it
        const char* text;
        const char* keys; ///< several, parted by "; "
        const char* icon;
    };
    const Row rows[] = {
        {&newWindow, "new", QT_TRANSLATE_NOOP("WindowActions", "&New Window"), "Ctrl+N", "new"},
        {&start, "start", QT_TRANSLATE_NOOP("WindowActions", "S&tart Page"), "Alt+Home", ""},
        {&open, "open", QT_TRANSLATE_NOOP("WindowActions", "&Open …"), "Ctrl+O", "open"},
        {&save, "save", QT_TRANSLATE_NOOP("WindowActions", "&Save"), "Ctrl+S", "save"},
        {&saveAs, "saveAs", QT_TRANSLATE_NOOP("WindowActions", "Save &As …"), "Ctrl+Shift+S", ""},
        {&exportRun, "export", QT_TRANSLATE_NOOP("WindowActions", "&Export …"), "Ctrl+E", ""},
        {&close, "close", QT_TRANSLATE_NOOP("WindowActions", "&Close Window"), "Ctrl+W", ""},
        {&quit, "quit", QT_TRANSLATE_NOOP("WindowActions", "&Quit"), "Ctrl+Q", ""},
        {&undo, "undo", QT_TRANSLATE_NOOP("WindowActions", "&Undo"), "Ctrl+Z", "undo"},
        {&redo, "redo", QT_TRANSLATE_NOOP("WindowActions", "&Redo"), "Ctrl+Shift+Z; Ctrl+Y", "redo"},
        {&remove, "delete", QT_TRANSLATE_NOOP("WindowActions", "&Delete"), "Del; Backspace", "delete"},
        {&rename, "rename", QT_TRANSLATE_NOOP("WindowActions", "Re&name"), "F2", ""},
        {&selectAll, "selectAll", QT_TRANSLATE_NOOP("WindowActions", "Select &All"), "Ctrl+A", ""},
        {&selectNone, "selectNone", QT_TRANSLATE_NOOP("WindowActions", "Select N&one"), "", ""},
        {&cut, "cut", QT_TRANSLATE_NOOP("WindowActions", "Cu&t"), "Ctrl+X", ""},
        {&copy, "copy", QT_TRANSLATE_NOOP("WindowActions", "&Copy"), "Ctrl+C", ""},
        {&paste, "paste", QT_TRANSLATE_NOOP("WindowActions", "&Paste"), "Ctrl+V", ""},
        {&pasteWithInputs, "pasteWithInputs", QT_TRANSLATE_NOOP("WindowActions", "Paste &with Inputs"), "Ctrl+Shift+V",
         ""},
        {&duplicate, "duplicate", QT_TRANSLATE_NOOP("WindowActions", "Dup&licate"), "Ctrl+D; Shift+D", ""},
        {&removeAndReconnect, "deleteAndReconnect", QT_TRANSLATE_NOOP("WindowActions", "D&elete and Reconnect"),
         "Ctrl+Del; Ctrl+Backspace", ""},
        {&group, "group", QT_TRANSLATE_NOOP("WindowActions", "&Group"), "Ctrl+G", ""},
        {&unpackGroup, "unpackGroup", QT_TRANSLATE_NOOP("WindowActions", "Unpac&k Group"), "Ctrl+Shift+G", ""},
        {&addBlock, "addBlock", QT_TRANSLATE_NOOP("WindowActions", "&Add Block …"), "Tab", ""},
        {&connectNode, "connect", QT_TRANSLATE_NOOP("WindowActions", "&Wires …"), "W", ""},
        {&tidy, "tidy", QT_TRANSLATE_NOOP("WindowActions", "Ti&dy"), "L", ""},
        {&contextMenu, "contextMenu", QT_TRANSLATE_NOOP("WindowActions", "Show &Menu"), "Menu; Shift+F10", ""},
        {&fitAll, "fitAll", QT_TRANSLATE_NOOP("WindowActions", "Fit &All"), "Home", "fit"},
        {&fitSelection, "fitSelection", QT_TRANSLATE_NOOP("WindowActions", "Fit &Selection"), "F; .", ""},
        {&zoomIn, "zoomIn", QT_TRANSLATE_NOOP("WindowActions", "Zoom &In"), "Ctrl++; Ctrl+=", ""},
        {&zoomOut, "zoomOut", QT_TRANSLATE_NOOP("WindowActions", "Zoom &Out"), "Ctrl+-", ""},
        {&zoomReset, "zoomReset", QT_TRANSLATE_NOOP("WindowActions", "&Full Size"), "Ctrl+0", ""},
        {&enterGroup, "enterGroup", QT_TRANSLATE_NOOP("WindowActions", "&Enter Group"), "", ""},
        {&leaveGroup, "leaveGroup", QT_TRANSLATE_NOOP("WindowActions", "&Leave Group"), "", "up"},
        {&run, "run", QT_TRANSLATE_NOOP("WindowActions", "Run"), "F5; Ctrl+Return; Ctrl+Enter", "run"},
        {&pause, "pause", QT_TRANSLATE_NOOP("WindowActions", "Pause"), "F6", "pause"},
        {&step, "step", QT_TRANSLATE_NOOP("WindowActions", "Step"), "F10", "step"},
        {&stop, "stop", QT_TRANSLATE_NOOP("WindowActions", "Stop"), "Shift+F5; Ctrl+Alt+Return", "stop"},
        {&restart, "restart", QT_TRANSLATE_NOOP("WindowActions", "Restart"), "Ctrl+Shift+F5", ""},
        {&keepWeights, "keepWeights", QT_TRANSLATE_NOOP("WindowActions", "Keep the &Weights That Fit"), "Ctrl+F5", ""},
        {&showKept, "showKept", QT_TRANSLATE_NOOP("WindowActions", "&Kept Weights …"), "", ""},
        {&openRunFolder, "openRunFolder", QT_TRANSLATE_NOOP("WindowActions", "Open Run &Folder"), "", "folder"},
        {&themeSystem, "themeSystem", QT_TRANSLATE_NOOP("WindowActions", "As the &System"), "", ""},
        {&themeLight, "themeLight", QT_TRANSLATE_NOOP("WindowActions", "&Light"), "", ""},
        {&themeDark, "themeDark", QT_TRANSLATE_NOOP("WindowActions", "&Dark"), "", ""},
        {&lesson, "lesson", QT_TRANSLATE_NOOP("WindowActions", "&What to Look At"), "", ""},
        {&about, "about", QT_TRANSLATE_NOOP("WindowActions", "&About Unroll"), "", ""},
    };
    for (const Row& row : rows) {
        const QString text = QCoreApplication::translate("WindowActions", row.text);
        auto* action = *row.action = new QAction(text, owner);
        action->setObjectName(QString::fromLatin1(row.name));
        action->setShortcuts(QKeySequence::listFromString(QString::fromLatin1(row.keys)));
        const bool primary = row.action == &run; // drawn on the accent colour
        if (*row.icon != '\0')
            action->setIcon(appearance.icon(QString::fromLatin1(row.icon),
                                            primary ? Theme::Role::TextOnAccent : Theme::Role::Text));
        const QString plain = QString(text).remove('&');
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        action->setToolTip(withKey(plain, key));
    }
}

} // namespace unroll
