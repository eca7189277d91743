// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/in_sight.h"

#include <QDockWidget>
#include <QEvent>

namespace unroll {

InSight::InSight(QWidget& of) : QObject(&of), m_of(of)
{
    of.installEventFilter(this);
    if (of.isVisible()) {
        findDock();
        look();
    }
}

bool InSight::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_of && event->type() == QEvent::Show) {
        findDock();
        look();
    } else if (watched == &m_of && event->type() == QEvent::Hide && m_seen) {
        m_seen = false;
        Q_EMIT changed(false);
    }
    return QObject::eventFilter(watched, event);
}

/// A dock behind the tab of another one counts as visible for Qt, and lies outside the window.
void InSight::findDock()
{
    QDockWidget* dock = nullptr;
    for (QWidget* at = m_of.parentWidget(); at != nullptr && dock == nullptr; at = at->parentWidget())
        dock = qobject_cast<QDockWidget*>(at);
    if (dock != m_dock) {
        if (m_dock)
            m_dock->disconnect(this);
        m_dock = dock;
        if (dock != nullptr)
            connect(dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
                m_inFront = visible;
                look();
            });
    }
    m_inFront =
        dock == nullptr || dock->isFloating() || (dock->geometry().right() >= 0 && dock->geometry().bottom() >= 0);
}

void InSight::look()
{
    const bool seen = m_of.isVisible() && m_inFront;
    if (seen == m_seen)
        return;
    m_seen = seen;
    Q_EMIT changed(seen);
}

} // namespace unroll
