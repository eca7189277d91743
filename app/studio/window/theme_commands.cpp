// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/theme_commands.h"

#include "app/studio/preferences/preferences.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/window/window_actions.h"

#include <QActionGroup>
#include <utility>

namespace unroll {

ThemeCommands::ThemeCommands(const WindowActions& actions, Preferences& preferences, const Appearance& appearance,
                             QObject* parent)
    : QObject(parent), m_actions(actions), m_appearance(appearance)
{
    auto* group = new QActionGroup(this);
    const std::pair<QAction*, ThemeChoice> entries[] = {{actions.themeSystem, ThemeChoice::System},
                                                        {actions.themeLight, ThemeChoice::Light},
                                                        {actions.themeDark, ThemeChoice::Dark}};
    for (const auto& [action, theme] : entries) {
        action->setCheckable(true);
        group->addAction(action);
        connect(action, &QAction::triggered, &preferences,
                [&preferences, theme = theme] { preferences.setTheme(theme); });
    }
    connect(&appearance, &Appearance::changed, this, &ThemeCommands::refresh);
    refresh();
}

void ThemeCommands::refresh()
{
    const ThemeChoice theme = m_appearance.choice();
    m_actions.themeSystem->setChecked(theme == ThemeChoice::System);
    m_actions.themeLight->setChecked(theme == ThemeChoice::Light);
    m_actions.themeDark->setChecked(theme == ThemeChoice::Dark);
}

} // namespace unroll
