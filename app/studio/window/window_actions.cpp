// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/window_actions.h"

#include "app/studio/preferences/commands.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/key_names.h"

#include <QCoreApplication>

namespace unroll {

namespace {

using Actions = WindowActions;

struct Row {
    QAction* WindowActions::*action;
    const char* name; ///< stable: key presets and tests know actions by it
    const char* text;
    const char* keys; ///< several, parted by "; "
    const char* icon;
};

constexpr Row kRows[] = {
    {&Actions::newWindow, "new", QT_TRANSLATE_NOOP("WindowActions", "&New Window"), "Ctrl+N", "new"},
    {&Actions::start, "start", QT_TRANSLATE_NOOP("WindowActions", "S&tart Page"), "Alt+Home", ""},
    {&Actions::open, "open", QT_TRANSLATE_NOOP("WindowActions", "&Open …"), "Ctrl+O", "open"},
    {&Actions::openRace, "openRace", QT_TRANSLATE_NOOP("WindowActions", "O&pen Race …"), "", ""},
    {&Actions::save, "save", QT_TRANSLATE_NOOP("WindowActions", "&Save"), "Ctrl+S", "save"},
    {&Actions::saveAs, "saveAs", QT_TRANSLATE_NOOP("WindowActions", "Save &As …"), "Ctrl+Shift+S", ""},
    {&Actions::savePicture, "savePicture", QT_TRANSLATE_NOOP("WindowActions", "Save Canvas as Pict&ure …"), "", ""},
    {&Actions::exportRun, "export", QT_TRANSLATE_NOOP("WindowActions", "&Export …"), "Ctrl+E", ""},
    {&Actions::close, "close", QT_TRANSLATE_NOOP("WindowActions", "&Close Window"), "Ctrl+W", ""},
    {&Actions::quit, "quit", QT_TRANSLATE_NOOP("WindowActions", "&Quit"), "Ctrl+Q", ""},
    {&Actions::undo, "undo", QT_TRANSLATE_NOOP("WindowActions", "&Undo"), "Ctrl+Z", "undo"},
    {&Actions::redo, "redo", QT_TRANSLATE_NOOP("WindowActions", "&Redo"), "Ctrl+Shift+Z; Ctrl+Y", "redo"},
    {&Actions::remove, "delete", QT_TRANSLATE_NOOP("WindowActions", "&Delete"), "Del; Backspace", "delete"},
    {&Actions::rename, "rename", QT_TRANSLATE_NOOP("WindowActions", "Re&name"), "F2", ""},
    {&Actions::selectAll, "selectAll", QT_TRANSLATE_NOOP("WindowActions", "Select &All"), "Ctrl+A", ""},
    {&Actions::selectNone, "selectNone", QT_TRANSLATE_NOOP("WindowActions", "Select N&one"), "", ""},
    {&Actions::cut, "cut", QT_TRANSLATE_NOOP("WindowActions", "Cu&t"), "Ctrl+X", ""},
    {&Actions::copy, "copy", QT_TRANSLATE_NOOP("WindowActions", "&Copy"), "Ctrl+C", ""},
    {&Actions::paste, "paste", QT_TRANSLATE_NOOP("WindowActions", "&Paste"), "Ctrl+V", ""},
    {&Actions::pasteWithInputs, "pasteWithInputs", QT_TRANSLATE_NOOP("WindowActions", "Paste &with Inputs"),
     "Ctrl+Shift+V", ""},
    {&Actions::duplicate, "duplicate", QT_TRANSLATE_NOOP("WindowActions", "Dup&licate"), "Ctrl+D; Shift+D", ""},
    {&Actions::removeAndReconnect, "deleteAndReconnect", QT_TRANSLATE_NOOP("WindowActions", "D&elete and Reconnect"),
     "Ctrl+Del; Ctrl+Backspace", ""},
    {&Actions::group, "group", QT_TRANSLATE_NOOP("WindowActions", "&Group"), "Ctrl+G", ""},
    {&Actions::unpackGroup, "unpackGroup", QT_TRANSLATE_NOOP("WindowActions", "Unpac&k Group"), "Ctrl+Shift+G", ""},
    {&Actions::unrollGroup, "unrollGroup", QT_TRANSLATE_NOOP("WindowActions", "Unr&oll into Copies"), "Ctrl+Alt+G", ""},
    {&Actions::comment, "comment", QT_TRANSLATE_NOOP("WindowActions", "Co&mment"), "C", ""},
    {&Actions::compareCells, "compareCells", QT_TRANSLATE_NOOP("WindowActions", "Compare Cell&s …"), "", ""},
    {&Actions::nextWire, "nextWire", QT_TRANSLATE_NOOP("WindowActions", "Select Next &Wire"), "Shift+W", ""},
    {&Actions::nextComment, "nextComment", QT_TRANSLATE_NOOP("WindowActions", "Select Next Co&mment"), "Shift+C", ""},
    {&Actions::preferences, "preferences", QT_TRANSLATE_NOOP("WindowActions", "Pre&ferences …"), "Ctrl+,", ""},
    {&Actions::addBlock, "addBlock", QT_TRANSLATE_NOOP("WindowActions", "&Add Block …"), "Tab", ""},
    {&Actions::connectNode, "connect", QT_TRANSLATE_NOOP("WindowActions", "&Wires …"), "W", ""},
    {&Actions::tidy, "tidy", QT_TRANSLATE_NOOP("WindowActions", "Ti&dy"), "L", ""},
    {&Actions::contextMenu, "contextMenu", QT_TRANSLATE_NOOP("WindowActions", "Show &Menu"), "Menu; Shift+F10", ""},
    {&Actions::fitAll, "fitAll", QT_TRANSLATE_NOOP("WindowActions", "Fit &All"), "Home", "fit"},
    {&Actions::fitSelection, "fitSelection", QT_TRANSLATE_NOOP("WindowActions", "Fit &Selection"), "F; .", ""},
    {&Actions::zoomIn, "zoomIn", QT_TRANSLATE_NOOP("WindowActions", "Zoom &In"), "Ctrl++; Ctrl+=", ""},
    {&Actions::zoomOut, "zoomOut", QT_TRANSLATE_NOOP("WindowActions", "Zoom &Out"), "Ctrl+-", ""},
    {&Actions::zoomReset, "zoomReset", QT_TRANSLATE_NOOP("WindowActions", "&Full Size"), "Ctrl+0", ""},
    {&Actions::enterGroup, "enterGroup", QT_TRANSLATE_NOOP("WindowActions", "&Enter Group"), "", ""},
    {&Actions::leaveGroup, "leaveGroup", QT_TRANSLATE_NOOP("WindowActions", "&Leave Group"), "", "up"},
    {&Actions::wireNorms, "wireNorms", QT_TRANSLATE_NOOP("WindowActions", "&Norms on Wires"), "N", ""},
    {&Actions::unrolled, "unrolled", QT_TRANSLATE_NOOP("WindowActions", "&Unrolled"), "U", ""},
    {&Actions::run, "run", QT_TRANSLATE_NOOP("WindowActions", "Run"), "F5; Ctrl+Return; Ctrl+Enter", "run"},
    {&Actions::pause, "pause", QT_TRANSLATE_NOOP("WindowActions", "Pause"), "F6", "pause"},
    {&Actions::step, "step", QT_TRANSLATE_NOOP("WindowActions", "Step"), "F10", "step"},
    {&Actions::stop, "stop", QT_TRANSLATE_NOOP("WindowActions", "Stop"), "Shift+F5; Ctrl+Alt+Return", "stop"},
    {&Actions::resume, "resume", QT_TRANSLATE_NOOP("WindowActions", "Resume"), "F8", "resume"},
    {&Actions::restart, "restart", QT_TRANSLATE_NOOP("WindowActions", "Restart from Scratch"), "Ctrl+Shift+F5", ""},
    {&Actions::keepWeights, "keepWeights", QT_TRANSLATE_NOOP("WindowActions", "Reuse Matching &Weights"), "Ctrl+F5",
     ""},
    {&Actions::showKept, "showKept", QT_TRANSLATE_NOOP("WindowActions", "Reused Wei&ghts …"), "", ""},
    {&Actions::openRunFolder, "openRunFolder", QT_TRANSLATE_NOOP("WindowActions", "Open Run &Folder"), "", "folder"},
    {&Actions::runOn, "runOn", QT_TRANSLATE_NOOP("WindowActions", "Run &On …"), "", ""},
    {&Actions::themeSystem, "themeSystem", QT_TRANSLATE_NOOP("WindowActions", "Same as &System"), "", ""},
    {&Actions::themeLight, "themeLight", QT_TRANSLATE_NOOP("WindowActions", "&Light"), "", ""},
    {&Actions::themeDark, "themeDark", QT_TRANSLATE_NOOP("WindowActions", "&Dark"), "", ""},
    {&Actions::lesson, "lesson", QT_TRANSLATE_NOOP("WindowActions", "&Lesson"), "", ""},
    {&Actions::layoutTrain, "layoutTrain", QT_TRANSLATE_NOOP("WindowActions", "&Train"), "Ctrl+1", ""},
    {&Actions::layoutEdit, "layoutEdit", QT_TRANSLATE_NOOP("WindowActions", "&Edit"), "Ctrl+2", ""},
    {&Actions::layoutWatch, "layoutWatch", QT_TRANSLATE_NOOP("WindowActions", "&Watch"), "Ctrl+3", ""},
    {&Actions::layoutInspect, "layoutInspect", QT_TRANSLATE_NOOP("WindowActions", "&Inspect"), "Ctrl+4", ""},
    {&Actions::layoutReset, "layoutReset", QT_TRANSLATE_NOOP("WindowActions", "&Reset Layout"), "", ""},
    {&Actions::help, "help", QT_TRANSLATE_NOOP("WindowActions", "&Help"), "F1", ""},
    {&Actions::keys, "keys", QT_TRANSLATE_NOOP("WindowActions", "&Keys"), "?", ""},
    {&Actions::family, "family", QT_TRANSLATE_NOOP("WindowActions", "&Family of Cells"), "", ""},
    {&Actions::about, "about", QT_TRANSLATE_NOOP("WindowActions", "&About Unroll"), "", ""},
};

} // namespace

WindowActions::WindowActions(const Appearance& appearance, QObject* owner)
{
    for (const Row& row : kRows) {
        const QString text = QCoreApplication::translate("WindowActions", row.text);
        auto* action = this->*row.action = new QAction(text, owner);
        action->setObjectName(QString::fromLatin1(row.name));
        setUsualKeys(*action, keysFrom(QString::fromLatin1(row.keys)));
        if (*row.icon != '\0')
            action->setIcon(appearance.icon(QString::fromLatin1(row.icon)));
        const QString plain = QString(text).remove('&');
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        action->setToolTip(withKey(plain, key));
    }
}

} // namespace unroll
