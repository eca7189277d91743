// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/empty_state.h"
#include "tests/gui/look.h"
#include "tests/gui/look_parts.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QTextDocument>
#include <QToolButton>
#include <algorithm>

namespace unroll::test {

namespace {

QString plain(const QString& text)
{
    QTextDocument document;
    document.setHtml(text);
    return document.toPlainText().simplified();
}

/// A tool tip, of the widget or of one around it, that says everything.
bool isTold(const QWidget& widget, const QString& text)
{
    for (const QWidget* each = &widget; each != nullptr; each = each->parentWidget())
        if (plain(each->toolTip()).contains(plain(text)))
            return true;
    return false;
}

/// What cannot be broken into lines is as wide as it is.
int wrappedWidth(const QLabel& label)
{
    return label.fontMetrics().boundingRect(label.contentsRect(), Qt::TextWordWrap, label.text()).width();
}

bool fits(const QLabel& label)
{
    if (!label.wordWrap())
        return label.sizeHint().width() <= label.width() && label.sizeHint().height() <= label.height();
    const bool rich = Qt::mightBeRichText(label.text());
    return label.heightForWidth(label.width()) <= label.height() &&
           (rich || wrappedWidth(label) <= label.contentsRect().width());
}

bool fits(const QAbstractButton& button)
{
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    if (tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull())
        return true;
    if (button.hasHeightForWidth()) // its words wrap
        return button.minimumSizeHint().width() <= button.width() &&
               button.heightForWidth(button.width()) <= button.height();
    return button.sizeHint().width() <= button.width() && button.sizeHint().height() <= button.height();
}

bool fits(const QComboBox& box)
{
    QStyleOptionComboBox option;
    option.initFrom(&box);
    option.editable = box.isEditable();
    const QRect field = box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box);
    return box.fontMetrics().horizontalAdvance(box.currentText()) <= field.width();
}

/// A number is read whole; other text is typed, and scrolls under the hand.
bool fits(const QLineEdit& line)
{
    const bool isNumber = qobject_cast<QAbstractSpinBox*>(line.parentWidget()) != nullptr;
    const QString text = isNumber ? line.text() : line.text().isEmpty() ? line.placeholderText() : QString();
    const QMargins inside = line.textMargins();
    QStyleOptionFrame option;
    option.initFrom(&line);
    const QRect room = line.style()->subElementRect(QStyle::SE_LineEditContents, &option, &line);
    return line.fontMetrics().horizontalAdvance(text) <= room.width() - inside.left() - inside.right() - 4 &&
           line.fontMetrics().height() <= line.height();
}

QStringList tabFaults(const QTabBar& bar)
{
    QStringList faults;
    for (int i = 0; i < bar.count(); ++i) {
        const QRect tab = bar.tabRect(i);
        const int text = bar.fontMetrics().horizontalAdvance(QString(bar.tabText(i)).remove('&'));
        if (bar.isTabVisible(i) && (tab.width() < text || !bar.rect().contains(tab)) && !isTold(bar, bar.tabText(i)) &&
            !bar.tabToolTip(i).contains(bar.tabText(i)))
            faults << "a tab is cut: " + bar.tabText(i);
    }
    return faults;
}

QStringList headerFaults(const QHeaderView& header)
{
    QStringList faults;
    for (int i = 0; header.orientation() == Qt::Horizontal && i < header.count(); ++i) {
        const QString text = header.model()->headerData(i, Qt::Horizontal).toString();
        const QString told = header.model()->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString();
        if (!header.isSectionHidden(i) && header.sectionSize(i) < header.fontMetrics().horizontalAdvance(text) + 8 &&
            !told.contains(text))
            faults << "a heading is cut: " + text;
    }
    return faults;
}

/// Whether the widget is a Kind whose text does not fit.
template <class Kind, class Text>
bool isCut(const QWidget& widget, Text text)
{
    const auto* it = qobject_cast<const Kind*>(&widget);
    return it != nullptr && !fits(*it) && !isTold(widget, text(*it));
}

bool isCut(const QWidget& widget)
{
    const auto textOf = [](const auto& it) { return it.text(); };
    if (const auto* empty = qobject_cast<const EmptyState*>(&widget))
        return empty->heightForWidth(empty->width()) > empty->height();
    return isCut<QLabel>(widget, textOf) || isCut<QAbstractButton>(widget, textOf) ||
           isCut<QComboBox>(widget, [](const QComboBox& box) { return box.currentText(); }) ||
           isCut<QLineEdit>(widget, [](const QLineEdit& line) { return line.text() + line.placeholderText(); });
}

} // namespace

QStringList textFaults(const QWidget& window)
{
    QStringList faults;
    for (const QWidget* widget : seenIn(window)) {
        if (isCut(*widget))
            faults << QStringLiteral("cut, %1 x %2: ").arg(widget->width()).arg(widget->height()) + nameOf(*widget);
        if (const auto* bar = qobject_cast<const QTabBar*>(widget))
            faults += tabFaults(*bar);
        if (const auto* header = qobject_cast<const QHeaderView*>(widget))
            faults += headerFaults(*header);
    }
    return faults;
}

} // namespace unroll::test
