// SPDX-License-Identifier: GPL-3.0-or-later
// The window's help, its keys and what is chosen for the whole program.
#include "app/studio/preferences/commands.h"
#include "app/studio/preferences/key_sheet.h"
#include "app/studio/preferences/preferences_dialog.h"
#include "app/studio/window/help_window.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/run_reopening.h"

#include <QActionGroup>
#include <QApplication>
#include <QMenuBar>

namespace unroll {

namespace {

/// The one that is open, or a new one, in front.
template <class Dialog, class... Arguments>
Dialog& brought(MainWindow& window, Arguments&&... arguments)
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

void MainWindow::makeHelpMenu()
{
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addActions({m_actions.help, m_actions.keys, m_actions.lesson});
    help->addSeparator();
    help->addAction(m_actions.about);
    connect(m_actions.help, &QAction::triggered, this, &MainWindow::showHelp);
    connect(m_actions.keys, &QAction::triggered, this, &MainWindow::showKeys);
    connect(m_actions.preferences, &QAction::triggered, this, [this] { showPreferences(); });
    connect(m_actions.about, &QAction::triggered, this, &MainWindow::showAbout);
}

void MainWindow::makeThemeMenu(QMenu& view)
{
    QMenu* themes = view.addMenu(tr("T&heme"));
    auto* group = new QActionGroup(this);
    const std::pair<QAction*, ThemeChoice> entries[] = {{m_actions.themeSystem, ThemeChoice::System},
                                                        {m_actions.themeLight, ThemeChoice::Light},
                                                        {m_actions.themeDark, ThemeChoice::Dark}};
    for (const auto& [action, theme] : entries) {
        action->setCheckable(true);
        group->addAction(action);
        themes->addAction(action);
        connect(action, &QAction::triggered, this, [this, theme = theme] { m_workshop.preferences->setTheme(theme); });
    }
}

/// Once all commands stand in their menus.
void MainWindow::followPreferences()
{
    Preferences& preferences = *m_workshop.preferences;
    connect(&preferences, &Preferences::changed, this, &MainWindow::takePreferences);
    connect(&m_workshop.appearance, &Appearance::changed, this, &MainWindow::showTheme);
    takePreferences();
    showTheme();
}

void MainWindow::takePreferences()
{
    const Choices& choices = m_workshop.preferences->choices();
    giveKeys(*this, choices.keys);
    state().setMemory(static_cast<std::size_t>(choices.lookMegabytes) << 20);
    m_reopening->refreshPlace();
}

void MainWindow::showTheme()
{
    const ThemeChoice theme = m_workshop.appearance.choice();
    m_actions.themeSystem->setChecked(theme == ThemeChoice::System);
    m_actions.themeLight->setChecked(theme == ThemeChoice::Light);
    m_actions.themeDark->setChecked(theme == ThemeChoice::Dark);
}

PreferencesDialog& MainWindow::showPreferences()
{
    return brought<PreferencesDialog>(*this, *m_workshop.preferences, *this, m_workshop.appearance);
}

void MainWindow::showKeys()
{
    KeySheet& sheet = brought<KeySheet>(*this, *this, m_workshop.appearance);
    disconnect(&sheet, &KeySheet::changeAsked, this, nullptr);
    connect(&sheet, &KeySheet::changeAsked, this, [this, &sheet] {
        sheet.close();
        showPreferences().showKeys();
    });
}

/// Of the node that is selected where the canvas or the inspector has the keyboard; of the panel that has it; else of the program.
void MainWindow::showHelp()
{
    const QWidget* focus = QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : focusWidget();
    QString topic = isStartShown() ? QStringLiteral("app") : QString();
    for (const QWidget* at = focus; at != nullptr && topic.isEmpty(); at = at->parentWidget()) {
        if (at == m_view)
            topic = "canvas";
        else if (qobject_cast<const Dock*>(at) != nullptr)
            topic = at->objectName();
    }
    const BlockSpec* spec = nullptr;
    const auto selected = m_scene.selection();
    if ((topic == "canvas" || topic == "inspector") && selected.size() == 1)
        if (const Node* node = m_scene.shown().find(*selected.begin()))
            spec = m_workshop.registry.find(node->block);
    HelpWindow& help = brought<HelpWindow>(*this, m_workshop.appearance, this);
    if (spec != nullptr)
        help.showBlock(*spec);
    else
        help.showTopic(topic.isEmpty() ? "app" : topic);
}

} // namespace unroll
