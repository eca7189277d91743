// SPDX-License-Identifier: GPL-3.0-or-later
// How gestures end in edits, and what shows while they last.
#include "app/studio/canvas/graph_scene.h"

#include "app/studio/theme/appearance.h"
#include "core/graph/names.h"

#include <algorithm>

namespace unroll {

namespace {

/// The port's own name where no other port of the group's side has it.
std::string freePortName(const Group& group, const WireEnd& end)
{
    const auto& ports = end.isOutput ? group.outputs : group.inputs;
    const std::string wish = isValidName(end.port.port) ? end.port.port : validNameFrom(end.port.port, "port");
    return freeNameAmong(wish, [&](const std::string& name) { return findPort(ports, name) != nullptr; });
}

} // namespace

void GraphScene::previewMove(const QPointF& anchor, const QPointF& offset, bool free)
{
    const QPointF wanted = anchor + offset;
    const QPointF shift = (free ? wanted : snapped(wanted)) - anchor;
    const Moved moved = movedAlong();
    for (const NodeId id : moved.nodes) {
        const QPointF at = pointOf(m_shown.find(id)->place) + shift;
        m_nodes.at(id)->setPos(at);
        m_preview[id] = {at.x(), at.y()};
    }
    for (const FrameId id : moved.frames) {
        Frame frame = m_shown.frames.at(id);
        frame.place = {frame.place.x + shift.x(), frame.place.y + shift.y()};
        previewFrame(frame);
    }
    placeWires(&moved.nodes);
}

void GraphScene::previewFrame(const Frame& frame)
{
    if (FrameItem* item = this->frame(frame.id))
        item->setFrame(frame);
    m_framePreview[frame.id] = frame;
}

void GraphScene::commitMove(const std::optional<Insertion>& into)
{
    auto places = std::move(m_preview);
    auto frames = std::move(m_framePreview);
    m_preview.clear();
    m_framePreview.clear();
    std::erase_if(places, [this](const auto& entry) { return m_shown.find(entry.first)->place == entry.second; });
    std::erase_if(frames, [this](const auto& entry) { return m_shown.frames.at(entry.first) == entry.second; });
    if (!into || places.empty())
        return commitMoved(std::move(places), frames);
    const NodeId first = places.begin()->first;
    const NodeExtents extents = nodeExtents();
    for (const auto& [id, place] :
         makeRoom(m_shown, extents, into->wire, first, extents.at(first), places.begin()->second))
        places[id] = place;
    if (!apply(edits::sequence("Insert " + m_shown.find(first)->name,
                               {edits::moveNodes(std::move(places)),
                                edits::connect({into->wire.from, {first, into->input}}),
                                edits::connect({{first, into->output}, into->wire.to})})))
        synchronise();
}

/// One step, apart from what came before and what follows.
void GraphScene::commitMoved(std::map<NodeId, Place> places, const std::map<FrameId, Frame>& frames)
{
    if (places.empty() && frames.empty())
        return;
    const bool resizes = places.empty() && frames.size() == 1 && [&] {
        const Frame &now = frames.begin()->second, &before = m_shown.frames.at(now.id);
        return now.width != before.width || now.height != before.height;
    }();
    GraphEdit edit = edits::moveNodes(std::move(places));
    if (!frames.empty()) {
        std::vector<GraphEdit> parts{std::move(edit)};
        for (const auto& [id, frame] : frames)
            parts.push_back(edits::setFrame(frame));
        edit = edits::sequence(resizes ? "Resize comment" : "Move comment", std::move(parts));
    }
    if (!apply(std::move(edit)))
        synchronise();
}

void GraphScene::cancelMove()
{
    if (!m_preview.empty() || !m_framePreview.empty())
        synchronise();
}

void GraphScene::changeFrame(const Frame& frame)
{
    apply(edits::setFrame(frame));
}

void GraphScene::nudgeSelection(const QPointF& offset)
{
    const Moved moved = movedAlong();
    std::map<NodeId, Place> places;
    for (const NodeId id : moved.nodes) {
        const Place& place = m_shown.find(id)->place;
        places[id] = {place.x + offset.x(), place.y + offset.y()};
    }
    if (moved.frames.empty()) {
        if (!places.empty())
            apply(edits::moveNodes(std::move(places)), Document::Edit::Typing);
        return;
    }
    std::vector<GraphEdit> parts{edits::moveNodes(std::move(places))};
    std::string key = "nudge";
    for (const FrameId id : moved.frames) {
        Frame frame = m_shown.frames.at(id);
        frame.place = {frame.place.x + offset.x(), frame.place.y + offset.y()};
        parts.push_back(edits::setFrame(frame));
        key += '/' + std::to_string(id);
    }
    GraphEdit edit = edits::sequence("Move comment", std::move(parts));
    edit.mergeKey = key;
    apply(std::move(edit), Document::Edit::Typing);
}

/// Wires of nodes that go, go with them.
void GraphScene::deleteSelection()
{
    const Picked what = picked();
    std::vector<GraphEdit> parts;
    if (!what.nodes.empty())
        parts.push_back(edits::removeNodes(what.nodes));
    for (const Wire& wire : what.wires)
        if (!what.nodes.contains(wire.from.node) && !what.nodes.contains(wire.to.node))
            parts.push_back(edits::disconnect(wire));
    for (const FrameId id : what.frames)
        parts.push_back(edits::removeFrame(id));
    if (parts.empty())
        return;
    const std::string name = parts.size() == 1 ? parts.front().name : tr("Delete").toStdString();
    apply(edits::sequence(name, std::move(parts)));
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

std::optional<Insertion> GraphScene::insertionInto(const std::string& block, const Wire& wire) const
{
    const WireItem* item = this->wire(wire);
    return item == nullptr ? std::nullopt : unroll::insertionInto(portsOf(newNode(block, {}), registry()), *item);
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

bool GraphScene::isPromoted(const WireEnd& end) const
{
    const Group* around = groupAround();
    if (around == nullptr)
        return false;
    const auto& ports = end.isOutput ? around->outputs : around->inputs;
    return std::any_of(ports.begin(), ports.end(), [&](const PromotedPort& port) { return port.inner == end.port; });
}

void GraphScene::setPromoted(const WireEnd& end, bool promoted)
{
    const Group* around = groupAround();
    if (around == nullptr || promoted == isPromoted(end))
        return;
    const GroupPath above(m_path.begin(), m_path.end() - 1);
    const NodeId group = m_path.back();
    const auto& ports = end.isOutput ? around->outputs : around->inputs;
    std::vector<GraphEdit> parts;
    if (promoted) {
        if (const Wire* wire = end.isOutput ? nullptr : m_shown.wireInto(end.port))
            parts.push_back(edits::inside(m_path, edits::disconnect(*wire)));
        const std::string name = freePortName(*around, end);
        parts.push_back(edits::inside(above, end.isOutput ? edits::promoteOutput(group, {name, end.port})
                                                          : edits::promoteInput(group, {name, end.port})));
    } else {
        for (const PromotedPort& port : ports)
            if (port.inner == end.port)
                parts.push_back(edits::inside(above, end.isOutput ? edits::demoteOutput(group, port)
                                                                  : edits::demoteInput(group, port)));
    }
    const std::string name = parts.back().name;
    m_document.apply(edits::sequence(name, std::move(parts)));
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
    const GraphDiff change = diff(before, m_shown);
    pick({{change.added.begin(), change.added.end()}, {}, {change.framesAdded.begin(), change.framesAdded.end()}});
    return true;
}

} // namespace unroll
