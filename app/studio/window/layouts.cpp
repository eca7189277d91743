// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/layouts.h"

#include "app/studio/window/dock_tabs.h"

#include <QTabBar>
#include <algorithm>

namespace unroll {

namespace {

void showOnly(const Docks& docks, const QList<Dock*>& shown)
{
    for (Dock* dock : docks.all()) {
        dock->setFloating(false);
        dock->setVisible(shown.contains(dock));
    }
}

int share(int whole, double part)
{
    return static_cast<int>(whole * part);
}

// Every panel has a place in every layout, the hidden ones too: that is where they come when they are asked for.

void layOutTrain(QMainWindow& window, const Docks& d)
{
    window.addDockWidget(Qt::RightDockWidgetArea, d.inspector);
    window.splitDockWidget(d.inspector, d.samples, Qt::Vertical); // before the tabs: a tab cannot be split
    window.tabifyDockWidget(d.inspector, d.training);
    window.tabifyDockWidget(d.samples, d.problems);
    window.addDockWidget(Qt::BottomDockWidgetArea, d.curves);
    window.splitDockWidget(d.curves, d.state, Qt::Horizontal);
    window.tabifyDockWidget(d.state, d.runs); // beside the curves, where ticked runs are drawn
    window.addDockWidget(Qt::LeftDockWidgetArea, d.palette);
    showOnly(d, {d.inspector, d.training, d.curves, d.state, d.runs, d.samples, d.problems});
    d.inspector->raise();
    d.samples->raise();
    d.state->raise();
    const int side = std::clamp(share(window.width(), 0.23), 300, 420);
    const int below = share(window.height(), 0.46);
    const int wide = window.width() - side;
    window.resizeDocks({d.inspector}, {side}, Qt::Horizontal);
    window.resizeDocks({d.inspector, d.samples}, {share(window.height(), 0.6), share(window.height(), 0.34)},
                       Qt::Vertical);
    window.resizeDocks({d.curves}, {below}, Qt::Vertical);
    window.resizeDocks({d.curves, d.state}, {share(wide, 0.4), share(wide, 0.6)}, Qt::Horizontal);
}

void layOutEdit(QMainWindow& window, const Docks& d)
{
    window.addDockWidget(Qt::RightDockWidgetArea, d.inspector);
    window.tabifyDockWidget(d.inspector, d.training);
    window.addDockWidget(Qt::BottomDockWidgetArea, d.problems);
    for (Dock* other : {d.runs, d.curves, d.state})
        window.tabifyDockWidget(d.problems, other);
    window.tabifyDockWidget(d.inspector, d.samples);
    window.addDockWidget(Qt::LeftDockWidgetArea, d.palette);
    showOnly(d, {d.palette, d.inspector, d.training, d.problems});
    d.inspector->raise();
    window.resizeDocks(
        {d.palette, d.inspector},
        {std::clamp(share(window.width(), 0.16), 200, 280), std::clamp(share(window.width(), 0.25), 300, 440)},
        Qt::Horizontal);
    window.resizeDocks({d.problems}, {150}, Qt::Vertical);
}

void layOutWatch(QMainWindow& window, const Docks& d)
{
    window.addDockWidget(Qt::RightDockWidgetArea, d.curves);
    window.splitDockWidget(d.curves, d.samples, Qt::Vertical);
    for (Dock* other : {d.runs, d.inspector, d.training, d.problems})
        window.tabifyDockWidget(d.samples, other);
    window.addDockWidget(Qt::BottomDockWidgetArea, d.state);
    window.addDockWidget(Qt::LeftDockWidgetArea, d.palette);
    showOnly(d, {d.curves, d.samples, d.runs, d.state});
    d.samples->raise();
    window.resizeDocks({d.curves}, {share(window.width(), 0.32)}, Qt::Horizontal);
    window.resizeDocks({d.curves, d.samples}, {share(window.height(), 0.45), share(window.height(), 0.45)},
                       Qt::Vertical);
    window.resizeDocks({d.state}, {share(window.height(), 0.58)}, Qt::Vertical);
}

} // namespace

QStringList layoutNames()
{
    return {"train", "edit", "watch"};
}

bool applyLayout(const QString& name, QMainWindow& window, const Docks& docks)
{
    if (!layoutNames().contains(name))
        return false;
    for (Dock* dock : docks.all()) {
        dock->letGo();
        window.removeDockWidget(dock);
    }
    if (name == "train")
        layOutTrain(window, docks);
    else if (name == "edit")
        layOutEdit(window, docks);
    else
        layOutWatch(window, docks);
    refreshTitles(window, docks);
    return true;
}

void refreshTitles(const QMainWindow& window, const Docks& docks)
{
    for (Dock* dock : docks.all()) {
        const auto beside = window.tabifiedDockWidgets(dock);
        const bool anyShown =
            std::any_of(beside.begin(), beside.end(), [](const QDockWidget* other) { return !other->isHidden(); });
        dock->setInTab(!dock->isFloating() && anyShown); // one alone has no tabs, and keeps its title
    }
    for (QTabBar* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        bar->setAccessibleName(QMainWindow::tr("Panels"));
        bar->setDrawBase(false);
        bar->setExpanding(false);
        bar->setElideMode(Qt::ElideNone);
        if (auto* hand = bar->findChild<DockTabs*>(QString(), Qt::FindDirectChildrenOnly))
            hand->refresh();
        else
            new DockTabs(*bar, docks.all());
    }
}

} // namespace unroll
