// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/graph_scene.h"

#include "app/studio/theme/appearance.h"

#include <algorithm>
#include <utility>

namespace unroll {

GraphScene::GraphScene(Document& document, const Problems& problems, const Appearance& appearance, QObject* parent)
    : QGraphicsScene(parent),
      m_document(document),
      m_appearance(appearance),
      m_level(document),
      m_faces(document, problems, m_level),
      m_moves(*this),
      m_walk(*this),
      m_unrolled(*this)
{
    setItemIndexMethod(NoIndex);
    connect(&document, &Document::graphChanged, this, &GraphScene::follow);
    connect(&problems, &Problems::changed, this, &GraphScene::refreshFaces);
    connect(&document, &Document::replaced, this, &GraphScene::startOver);
    connect(&appearance, &Appearance::changed, this, [this] {
        for (const auto& [id, item] : m_nodes)
            item->appearanceChanged();
        m_unrolled.appearanceChanged();
        placeWires(nullptr);
        update();
    });
    synchronise();
}

/// Items that go with the scene still tell that the selection changes.
GraphScene::~GraphScene()
{
    blockSignals(true);
}

void GraphScene::enter(NodeId group)
{
    GroupPath path = this->path();
    path.push_back(group);
    goTo(std::move(path));
}

void GraphScene::leave()
{
    if (!path().empty())
        goTo(GroupPath(path().begin(), path().end() - 1));
}

void GraphScene::goTo(GroupPath path)
{
    while (GraphLevel::graphAt(m_document.graph(), path) == nullptr)
        path.pop_back();
    if (path == m_level.path())
        return;
    Q_EMIT changing();
    const bool comesOut =
        path.size() < m_level.path().size() && std::equal(path.begin(), path.end(), m_level.path().begin());
    const NodeId left = comesOut ? m_level.path()[path.size()] : 0;
    select({}); // its ids name other nodes there
    m_level.setPath(std::move(path));
    synchronise();
    Q_EMIT pathChanged();
    if (node(left) != nullptr)
        select({left});
}

void GraphScene::synchronise()
{
    settle(nullptr);
}

void GraphScene::follow(const GraphDiff& change)
{
    settle(&change);
}

/// `change`: what differs in the document from what is shown; null: not known. Undo may have taken away the group we
/// are in: then we show the nearest graph around it that is still there.
void GraphScene::settle(const GraphDiff* change)
{
    Q_EMIT changing();
    m_moves.forget();
    const std::size_t depth = path().size();
    m_level.settle();
    const Graph& now = *m_level.graph();
    const bool isEdit = change != nullptr && depth == path().size(); // of the level that is shown
    showGraph(now, isEdit ? change->at(path()) : diff(m_shown, now), isEdit);
    if (depth != path().size())
        Q_EMIT pathChanged();
    tellNames();
}

void GraphScene::tellNames()
{
    const QStringList names = m_level.names();
    if (names == m_toldNames)
        return;
    m_toldNames = names;
    Q_EMIT pathNamesChanged();
}

/// Another document: the ids of the last one name other nodes here, or none.
void GraphScene::startOver()
{
    select({});
    m_unrolled.setAll({});
    m_level.setPath({});
    synchronise();
    Q_EMIT pathChanged();
}

void GraphScene::showGraph(const Graph& graph, const GraphDiff& changes, bool isEdit)
{
    const Picked pickedBefore = picked();
    m_shown = graph;
    removeItems(changes);
    for (const NodeId id : changes.added) {
        auto* item = new NodeItem(id, m_appearance);
        m_nodes[id] = item;
        addItem(item);
    }
    for (const auto& [id, item] : m_nodes)
        item->setPos(pointOf(m_shown.find(id)->place));
    for (const Wire& wire : changes.wiresAdded) {
        auto* item = new WireItem(wire, m_appearance);
        m_wires[wire] = item;
        addItem(item);
    }
    for (const FrameId id : changes.framesAdded) {
        auto* item = new FrameItem(id, m_appearance);
        m_frames[id] = item;
        addItem(item);
    }
    for (const auto& [id, item] : m_frames)
        item->setFrame(m_shown.frames.at(id));
    // At the top the others' faces come with the check's answer, once; a group's settings reach all nodes inside.
    m_faces.refreshNodes(isEdit && path().empty() ? touchedBy(changes, m_shown, m_nodes) : m_nodes, m_shown);
    m_faces.refreshWires(m_wires, m_nodes);
    placeWires(nullptr);
    if (picked() != pickedBefore)
        Q_EMIT selectionChanged();
}

/// In silence: a selected item tells of its end, while others that go with it still stand in the selection.
void GraphScene::removeItems(const GraphDiff& changes)
{
    const QSignalBlocker quiet(this);
    for (const Wire& wire : changes.wiresRemoved)
        delete m_wires.extract(wire).mapped();
    for (const NodeId id : changes.removed)
        delete m_nodes.extract(id).mapped();
    for (const FrameId id : changes.framesRemoved)
        delete m_frames.extract(id).mapped();
}

void GraphScene::refreshFaces()
{
    m_faces.refreshNodes(m_nodes, m_shown);
    m_faces.refreshWires(m_wires, m_nodes);
    placeWires(nullptr);
}

void GraphScene::placeWires(const std::set<NodeId>* moved)
{
    for (const auto& [wire, item] : m_wires) {
        if (moved != nullptr && !moved->contains(wire.from.node) && !moved->contains(wire.to.node))
            continue;
        const auto from = m_nodes.find(wire.from.node);
        const auto to = m_nodes.find(wire.to.node);
        if (from != m_nodes.end() && to != m_nodes.end())
            item->setEnds(from->second->placeOf({wire.from, true}), to->second->placeOf({wire.to, false}));
    }
    writeShapes(m_wires);
    writeWords(m_wires, m_nodes, m_wireWords, m_wordsSize);
    m_unrolled.follow(moved != nullptr);
}

void GraphScene::setZoom(double zoom)
{
    const double size = wordsSizeAt(zoom);
    if (std::exchange(m_wordsSize, size) != size && !m_wireWords.empty())
        writeWords(m_wires, m_nodes, m_wireWords, m_wordsSize);
}

void GraphScene::setWireWords(std::map<PortRef, WireWords> words)
{
    if (words == m_wireWords)
        return;
    m_wireWords = std::move(words);
    writeWords(m_wires, m_nodes, m_wireWords, m_wordsSize);
}

NodeItem* GraphScene::node(NodeId id) const
{
    const auto found = m_nodes.find(id);
    return found == m_nodes.end() ? nullptr : found->second;
}

WireItem* GraphScene::wire(const Wire& wire) const
{
    const auto found = m_wires.find(wire);
    return found == m_wires.end() ? nullptr : found->second;
}

FrameItem* GraphScene::frame(FrameId id) const
{
    const auto found = m_frames.find(id);
    return found == m_frames.end() ? nullptr : found->second;
}

QList<NodeItem*> GraphScene::nodeItems() const
{
    QList<NodeItem*> list;
    for (const auto& [id, item] : m_nodes)
        list.append(item);
    return list;
}

QList<WireItem*> GraphScene::wireItems() const
{
    QList<WireItem*> list;
    for (const auto& [wire, item] : m_wires)
        list.append(item);
    return list;
}

QList<FrameItem*> GraphScene::frameItems() const
{
    QList<FrameItem*> list;
    for (const auto& [id, item] : m_frames)
        list.append(item);
    return list;
}

QPointF GraphScene::placeOf(const WireEnd& end) const
{
    const NodeItem* item = node(end.port.node);
    return item == nullptr ? QPointF() : item->placeOf(end);
}

std::set<NodeId> GraphScene::selection() const
{
    std::set<NodeId> ids;
    for (const auto& [id, item] : m_nodes)
        if (item->isSelected())
            ids.insert(id);
    return ids;
}

Picked GraphScene::picked() const
{
    Picked picked{selection(), {}, {}};
    for (const auto& [wire, item] : m_wires)
        if (item->isSelected())
            picked.wires.insert(wire);
    for (const auto& [id, item] : m_frames)
        if (item->isSelected())
            picked.frames.insert(id);
    return picked;
}

void GraphScene::pick(const Picked& what)
{
    if (what == picked())
        return;
    m_walk.picked(what.nodes);
    {
        const QSignalBlocker once(this);
        for (const auto& [id, item] : m_nodes)
            item->setSelected(what.nodes.contains(id));
        for (const auto& [wire, item] : m_wires)
            item->setSelected(what.wires.contains(wire));
        for (const auto& [id, item] : m_frames)
            item->setSelected(what.frames.contains(id));
    }
    Q_EMIT selectionChanged();
    update();
}

QRectF GraphScene::nodesRect(bool selectedOnly) const
{
    QRectF rect;
    for (const auto& [id, item] : m_nodes)
        if (!selectedOnly || item->isSelected())
            rect |= item->mapRectToScene(item->geometry().body());
    return rect;
}

QRectF GraphScene::contentRect() const
{
    QRectF rect = nodesRect(false);
    for (const auto& [id, item] : m_frames)
        rect |= item->mapRectToScene(item->body());
    return rect | m_unrolled.rect();
}

QRectF GraphScene::pickedRect() const
{
    QRectF rect = nodesRect(true);
    for (const auto& [id, item] : m_frames)
        if (item->isSelected())
            rect |= item->mapRectToScene(item->body());
    for (const auto& [wire, item] : m_wires)
        if (item->isSelected())
            rect |= item->boundingRect();
    return rect;
}

bool GraphScene::apply(GraphEdit edit, Document::Edit kind)
{
    return m_document.apply(path().empty() ? std::move(edit) : edits::inside(path(), std::move(edit)), kind);
}

void GraphScene::setWatched(const std::string& place)
{
    if (m_faces.setWatched(place))
        refreshFaces();
}

void GraphScene::setTrained(const Graph* graph)
{
    m_faces.setTrained(graph);
    refreshFaces();
}

void GraphScene::changeFrame(const Frame& frame)
{
    apply(edits::setFrame(frame));
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

NodeExtents GraphScene::nodeExtents() const
{
    NodeExtents extents;
    for (const auto& [id, item] : m_nodes)
        extents[id] = nodeExtent(item->face(), item->geometry());
    return extents;
}

void GraphScene::lightWire(const Wire* wire)
{
    for (const auto& [each, item] : m_wires)
        item->setLit(wire != nullptr && each == *wire);
}

bool GraphScene::applyAndSelect(GraphEdit edit)
{
    GraphDiff change;
    const auto taking =
        connect(&m_document, &Document::graphChanged, this, [&](const GraphDiff& whole) { change = whole.at(path()); });
    const bool applied = apply(std::move(edit));
    disconnect(taking);
    if (!applied)
        return false;
    pick({{change.added.begin(), change.added.end()}, {}, {change.framesAdded.begin(), change.framesAdded.end()}});
    return true;
}

} // namespace unroll
