// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/theme.h"
#include "tests/gui/look.h"
#include "tests/gui/look_parts.h"
#include "tests/gui/waiting.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPixmap>
#include <QTest>
#include <algorithm>
#include <map>
#include <set>

namespace unroll::test {

namespace {

constexpr int kLeastChanged = 24; ///< pixels that must differ clearly when the keyboard comes: a small ring has more

QImage partOf(QWidget& window, const QWidget& widget, int around)
{
    const QRect place(widget.mapTo(&window, QPoint()), widget.size());
    return window.grab(place.adjusted(-around, -around, around, around))
        .toImage()
        .convertToFormat(QImage::Format_RGB32);
}

int clearlyDifferent(const QImage& before, const QImage& after)
{
    int count = 0;
    for (int y = 0; y < std::min(before.height(), after.height()); ++y)
        for (int x = 0; x < std::min(before.width(), after.width()); ++x)
            if (before.pixel(x, y) != after.pixel(x, y) &&
                contrastRatio(before.pixelColor(x, y), after.pixelColor(x, y)) >= 3)
                ++count;
    return count;
}

/// The text that the widget draws in its own colour; empty: none.
QString drawnText(const QWidget& widget)
{
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        return Qt::mightBeRichText(label->text()) ? QString() : label->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        return button->text();
    if (const auto* line = qobject_cast<const QLineEdit*>(&widget))
        return line->hasSelectedText() ? QString() : line->text();
    if (const auto* box = qobject_cast<const QComboBox*>(&widget))
        return box->currentText();
    return {};
}

double leastContrast(const QFont& font)
{
    const bool isLarge = font.pixelSize() >= 24 || (font.bold() && font.pixelSize() >= 19);
    return isLarge ? 3 : 4.5;
}

} // namespace

QImage pictureOf(QWidget& window)
{
    return window.grab().toImage().convertToFormat(QImage::Format_RGB32);
}

QColor mostFrequent(const QImage& image, const QRect& part)
{
    const QRect area = part & image.rect();
    std::map<QRgb, int> counts;
    for (int y = area.top(); y <= area.bottom(); y += 2)
        for (int x = area.left(); x <= area.right(); x += 2)
            ++counts[image.pixel(x, y)];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? QColor() : QColor(most->first);
}

QStringList nameFaults(const QWidget& window)
{
    QStringList faults;
    for (QWidget* widget : focusableIn(window)) {
        const QAccessibleInterface* read = QAccessible::queryAccessibleInterface(widget);
        if (read == nullptr || read->text(QAccessible::Name).trimmed().isEmpty())
            faults << "without a name: " + nameOf(*widget);
    }
    return faults;
}

QStringList contrastFaults(QWidget& window)
{
    const QImage picture = pictureOf(window);
    const double ratio = picture.devicePixelRatio();
    QStringList faults;
    for (const QWidget* widget : seenIn(window)) {
        if (!widget->isEnabled() || drawnText(*widget).trimmed().isEmpty() || widget->visibleRegion().isEmpty())
            continue;
        const QPointF corner(widget->mapTo(&window, QPoint()));
        const QColor ground =
            mostFrequent(picture, QRectF(corner * ratio, QSizeF(widget->size()) * ratio).toAlignedRect());
        const QColor text = widget->palette().color(QPalette::Active, widget->foregroundRole());
        if (const double contrast = contrastRatio(text, ground); contrast < leastContrast(widget->font()))
            faults << QStringLiteral("%1 on %2 is %3: ").arg(text.name(), ground.name()).arg(contrast, 0, 'f', 2) +
                          nameOf(*widget);
    }
    return faults;
}

/// Once for each kind and name of widget in the whole program: the same button looks the same in every state.
QStringList focusFaults(QWidget& window)
{
    static std::set<QString> seen;
    QWidget& top = *window.window();
    top.setAttribute(Qt::WA_KeyboardFocusChange);                                // as after Tab
    if (top.windowType() != Qt::Popup && QApplication::activeWindow() != &top) { // but a panel that floats
        top.activateWindow();
        (void)comes([&] { return QApplication::activeWindow() == &top; });
    }
    QStringList faults;
    for (QWidget* widget : focusableIn(window)) {
        if (!seen.insert(nameOf(*widget)).second || widget->visibleRegion().isEmpty())
            continue;
        if (QWidget* now = QApplication::focusWidget())
            now->clearFocus();
        if (!widget->isVisible()) // a popup goes with the keyboard
            continue;
        const QImage before = partOf(window, *widget, 3);
        widget->setFocus(Qt::TabFocusReason);
        if (const int changed = clearlyDifferent(before, partOf(window, *widget, 3)); changed < kLeastChanged)
            faults << QStringLiteral("the focus shows in %1 pixels: ").arg(changed) + nameOf(*widget);
    }
    return faults;
}

} // namespace unroll::test
