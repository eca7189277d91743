// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/layouts.h"

#include "app/studio/window/dock_tabs.h"

#include <QLayout>
#include <QTabBar>
#include <algorithm>

namespace unroll {

namespace {

/// A panel and its place in one layout.
struct Placed {
    Dock* dock;
    const PanelPlace* place;
};

std::vector<Placed> inOrder(const PanelSet& panels, const QString& layout)
{
    std::vector<Placed> placed;
    for (const PanelSet::Panel& panel : panels.all())
        placed.push_back({panel.dock, &panel.spec.places.at(layout)});
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.place->order < b.place->order; });
    return placed;
}

void put(QMainWindow& window, const PanelSet& panels, const Placed& placed)
{
    const PanelPlace& place = *placed.place;
    if (place.edge != Qt::NoDockWidgetArea)
        window.addDockWidget(place.edge, placed.dock);
    else if (*place.below != '\0')
        window.splitDockWidget(&panels.dock(place.below), placed.dock, Qt::Vertical);
    else if (*place.rightOf != '\0')
        window.splitDockWidget(&panels.dock(place.rightOf), placed.dock, Qt::Horizontal);
    else
        window.tabifyDockWidget(&panels.dock(place.behind), placed.dock);
}

/// Of a window that is `whole` long in that direction.
int lengthOf(PanelSize PanelPlace::*size, const PanelPlace& place, int whole, const PanelSet& panels,
             const QString& layout)
{
    const PanelSize& wanted = place.*size;
    int free = whole;
    if (*wanted.besides != '\0')
        free -= lengthOf(size, panels.at(wanted.besides).spec.places.at(layout), whole, panels, layout);
    return std::clamp(static_cast<int>(free * wanted.share), wanted.least, wanted.most);
}

void resize(QMainWindow& window, const PanelSet& panels, const Placed& placed, const QString& layout)
{
    const auto along = [&](PanelSize PanelPlace::*size, int whole, Qt::Orientation direction) {
        if ((placed.place->*size).isSet())
            window.resizeDocks({placed.dock}, {lengthOf(size, *placed.place, whole, panels, layout)}, direction);
    };
    along(&PanelPlace::width, window.width(), Qt::Horizontal);
    along(&PanelPlace::height, window.height(), Qt::Vertical);
}

} // namespace

const std::vector<WindowLayout>& layouts()
{
    static const std::vector<WindowLayout> all{{"train", &WindowActions::layoutTrain},
                                               {"edit", &WindowActions::layoutEdit},
                                               {"watch", &WindowActions::layoutWatch},
                                               {"inspect", &WindowActions::layoutInspect}};
    return all;
}

QStringList layoutNames()
{
    QStringList names;
    for (const WindowLayout& layout : layouts())
        names << layout.name;
    return names;
}

bool applyLayout(const QString& name, QMainWindow& window, const PanelSet& panels)
{
    if (!layoutNames().contains(name))
        return false;
    for (Dock* dock : panels.docks()) {
        dock->endTitlePress();
        window.removeDockWidget(dock);
    }
    const std::vector<Placed> placed = inOrder(panels, name);
    for (const Placed& panel : placed)
        put(window, panels, panel);
    for (const PanelSet::Panel& panel : panels.all()) {
        panel.dock->setFloating(false);
        panel.dock->setVisible(panel.spec.places.at(name).shown);
    }
    for (const Placed& panel : placed)
        if (panel.place->raised)
            panel.dock->raise();
    for (const Placed& panel : placed)
        resize(window, panels, panel, name);
    refreshTitles(window, panels.docks());
    return true;
}

bool restorePanels(QMainWindow& window, const QByteArray& state, int version)
{
    window.layout()->setEnabled(false);
    const bool restored = window.restoreState(state, version);
    window.layout()->setEnabled(true);
    window.layout()->activate();
    return restored;
}

void refreshTitles(const QMainWindow& window, const QList<Dock*>& docks)
{
    for (Dock* dock : docks) {
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
            hand->refresh(docks);
        else
            new DockTabs(*bar, docks);
    }
}

} // namespace unroll
