// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/block_adder.h"

#include "app/studio/canvas/graph_scene.h"
#include "core/graph/names.h"

#include <algorithm>

namespace unroll {

Node BlockAdder::newNode(const std::string& block, const QPointF& at) const
{
    Node node;
    node.block = block;
    node.name = freeName(m_scene.shown(), block);
    node.place = {snapped(at).x(), snapped(at).y()};
    return node;
}

void BlockAdder::add(const std::string& block, const QPointF& at, const Params& params)
{
    Node node = newNode(block, at);
    node.params = params;
    m_scene.applyAndSelect(edits::addNode(std::move(node)));
}

void BlockAdder::add(const std::string& block, const QPointF& at, const WireEnd& end)
{
    Node node = newNode(block, at);
    const NodePorts ports = portsOf(node, m_scene.registry());
    const auto type = typeOf(m_scene.shown(), m_scene.registry(), end);
    const PortSpec* port = type ? joiningPort(end.isOutput ? ports.inputs : ports.outputs, *type) : nullptr;
    if (port == nullptr) {
        add(block, at);
        return;
    }
    node.id = m_scene.shown().nextId;
    const WireEnd mine{{node.id, port->name}, !end.isOutput};
    const NodeFace face = faceOf(node);
    const QPointF corner = snapped(at - portPlace(face, nodeGeometry(face, m_scene.appearance()), mine));
    node.place = {corner.x(), corner.y()};
    node.id = 0;
    GraphEdit adding = edits::addNode(std::move(node));
    const std::string name = adding.name;
    m_scene.applyAndSelect(edits::sequence(name, {std::move(adding), edits::connect(wireBetween(end, mine.port))}));
}

void BlockAdder::add(const std::string& block, const QPointF& at, const Insertion& into)
{
    Node node = newNode(block, at);
    const NodeFace face = faceOf(node);
    const NodeExtent extent = nodeExtent(face, nodeGeometry(face, m_scene.appearance()));
    auto places = makeRoom(m_scene.shown(), m_scene.nodeExtents(), into.wire, node.id, extent, node.place);
    if (const auto own = places.extract(node.id))
        node.place = own.mapped();
    GraphEdit insertion = edits::insertOnWire(std::move(node), into.wire, into.input, into.output);
    const std::string name = insertion.name;
    m_scene.applyAndSelect(edits::sequence(name, {edits::moveNodes(std::move(places)), std::move(insertion)}));
}

/// As it will look once it is added, before any check.
NodeFace BlockAdder::faceOf(const Node& node) const
{
    return nodeFace(node, m_scene.shown(), nullptr, m_scene.registry(), nullptr, {});
}

QRectF BlockAdder::bodyOf(const std::string& block, const QPointF& at) const
{
    return nodeGeometry(faceOf(newNode(block, {})), m_scene.appearance()).body().translated(snapped(at));
}

QPointF BlockAdder::freePlace(const std::string& block, const QPointF& at) const
{
    QRectF body = bodyOf(block, at);
    const QList<NodeItem*> items = m_scene.nodeItems();
    const auto covers = [&items](const QRectF& area) {
        return std::any_of(items.begin(), items.end(), [&](const NodeItem* item) {
            return area.intersects(item->mapRectToScene(item->geometry().body()));
        });
    };
    while (covers(body.adjusted(-kCanvasGrid, -kCanvasGrid, kCanvasGrid, kCanvasGrid)))
        body.translate(0, 2 * kCanvasGrid);
    return body.topLeft();
}

std::optional<Insertion> BlockAdder::insertionOf(const std::string& block, const QPointF& at) const
{
    return insertionAt(m_scene, portsOf(newNode(block, at), m_scene.registry()), insertionArea(bodyOf(block, at)));
}

std::optional<Insertion> BlockAdder::insertionInto(const std::string& block, const Wire& wire) const
{
    const WireItem* item = m_scene.wire(wire);
    return item == nullptr ? std::nullopt
                           : unroll::insertionInto(portsOf(newNode(block, {}), m_scene.registry()), *item);
}

} // namespace unroll
