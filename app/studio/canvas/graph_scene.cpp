// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/graph_scene.h"

#include "app/studio/theme/appearance.h"
#include "core/graph/shown_params.h"
#include "core/graph/train_alike.h"

#include <algorithm>

namespace unroll {

GraphScene::GraphScene(Document& document, const Problems& problems, const Appearance& appearance, QObject* parent)
    : QGraphicsScene(parent), m_document(document), m_problems(problems), m_appearance(appearance)
{
    setItemIndexMethod(NoIndex);
    connect(&document, &Document::graphChanged, this, &GraphScene::synchronise);
    connect(&problems, &Problems::changed, this, &GraphScene::refreshFaces);
    connect(&document, &Document::replaced, this, &GraphScene::startOver);
    connect(&appearance, &Appearance::changed, this, [this] {
        for (const auto& [id, item] : m_nodes)
            item->appearanceChanged();
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

const Graph* GraphScene::graphAt(const Graph& top, const GroupPath& path) const
{
    const Graph* graph = &top;
    for (const NodeId id : path) {
        const Node* node = graph->find(id);
        if (node == nullptr || !node->group)
            return nullptr;
        graph = node->group->graph.get();
    }
    return graph;
}

const Group* GraphScene::groupAround() const
{
    if (m_path.empty())
        return nullptr;
    const Graph* above = graphAt(m_document.graph(), GroupPath(m_path.begin(), m_path.end() - 1));
    const Node* node = above != nullptr ? above->find(m_path.back()) : nullptr;
    return node != nullptr ? node->group.get() : nullptr;
}

const CheckedGraph* GraphScene::checkedLevel() const
{
    const CheckedGraph* level = m_document.checked().get();
    for (const NodeId id : m_path) {
        const auto found = level->nodes.find(id);
        if (found == level->nodes.end() || !found->second.inner)
            return nullptr;
        level = found->second.inner.get();
    }
    return level;
}

const CheckedNode* GraphScene::checkedNode(const Node& node) const
{
    const CheckedGraph* level = checkedLevel();
    if (level == nullptr || !level->nodes.contains(node.id))
        return nullptr;
    const CheckedNode& seen = level->nodes.at(node.id);
    return seen.spec != nullptr && seen.spec->id == node.block ? &seen : nullptr;
}

std::string GraphScene::pathPrefix() const
{
    std::string prefix;
    for (const QString& name : pathNames())
        prefix += name.toStdString() + ".";
    return prefix;
}

QStringList GraphScene::pathNames() const
{
    QStringList names;
    const Graph* graph = &m_document.graph();
    for (const NodeId id : m_path) {
        const Node* node = graph->find(id);
        if (node == nullptr || !node->group) // the document has changed and we have not heard of it yet
            break;
        names += QString::fromStdString(node->name);
        graph = node->group->graph.get();
    }
    return names;
}

void GraphScene::enter(NodeId group)
{
    GroupPath path = m_path;
    path.push_back(group);
    goTo(std::move(path));
}

void GraphScene::leave()
{
    if (!m_path.empty())
        goTo(GroupPath(m_path.begin(), m_path.end() - 1));
}

void GraphScene::goTo(GroupPath path)
{
    while (graphAt(m_document.graph(), path) == nullptr)
        path.pop_back();
    if (path == m_path)
        return;
    Q_EMIT changing();
    const bool comesOut = path.size() < m_path.size() && std::equal(path.begin(), path.end(), m_path.begin());
    const NodeId left = comesOut ? m_path[path.size()] : 0;
    select({}); // its ids name other nodes there
    m_path = std::move(path);
    synchronise();
    Q_EMIT pathChanged();
    if (node(left) != nullptr)
        select({left});
}

/// Undo may have taken away the group we are in: then we show the nearest graph around it that is still there.
void GraphScene::synchronise()
{
    Q_EMIT changing();
    m_preview.clear();
    m_framePreview.clear();
    const std::size_t depth = m_path.size();
    while (graphAt(m_document.graph(), m_path) == nullptr)
        m_path.pop_back();
    showGraph(*graphAt(m_document.graph(), m_path));
    if (depth != m_path.size())
        Q_EMIT pathChanged();
    tellNames();
}

void GraphScene::tellNames()
{
    const QStringList names = pathNames();
    if (names == m_toldNames)
        return;
    m_toldNames = names;
    Q_EMIT pathNamesChanged();
}

/// Another document: the ids of the last one name other nodes here, or none.
void GraphScene::startOver()
{
    select({});
    m_path.clear();
    synchronise();
    Q_EMIT pathChanged();
}

void GraphScene::showGraph(const Graph& graph)
{
    const GraphDiff changes = diff(m_shown, graph);
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
    refreshFaces();
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
    const std::string prefix = pathPrefix();
    const Graph* trained = m_trained ? graphAt(*m_trained, m_path) : nullptr;
    const Group* around = groupAround();
    for (const auto& [id, item] : m_nodes) {
        const Node& node = *m_shown.find(id);
        std::optional<Node> set; // with what groups around set
        if (!m_path.empty()) {
            set = node;
            set->params = paramsInForce(m_document.graph(), m_path, node);
        }
        NodeFace face = nodeFace(set ? *set : node, m_shown, around, m_document.registry(), checkedNode(node),
                                 m_problems.at(m_path, id));
        face.isWatched = !m_watched.empty() && prefix + node.name == m_watched;
        const Node* then = trained != nullptr ? trained->find(id) : nullptr;
        face.isStale = m_trained && (then == nullptr || !trainsAlike(node, *then));
        item->setFace(std::move(face));
    }
    refreshWires();
}

void GraphScene::refreshWires()
{
    const CheckedGraph* level = checkedLevel();
    std::set<std::pair<NodeId, std::string>> wrongEnds;
    for (const Diagnostic& diagnostic : m_problems.all())
        if (diagnostic.group == m_path && diagnostic.severity == Severity::Error)
            wrongEnds.insert({diagnostic.node, diagnostic.where});
    for (const auto& [wire, item] : m_wires) {
        const PortFace* from =
            m_nodes.contains(wire.from.node) ? m_nodes.at(wire.from.node)->port(wire.from.port, true) : nullptr;
        const Shape* shape = level != nullptr ? level->shapeAt(wire.from) : nullptr;
        const PortType type = shape != nullptr ? shape->type : from != nullptr ? from->type : PortType::Sequence;
        const QString words = shape != nullptr ? QString::fromStdString(shape->text()) : QString();
        item->setLook(type, words, wrongEnds.contains({wire.to.node, wire.to.port}));
    }
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
    writeShapes();
}

/// Wires of one output carry the same: where their shapes would be written over each other, one says it.
void GraphScene::writeShapes()
{
    const PortRef* output = nullptr;
    std::vector<WireItem*> writing; // of its wires
    for (const auto& [wire, item] : m_wires) {
        if (output == nullptr || *output != wire.from)
            writing.clear();
        output = &wire.from;
        const auto met =
            std::find_if(writing.begin(), writing.end(), [label = item->labelRect()](const WireItem* each) {
                return each->labelRect().intersects(label);
            });
        item->setWritten(met == writing.end());
        item->speakFor(nullptr);
        if (item->isWritten())
            writing.push_back(item);
        else
            (*met)->speakFor(item);
    }
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
    if (!what.nodes.empty())
        m_wiresOf = what.nodes;
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
    return rect;
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
    return m_document.apply(m_path.empty() ? std::move(edit) : edits::inside(m_path, std::move(edit)), kind);
}

void GraphScene::setWatched(const std::string& place)
{
    if (place == m_watched)
        return;
    m_watched = place;
    refreshFaces();
}

void GraphScene::setTrained(const Graph* graph)
{
    m_trained = graph != nullptr ? std::optional(*graph) : std::nullopt;
    refreshFaces();
}

} // namespace unroll
