// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/dock_tabs.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>

namespace unroll {

namespace {

constexpr const char* kOf = "ofPanel"; ///< of a tab's buttons: the name of the panel that they belong to

} // namespace

DockTabs::DockTabs(QTabBar& bar, const QList<Dock*>& docks) : QObject(&bar), m_bar(bar), m_docks(docks)
{
    bar.installEventFilter(this);
    connect(&bar, &QTabBar::currentChanged, this, qOverload<>(&DockTabs::refresh), Qt::QueuedConnection);
    connect(&bar, &QTabBar::tabMoved, this, qOverload<>(&DockTabs::refresh), Qt::QueuedConnection);
    refresh();
}

/// By its title: the window keeps to itself which panel a tab is of.
Dock* DockTabs::dockAt(int tab) const
{
    for (Dock* dock : m_docks)
        if (tab >= 0 && tab < m_bar.count() && dock->windowTitle() == m_bar.tabText(tab))
            return dock;
    return nullptr;
}

void DockTabs::refresh()
{
    for (int tab = 0; tab < m_bar.count(); ++tab) {
        Dock* dock = tab == m_bar.currentIndex() && m_bar.count() > 1 ? dockAt(tab) : nullptr;
        QWidget* buttons = m_bar.tabButton(tab, QTabBar::RightSide);
        if (buttons != nullptr && (dock == nullptr || buttons->property(kOf) != dock->objectName())) {
            m_bar.setTabButton(tab, QTabBar::RightSide, nullptr);
            buttons->deleteLater();
            buttons = nullptr;
        }
        if (dock == nullptr || buttons != nullptr)
            continue;
        buttons = dock->makeButtons();
        buttons->setProperty(kOf, dock->objectName());
        m_bar.setTabButton(tab, QTabBar::RightSide, buttons);
    }
}

void DockTabs::refresh(const QList<Dock*>& docks)
{
    m_docks = docks;
    refresh();
}

void DockTabs::showMenu(int tab, const QPoint& at)
{
    Dock* dock = dockAt(tab);
    if (dock == nullptr)
        return;
    auto* menu = new QMenu(m_bar.window());
    menu->setObjectName("tabMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(menu->addAction(tr("&Detach")), &QAction::triggered, dock, [dock] { dock->setFloating(true); });
    connect(menu->addAction(tr("&Close")), &QAction::triggered, dock, &QDockWidget::close);
    menu->popup(at);
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        Dock* dock = mouse->button() == Qt::MiddleButton ? dockAt(m_bar.tabAt(mouse->position().toPoint())) : nullptr;
        if (dock != nullptr) {
            QMetaObject::invokeMethod(
                dock, [dock] { dock->close(); }, Qt::QueuedConnection); // the tab goes with it
            return true;
        }
    }
    if (event->type() == QEvent::ContextMenu) {
        const auto* asked = static_cast<QContextMenuEvent*>(event);
        const bool byKey = asked->reason() == QContextMenuEvent::Keyboard;
        const int tab = byKey ? m_bar.currentIndex() : m_bar.tabAt(asked->pos());
        showMenu(tab, byKey ? m_bar.mapToGlobal(m_bar.tabRect(tab).bottomLeft()) : asked->globalPos());
        return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace unroll
