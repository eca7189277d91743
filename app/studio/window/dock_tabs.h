// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/dock.h"

#include <QTabBar>

namespace unroll {

/// Mouse actions on the tabs of panels: the one in front has the buttons of its title, a middle click closes a panel,
/// and a menu (right click, or the menu key) takes it out or closes it. Belongs to the bar, which the window makes and
/// keeps as it likes.
class DockTabs : public QObject {
    Q_OBJECT
public:
    DockTabs(QTabBar& bar, const QList<Dock*>& docks);

    void refresh();                          ///< which one is in front, or stands where, may have changed
    void refresh(const QList<Dock*>& docks); ///< and there are others
    Dock* dockAt(int tab) const;             ///< null: there is no such tab

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showMenu(int tab, const QPoint& at);

    QTabBar& m_bar;
    QList<Dock*> m_docks;
};

} // namespace unroll
