// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/style.h"

#include <QFile>
#include <QRegularExpression>
#include <QStyle>
#include <QWidget>

namespace unroll {

void restyle(QWidget& widget, const char* property, const QVariant& value)
{
    if (widget.property(property) == value)
        return;
    widget.setProperty(property, value);
    QWidgetList parts = widget.findChildren<QWidget*>();
    parts << &widget;
    for (QWidget* part : parts) {
        part->style()->unpolish(part);
        part->style()->polish(part);
    }
}

QPalette stylePalette(const Theme& theme)
{
    using R = Theme::Role;
    QPalette palette;
    palette.setColor(QPalette::Window, theme[R::Window]);
    palette.setColor(QPalette::WindowText, theme[R::Text]);
    palette.setColor(QPalette::Base, theme[R::Field]);
    palette.setColor(QPalette::AlternateBase, theme[R::Hover]);
    palette.setColor(QPalette::Text, theme[R::Text]);
    palette.setColor(QPalette::PlaceholderText, theme[R::TextDim]);
    palette.setColor(QPalette::Button, theme[R::Panel]);
    palette.setColor(QPalette::ButtonText, theme[R::Text]);
    palette.setColor(QPalette::ToolTipBase, theme[R::Tooltip]);
    palette.setColor(QPalette::ToolTipText, theme[R::TooltipText]);
    palette.setColor(QPalette::Highlight, theme[R::Accent]);
    palette.setColor(QPalette::HighlightedText, theme[R::TextOnAccent]);
    palette.setColor(QPalette::Link, theme[R::Link]);
    palette.setColor(QPalette::LinkVisited, theme[R::Link]);
    palette.setColor(QPalette::Mid, theme[R::Border]);
    palette.setColor(QPalette::Dark, theme[R::FieldBorder]);
    palette.setColor(QPalette::Light, theme[R::Panel]);
    for (const auto role : {QPalette::Text, QPalette::ButtonText, QPalette::WindowText})
        palette.setColor(QPalette::Disabled, role, theme[R::TextDisabled]);
    return palette;
}

int evenPixels(double times, double bodyPixels)
{
    return 2 * qRound(times * bodyPixels / 2);
}

QString styleSheet(const Theme& theme, double bodyPixels)
{
    QFile file(":/themes/studio.qss");
    const bool open = file.open(QIODevice::ReadOnly);
    const QString source = open ? QString::fromUtf8(file.readAll()) : QString();
    QHash<QString, QString> values;
    for (std::size_t i = 0; i < Theme::kRoleCount; ++i) {
        const auto role = static_cast<Theme::Role>(i);
        values[Theme::roleKey(role)] = theme[role].name();
    }
    values["theme"] = theme.name();
    static const QRegularExpression name("@(?:\\{([0-9.]+)\\}|([a-zA-Z]+))");
    QString sheet;
    qsizetype done = 0;
    for (auto matches = name.globalMatch(source); matches.hasNext();) {
        const auto match = matches.next();
        sheet += source.mid(done, match.capturedStart() - done);
        const QString key = match.captured(2);
        Q_ASSERT_X(key.isEmpty() || values.contains(key), "styleSheet", qPrintable(key));
        sheet += key.isEmpty() ? QString::number(evenPixels(match.captured(1).toDouble(), bodyPixels)) : values[key];
        done = match.capturedEnd();
    }
    return sheet + source.mid(done);
}

} // namespace unroll
