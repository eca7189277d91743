// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/pending_input.h"

#include <QAction>
#include <QApplication>
#include <QFocusEvent>
#include <QPointer>
#include <QWidget>

namespace unroll {

PendingInput::PendingInput(QWidget& window) : QObject(&window), m_window(window)
{
    for (const QAction* command : window.findChildren<QAction*>(Qt::FindDirectChildrenOnly))
        connect(command, &QAction::triggered, this, &PendingInput::commit);
}

void PendingInput::commit()
{
    const QPointer<QWidget> field =
        QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : m_window.focusWidget();
    if (!field)
        return;
    QFocusEvent out(QEvent::FocusOut, Qt::ActiveWindowFocusReason), in(QEvent::FocusIn, Qt::ActiveWindowFocusReason);
    QApplication::sendEvent(field, &out);
    if (field && field->hasFocus())
        QApplication::sendEvent(field, &in);
}

} // namespace unroll
