// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QList>
#include <QString>
#include <QWidget>

namespace unroll::test {

/// A widget as a line of a test names it: its class, what it says, and the named one around it.
inline QString nameOf(const QWidget& widget)
{
    const auto wordsOf = [](const QWidget& each) {
        for (const char* property : {"text", "accessibleName", "objectName", "windowTitle"})
            if (const QString words = each.property(property).toString(); !words.isEmpty())
                return '"' + words.left(60) + '"';
        return QString();
    };
    QString name = QString::fromLatin1(widget.metaObject()->className()).section("::", -1) + ' ' + wordsOf(widget);
    for (const QWidget* around = widget.parentWidget(); around != nullptr; around = around->parentWidget())
        if (const QString words = wordsOf(*around); !words.isEmpty() && !around->objectName().startsWith("qt_"))
            return name + " in " + QString::fromLatin1(around->metaObject()->className()).section("::", -1) + ' ' +
                   words;
    return name;
}

/// The window as it is drawn, at the ratio of the screen.
QImage pictureOf(QWidget& window);

/// The colour that most of the part has, in device pixels; of every second line and column, which is enough for a
/// ground.
QColor mostFrequent(const QImage& image, const QRect& part);

/// A panel whose tab is behind another one counts as visible, and lies outside the window.
inline bool isBehindATab(const QWidget& widget)
{
    for (const QWidget* each = &widget; each != nullptr; each = each->parentWidget())
        if ((each->inherits("QDockWidget") || each->inherits("QTabBar")) && each->visibleRegion().isEmpty())
            return true;
    return false;
}

/// Everything in the window that is seen.
inline QList<QWidget*> seenIn(const QWidget& window)
{
    QList<QWidget*> seen;
    for (QWidget* widget : window.findChildren<QWidget*>())
        if (widget->isVisible() && widget->window() == window.window() && !widget->size().isEmpty() &&
            !isBehindATab(*widget))
            seen << widget;
    return seen;
}

/// The line in a spin box, the editor in a cell.
inline bool isPartOfAnother(const QWidget& widget)
{
    const QWidget* parent = widget.parentWidget();
    const QWidget* above = parent != nullptr ? parent->parentWidget() : nullptr;
    return parent != nullptr && (parent->inherits("QAbstractSpinBox") || parent->inherits("QComboBox") ||
                                 (above != nullptr && above->inherits("QAbstractItemView")));
}

/// What Tab comes to.
inline QList<QWidget*> focusableIn(const QWidget& window)
{
    QList<QWidget*> found;
    for (QWidget* widget : seenIn(window)) {
        if (widget->isEnabled() && !isPartOfAnother(*widget) && widget->focusProxy() == nullptr &&
            (widget->focusPolicy() & Qt::TabFocus))
            found << widget;
    }
    return found;
}

} // namespace unroll::test
