// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/theme.h"

#include <QFont>
#include <QIcon>
#include <QObject>
#include <functional>

class QWidget;

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

    static constexpr int kLeastTextSize = 12, kMostTextSize = 20;
    int textSize() const { return m_textSize; } ///< of body text that was asked for, pixels; 0: as the system has it
    double systemTextSize() const { return m_systemSize; } ///< with UNROLL_TEXT_SCALE
    void setTextSize(int pixels); ///< brought between the least and the most; 0: as the system has it

    QFont font(Type type) const;
    /// Gives it the font, now and whenever the size of the text is another.
    void dress(QWidget& widget, Type type) const;
    /// Does it now and after each change of the appearance, as long as the owner is there: for sizes that hang on the
    /// text.
    void follow(QObject& owner, std::function<void()> fit) const;
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
    double m_systemSize = 13;
    int m_textSize = 0;
};

} // namespace unroll
