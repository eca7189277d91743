// SPDX-License-Identifier: GPL-3.0-or-later
// How gestures end in edits, and what shows while they last.
#include "app/studio/canvas/graph_scene.h"

#include "app/studio/theme/appearance.h"

#include <algorithm>

namespace unroll {

void GraphScene::previewMove(NodeId grabbed, const QPointF& offset, bool free)
{
    const Node* anchor = m_shown.find(grabbed);
    if (anchor == nullptr)
        return;
    const QPointF wanted = pointOf(anchor->place) + offset;
    const QPointF shift = (free ? wanted : snapped(wanted)) - pointOf(anchor->place);
    const auto moved = selection();
    for (const NodeId id : moved) {
        const QPointF at = pointOf(m_shown.find(id)->place) + shift;
        m_nodes.at(id)->setPos(at);
        m_preview[id] = {at.x(), at.y()};
    }
    placeWires(&moved);
}

void GraphScene::commitMove(const std::optional<Insertion>& into)
{
    auto places = std::move(m_preview);
    m_preview.clear();
    std::erase_if(places, [this](const auto& entry) { return m_shown.find(entry.first)->place == entry.second; });
    if (places.empty())
        return;
    const NodeId first = places.begin()->first;
    const Place at = places.begin()->second;
    if (into) {
        const NodeExtents extents = nodeExtents();
        for (const auto& [id, place] : makeRoom(m_shown, extents, into->wire, first, extents.at(first), at))
            places[id] = place;
    }
    GraphEdit edit = edits::moveNodes(std::move(places));
    if (into)
        edit = edits::sequence("Insert " + m_shown.find(first)->name,
                               {edit, edits::connect({into->wire.from, {first, into->input}}),
                                edits::connect({{first, into->output}, into->wire.to})});
    if (!apply(std::move(edit)))
        synchronise();
}

void GraphScene::cancelMove()
{
    if (!m_preview.empty())
        synchronise();
}

void GraphScene::nudgeSelection(const QPointF& offset)
{
    std::map<NodeId, Place> places;
    for (const NodeId id : selection()) {
        const Place& place = m_shown.find(id)->place;
        places[id] = {place.x + offset.x(), place.y + offset.y()};
    }
    if (!places.empty())
        apply(edits::moveNodes(std::move(places)), Document::Edit::Typing);
}

void GraphScene::deleteSelection()
{
    const auto ids = selection();
    if (!ids.empty())
        apply(edits::removeNodes(ids));
}

Node GraphScene::newNode(const std::string& block, const QPointF& at) const
{
    Node node;
    node.block = block;
    node.name = freeName(m_shown, block);
    node.place = {snapped(at).x(), snapped(at).y()};
    return node;
}

void GraphScene::addBlock(const std::string& block, const QPointF& at, const Params& params)
{
    Node node = newNode(block, at);
    node.params = params;
    applyAndSelect(edits::addNode(std::move(node)));
}

void GraphScene::addBlock(const std::string& block, const QPointF& at, const WireEnd& end)
{
    Node node = newNode(block, at);
    const NodePorts ports = portsOf(node, registry());
    const auto type = typeOf(m_shown, registry(), end);
    const PortSpec* port = type ? joiningPort(end.isOutput ? ports.inputs : ports.outputs, *type) : nullptr;
    if (port == nullptr) {
        addBlock(block, at);
        return;
    }
    node.id = m_shown.nextId;
    const WireEnd mine{{node.id, port->name}, !end.isOutput};
    const NodeFace face = faceOf(node);
    const QPointF corner = snapped(at - portPlace(face, nodeGeometry(face, m_appearance), mine));
    node.place = {corner.x(), corner.y()};
    node.id = 0;
    GraphEdit adding = edits::addNode(std::move(node));
    const std::string name = adding.name;
    applyAndSelect(edits::sequence(name, {std::move(adding), edits::connect(wireBetween(end, mine.port))}));
}

void GraphScene::addBlock(const std::string& block, const QPointF& at, const Insertion& into)
{
    Node node = newNode(block, at);
    const NodeFace face = faceOf(node);
    const NodeExtent extent = nodeExtent(face, nodeGeometry(face, m_appearance));
    auto places = makeRoom(m_shown, nodeExtents(), into.wire, node.id, extent, node.place);
    if (const auto own = places.extract(node.id))
        node.place = own.mapped();
    GraphEdit insertion = edits::insertOnWire(std::move(node), into.wire, into.input, into.output);
    const std::string name = insertion.name;
    applyAndSelect(edits::sequence(name, {edits::moveNodes(std::move(places)), std::move(insertion)}));
}

NodeExtents GraphScene::nodeExtents() const
{
    NodeExtents extents;
    for (const auto& [id, item] : m_nodes)
        extents[id] = nodeExtent(item->face(), item->geometry());
    return extents;
}

/// As it will look once it is added, before any check.
NodeFace GraphScene::faceOf(const Node& node) const
{
    return nodeFace(node, m_shown, nullptr, registry(), nullptr, {});
}

QRectF GraphScene::bodyOf(const std::string& block, const QPointF& at) const
{
    return nodeGeometry(faceOf(newNode(block, {})), m_appearance).body().translated(snapped(at));
}

QPointF GraphScene::freePlace(const std::string& block, const QPointF& at) const
{
    QRectF body = bodyOf(block, at);
    const auto covers = [this](const QRectF& area) {
        return std::any_of(m_nodes.begin(), m_nodes.end(), [&](const auto& entry) {
            return area.intersects(entry.second->mapRectToScene(entry.second->geometry().body()));
        });
    };
    while (covers(body.adjusted(-canvasGrid, -canvasGrid, canvasGrid, canvasGrid)))
        body.translate(0, 2 * canvasGrid);
    return body.topLeft();
}

std::optional<Insertion> GraphScene::insertionOf(const std::string& block, const QPointF& at) const
{
    return insertionAt(*this, portsOf(newNode(block, at), registry()), insertionArea(bodyOf(block, at)));
}

void GraphScene::breakWires(const WireEnd& end)
{
    std::vector<GraphEdit> cuts;
    for (const Wire& wire : m_shown.wires)
        if ((end.isOutput ? wire.from : wire.to) == end.port)
            cuts.push_back(edits::disconnect(wire));
    if (!cuts.empty())
        apply(edits::sequence("Disconnect", std::move(cuts)));
}

void GraphScene::lightPorts(const WireEnd& end, const std::set<PortRef>& partners)
{
    for (const auto& [id, item] : m_nodes) {
        PortLights lights;
        for (const PortRef& port : partners)
            if (port.node == id)
                (end.isOutput ? lights.inputs : lights.outputs).insert(port.port);
        if (id == end.port.node)
            lights.held = end;
        item->setLights(std::move(lights));
    }
}

void GraphScene::lightAllPorts()
{
    for (const auto& [id, item] : m_nodes)
        item->setLights(std::nullopt);
}

void GraphScene::lightWire(const Wire* wire)
{
    for (const auto& [each, item] : m_wires)
        item->setLit(wire != nullptr && each == *wire);
}

bool GraphScene::applyAndSelect(GraphEdit edit)
{
    const Graph before = m_shown;
    if (!apply(std::move(edit)))
        return false;
    const auto added = diff(before, m_shown).added;
    select({added.begin(), added.end()});
    return true;
}

} // namespace unroll
