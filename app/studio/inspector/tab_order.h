// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace unroll {

/// What has the keyboard before the widget as Tab goes; nullptr: nothing in this window.
inline QWidget* beforeInTabOrder(const QWidget& widget)
{
    QWidget* before = widget.previousInFocusChain();
    while (before != &widget && (before->focusPolicy() == Qt::NoFocus || before->focusProxy() != nullptr))
        before = before->previousInFocusChain();
    return before != &widget ? before : nullptr;
}

/// New widgets come last in the tab order: moves those in `fresh` behind `before`, in the order of creation.
inline void putInTabOrder(QWidget* before, const QWidget& fresh)
{
    for (QWidget* each : fresh.findChildren<QWidget*>()) {
        if (before == nullptr || each->focusPolicy() == Qt::NoFocus || each->focusProxy() != nullptr)
            continue;
        QWidget::setTabOrder(before, each);
        before = each;
    }
}

} // namespace unroll
