// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/connect_menu.h"

#include "app/studio/canvas/graph_scene.h"
#include "app/studio/canvas/port_edits.h"

#include <algorithm>
#include <functional>

namespace unroll {

namespace {

QString nameOf(const Graph& graph, const PortRef& port)
{
    return QStringLiteral("%1.%2").arg(QString::fromStdString(graph.find(port.node)->name),
                                       QString::fromStdString(port.port));
}

void addEntry(QMenu& menu, GraphScene& scene, const WireEnd& end, const PortRef& partner)
{
    const Graph& graph = scene.shown();
    const Wire wire = wireBetween(end, partner);
    const Wire* before = graph.wireInto(wire.to);
    const bool joined = before != nullptr && *before == wire;
    QString text = nameOf(graph, partner);
    if (before != nullptr && !joined)
        text += GraphScene::tr("  (instead of %1)").arg(nameOf(graph, before->from));
    QAction* action = menu.addAction(text);
    action->setCheckable(true);
    action->setChecked(joined);
    QObject::connect(action, &QAction::triggered, &scene,
                     [&scene, wire, joined] { scene.apply(joined ? edits::disconnect(wire) : edits::connect(wire)); });
}

/// Ticked where the group around shows the port.
void addPromotion(QMenu& menu, GraphScene& scene, const WireEnd& end)
{
    if (scene.path().empty())
        return;
    const QString group = scene.level().names().back();
    menu.addSeparator();
    QAction* action = menu.addAction(GraphScene::tr("a port of %1").arg(group));
    action->setObjectName("promotePort");
    action->setCheckable(true);
    action->setChecked(isPromoted(scene, end));
    QObject::connect(action, &QAction::triggered, &scene,
                     [&scene, end] { setPromoted(scene, end, !isPromoted(scene, end)); });
}

} // namespace

void addPortEntries(QMenu& menu, GraphScene& scene, const WireEnd& end)
{
    QAction* before = menu.actions().value(0);
    const auto add = [&](const QString& text, const char* name, const std::function<void()>& act) {
        auto* action = new QAction(text, &menu);
        action->setObjectName(QString::fromLatin1(name));
        QObject::connect(action, &QAction::triggered, &scene, act);
        menu.insertAction(before, action);
    };
    const QString port = QString::fromStdString(end.port.port);
    const auto isHere = [&](const Wire& wire) { return (end.isOutput ? wire.from : wire.to) == end.port; };
    const auto& wires = scene.shown().wires;
    const bool wired = std::any_of(wires.begin(), wires.end(), isHere);
    if (wired)
        add(end.isOutput ? GraphScene::tr("Disconnect Outputs of %1").arg(port)
                         : GraphScene::tr("Disconnect %1").arg(port),
            "disconnectPort", [&scene, end] { breakWires(scene, end); });
    if (!scene.path().empty()) {
        const bool promoted = isPromoted(scene, end);
        const QString words =
            promoted ? GraphScene::tr("Remove %1 from %2") : GraphScene::tr("Expose %1 as a Port of %2");
        add(words.arg(port, scene.level().names().back()), "promotePort",
            [&scene, end, promoted] { setPromoted(scene, end, !promoted); });
    }
    if (wired || !scene.path().empty())
        menu.insertSeparator(before);
}

void fillConnectMenu(QMenu& menu, GraphScene& scene, NodeId id)
{
    const NodeItem* item = scene.node(id);
    if (item == nullptr)
        return;
    for (const WireEnd& end : item->ends()) {
        const auto partners = wirePartners(scene.shown(), scene.registry(), end);
        const QString port = QString::fromStdString(end.port.port);
        QMenu* entries =
            menu.addMenu(end.isOutput ? GraphScene::tr("%1 to").arg(port) : GraphScene::tr("%1 from").arg(port));
        entries->setEnabled(!partners.empty() || !scene.path().empty());
        for (const PortRef& partner : partners)
            addEntry(*entries, scene, end, partner);
        addPromotion(*entries, scene, end);
    }
}

} // namespace unroll
