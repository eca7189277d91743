// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/connect_menu.h"

#include "app/studio/canvas/graph_scene.h"

#include <algorithm>

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

} // namespace

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
        entries->setEnabled(!partners.empty());
        for (const PortRef& partner : partners)
            addEntry(*entries, scene, end, partner);
    }
}

} // namespace unroll
