// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/appearance.h"

#include "app/studio/theme/icon_engine.h"
#include "app/studio/theme/style.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QPalette>
#include <QToolTip>
#include <algorithm>

namespace unroll {

namespace {

/// A theme of our own resources: that it cannot be read is a bug, not a user's mistake.
Theme loadTheme(const QString& name)
{
    QFile file(":/themes/" + name + ".json");
    const bool open = file.open(QIODevice::ReadOnly);
    auto theme = Theme::fromJson(open ? file.readAll() : QByteArray(), file.fileName());
    if (!theme)
        qFatal("%s", theme.error().text().c_str());
    return *theme;
}

void loadFonts()
{
    for (const char* file : {":/fonts/Inter-Regular.otf", ":/fonts/Inter-SemiBold.otf"})
        QFontDatabase::addApplicationFont(QString::fromLatin1(file));
}

/// UNROLL_TEXT_SCALE, for eyes that want larger text than the desktop gives: 0.8 to 2.
double textScale()
{
    bool ok = false;
    const double scale = qEnvironmentVariable("UNROLL_TEXT_SCALE").toDouble(&ok);
    return ok ? std::clamp(scale, 0.8, 2.0) : 1;
}

/// The size a reader chose for the desktop, kept within what our layouts were made for.
double systemBodyPixels()
{
    const double chosen = QGuiApplication::platformName() == "offscreen"
                              ? 13
                              : static_cast<double>(QFontInfo(QApplication::font()).pixelSize());
    return std::clamp<double>(chosen * textScale(), Appearance::kLeastTextSize, Appearance::kMostTextSize);
}

} // namespace

Appearance::Appearance(ThemeChoice choice, QObject* parent)
    : QObject(parent), m_lightTheme(loadTheme("light")), m_darkTheme(loadTheme("dark")), m_choice(choice)
{
    m_systemDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    m_bodyPixels = systemBodyPixels();
    m_systemSize = m_bodyPixels;
    loadFonts();
    apply();
}

void Appearance::setChoice(ThemeChoice choice)
{
    m_choice = choice;
    apply();
    Q_EMIT changed();
}

void Appearance::setTextSize(int pixels)
{
    const int size = pixels == 0 ? 0 : std::clamp(pixels, kLeastTextSize, kMostTextSize);
    if (size == m_textSize)
        return;
    m_textSize = size;
    m_bodyPixels = size == 0 ? m_systemSize : size;
    apply();
    Q_EMIT changed();
}

void Appearance::dress(QWidget& widget, Type type) const
{
    follow(widget, [this, &widget, type] { widget.setFont(font(type)); });
}

void Appearance::follow(QObject& owner, std::function<void()> fit) const
{
    fit();
    connect(this, &Appearance::changed, &owner, std::move(fit));
}

void Appearance::apply()
{
    m_dark = m_choice == ThemeChoice::Dark || (m_choice == ThemeChoice::System && m_systemDark);
    QApplication::setFont(font(Type::Body));
    QApplication::setPalette(stylePalette(theme()));
    QToolTip::setPalette(stylePalette(theme()));
    QToolTip::setFont(font(Type::Body));
    qApp->setStyleSheet(styleSheet(theme(), m_bodyPixels));
}

QFont Appearance::font(Type type) const
{
    QFont font;
    font.setFamilies({"Inter", "Noto Sans", "DejaVu Sans"});
    font.setHintingPreference(QFont::PreferNoHinting);
    switch (type) {
    case Type::Caption: font.setPixelSize(qRound(m_bodyPixels * 0.86)); break;
    case Type::Body: font.setPixelSize(qRound(m_bodyPixels)); break;
    case Type::Strong:
        font.setPixelSize(qRound(m_bodyPixels));
        font.setWeight(QFont::DemiBold);
        break;
    case Type::Title:
        font.setPixelSize(qRound(m_bodyPixels * 1.25));
        font.setWeight(QFont::DemiBold);
        break;
    case Type::Mono:
        font.setFamilies({"DejaVu Sans Mono", "Noto Sans Mono", "monospace"});
        font.setStyleHint(QFont::Monospace);
        font.setPixelSize(qRound(m_bodyPixels * 0.92));
        break;
    }
    return font;
}

int Appearance::iconSide() const
{
    return evenPixels(1.23, m_bodyPixels);
}

QIcon Appearance::icon(const QString& name) const
{
    return icon(name, Theme::Role::Text);
}

QIcon Appearance::icon(const QString& name, Theme::Role role) const
{
    return QIcon(new IconEngine(*this, name, role));
}

} // namespace unroll
