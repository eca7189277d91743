// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/theme.h"

#include <QFont>
#include <QIcon>
#include <QObject>

namespace unroll {

enum class ThemeChoice { System, Light, Dark };

/// Steps of the type scale, relative to the body size of the reader's system.
enum class Type { Caption, Body, Strong, Title, Mono };

/// How the studio looks: the theme in force, the fonts, the icons. One for all windows; views repaint on changed().
/// Needs a QGuiApplication; GUI thread only.
class Appearance : public QObject {
    Q_OBJECT
public:
    explicit Appearance(ThemeChoice choice, QObject* parent = nullptr);

    const Theme& theme() const { return m_dark ? m_darkTheme : m_lightTheme; }
    ThemeChoice choice() const { return m_choice; }
    void setChoice(ThemeChoice choice);

    QFont font(Type type) const;
    int iconSide() const; ///< of an icon beside a line of body text, in pixels
    /// An icon of resources/icons, drawn in the theme's text colour of the moment, sharp at every scale.
    QIcon icon(const QString& name) const;
    QIcon icon(const QString& name, Theme::Role role) const;

Q_SIGNALS:
    void changed();

private:
    void apply();

    Theme m_lightTheme;
    Theme m_darkTheme;
    ThemeChoice m_choice;
    bool m_systemDark = false;
    bool m_dark = false;
    double m_bodyPixels = 13;
};

} // namespace unroll
