// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/help_commands.h"

#include "app/studio/canvas/graph_view.h"
#include "app/studio/frames/time_line.h"
#include "app/studio/preferences/commands.h"
#include "app/studio/preferences/key_sheet.h"
#include "app/studio/preferences/preferences_dialog.h"
#include "app/studio/theme/style.h"
#include "app/studio/window/dock.h"
#include "app/studio/window/help_window.h"
#include "app/studio/window/window_actions.h"

#include <QApplication>
#include <QMainWindow>
#include <QMessageBox>
#include <utility>

namespace unroll {

namespace {

/// The one that is open, or a new one, in front.
template <class Dialog, class... Arguments>
Dialog& brought(const QMainWindow& window, Arguments&&... arguments)
{
    auto* dialog = window.findChild<Dialog*>(QString(), Qt::FindDirectChildrenOnly);
    if (dialog == nullptr || dialog->isHidden()) {
        dialog = new Dialog(std::forward<Arguments>(arguments)...);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
    return *dialog;
}

} // namespace

HelpCommands::HelpCommands(QMainWindow& window, const WindowActions& actions, Context context)
    : QObject(&window), m_window(window), m_context(std::move(context))
{
    connect(actions.help, &QAction::triggered, this, &HelpCommands::showHelp);
    connect(actions.family, &QAction::triggered, this, [this] { bringHelp().showTopic("family"); });
    connect(actions.keys, &QAction::triggered, this, &HelpCommands::showKeys);
    connect(actions.preferences, &QAction::triggered, this, [this] { showPreferences(); });
    connect(actions.about, &QAction::triggered, this, &HelpCommands::showAbout);
}

PreferencesDialog& HelpCommands::showPreferences()
{
    return brought<PreferencesDialog>(m_window, m_context.preferences, m_window, m_context.appearance);
}

void HelpCommands::showKeys()
{
    KeySheet& sheet = brought<KeySheet>(m_window, m_window, m_context.appearance);
    disconnect(&sheet, &KeySheet::changeAsked, this, nullptr);
    connect(&sheet, &KeySheet::changeAsked, this, [this, &sheet] {
        sheet.close();
        showPreferences().showKeys();
    });
}

/// Of the part that names a page of its own; of the node that is selected where the canvas or the inspector has the
/// keyboard; of the panel that has it; else of the program.
void HelpCommands::showHelp()
{
    const QWidget* focus =
        QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : m_window.focusWidget();
    QString topic = m_context.isCanvasHidden() ? QStringLiteral("app") : QString();
    for (const QWidget* at = focus; at != nullptr && topic.isEmpty(); at = at->parentWidget()) {
        if (const QVariant page = at->property(kHelpTopicProperty); page.isValid())
            topic = page.toString();
        else if (at == &m_context.view)
            topic = "canvas";
        else if (qobject_cast<const Dock*>(at) != nullptr)
            topic = at->objectName().section('.', 0, 1); // a further view of a lens has the page of the first
        else if (qobject_cast<const TimeLine*>(at) != nullptr)
            topic = at->objectName();
    }
    const BlockSpec* spec = nullptr;
    const GraphScene& scene = m_context.view.graphScene();
    const auto selected = scene.selection();
    if ((topic == "canvas" || topic == "inspector") && selected.size() == 1)
        if (const Node* node = scene.shown().find(*selected.begin()))
            spec = scene.registry().find(node->block);
    HelpWindow& help = bringHelp();
    if (spec != nullptr)
        help.showBlock(*spec);
    else
        help.showTopic(topic.isEmpty() ? "app" : topic);
}

HelpWindow& HelpCommands::bringHelp()
{
    HelpWindow& help = brought<HelpWindow>(m_window, m_context.appearance, &m_window);
    help.setBlocks(m_context.view.graphScene().registry());
    return help;
}

void HelpCommands::showAbout()
{
    QMessageBox::about(&m_window, tr("About Unroll"),
                       tr("<b>Unroll %1</b><p>A playground for recurrent architectures.</p><p>Free software under the "
                          "GNU General Public License, "
                          "version 3 or later. Inter, the typeface, is under the SIL Open Font License.</p>")
                           .arg(QStringLiteral(UNROLL_VERSION)));
}

} // namespace unroll
