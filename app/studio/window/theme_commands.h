// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace unroll {

class Appearance;
class Preferences;
struct WindowActions;

/// The commands that choose the theme; the one in force is checked.
class ThemeCommands : public QObject {
    Q_OBJECT
public:
    ThemeCommands(const WindowActions& actions, Preferences& preferences, const Appearance& appearance,
                  QObject* parent);

private:
    void refresh();

    const WindowActions& m_actions;
    const Appearance& m_appearance;
};

} // namespace unroll
