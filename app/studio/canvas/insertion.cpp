// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/insertion.h"

#include "app/studio/canvas/graph_scene.h"

#include <algorithm>

namespace unroll {

QRectF insertionArea(const QRectF& body)
{
    return body.adjusted(body.width() / 4, 0, -body.width() / 4, 0);
}

std::optional<Insertion> insertionInto(const NodePorts& ports, const WireItem& wire)
{
    const PortSpec* input = joiningPort(ports.inputs, wire.carries());
    const PortSpec* output = joiningPort(ports.outputs, wire.carries());
    if (input == nullptr || output == nullptr)
        return std::nullopt;
    return Insertion{wire.wire(), input->name, output->name};
}

std::optional<Insertion> insertionAt(const GraphScene& scene, const NodePorts& ports, const QRectF& area)
{
    for (const Wire& wire : scene.shown().wires) {
        const WireItem* item = scene.wire(wire);
        if (item == nullptr || !item->runsThrough(area))
            continue;
        if (auto insertion = insertionInto(ports, *item))
            return insertion;
    }
    return std::nullopt;
}

std::optional<Insertion> insertionUnder(const GraphScene& scene, NodeId id)
{
    const Node* node = scene.shown().find(id);
    const NodeItem* item = scene.node(id);
    const auto& wires = scene.shown().wires;
    const bool wired = std::any_of(wires.begin(), wires.end(),
                                   [id](const Wire& wire) { return wire.from.node == id || wire.to.node == id; });
    if (node == nullptr || item == nullptr || wired || scene.selection().size() != 1)
        return std::nullopt;
    return insertionAt(scene, portsOf(*node, scene.registry()),
                       insertionArea(item->mapRectToScene(item->geometry().body())));
}

} // namespace unroll
