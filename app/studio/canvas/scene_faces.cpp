// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/scene_faces.h"

#include "core/graph/shown_params.h"
#include "core/graph/train_alike.h"

#include <algorithm>
#include <set>

namespace unroll {

SceneFaces::SceneFaces(const Document& document, const Problems& problems, const GraphLevel& level)
    : m_document(document), m_problems(problems), m_level(level)
{}

bool SceneFaces::setWatched(const std::string& place)
{
    if (place == m_watched)
        return false;
    m_watched = place;
    return true;
}

void SceneFaces::setTrained(const Graph* graph)
{
    m_trained = graph != nullptr ? std::optional(*graph) : std::nullopt;
}

void SceneFaces::refreshNodes(const std::map<NodeId, NodeItem*>& nodes, const Graph& shown) const
{
    const GroupPath& path = m_level.path();
    const std::string prefix = m_level.prefix();
    const Graph* trained = m_trained ? GraphLevel::graphAt(*m_trained, path) : nullptr;
    const Group* around = m_level.around();
    for (const auto& [id, item] : nodes) {
        const Node& node = *shown.find(id);
        std::optional<Node> set; // with what groups around set
        if (!path.empty()) {
            set = node;
            set->params = paramsInForce(m_document.graph(), path, node);
        }
        NodeFace face = nodeFace(set ? *set : node, shown, around, m_document.registry(), m_level.checkedNode(node),
                                 m_problems.at(path, id));
        face.isWatched = !m_watched.empty() && prefix + node.name == m_watched;
        const Node* then = trained != nullptr ? trained->find(id) : nullptr;
        face.isStale = m_trained && (then == nullptr || !trainsAlike(node, *then));
        item->setFace(std::move(face));
    }
}

void SceneFaces::refreshWires(const std::map<Wire, WireItem*>& wires, const std::map<NodeId, NodeItem*>& nodes) const
{
    const CheckedGraph* level = m_level.checked();
    std::set<std::pair<NodeId, std::string>> wrongEnds;
    for (const Diagnostic& diagnostic : m_problems.all())
        if (diagnostic.group == m_level.path() && diagnostic.severity == Severity::Error)
            wrongEnds.insert({diagnostic.node, diagnostic.where});
    for (const auto& [wire, item] : wires) {
        const PortFace* from =
            nodes.contains(wire.from.node) ? nodes.at(wire.from.node)->port(wire.from.port, true) : nullptr;
        const Shape* shape = level != nullptr ? level->shapeAt(wire.from) : nullptr;
        const PortType type = shape != nullptr ? shape->type : from != nullptr ? from->type : PortType::Sequence;
        const QString words = shape != nullptr ? QString::fromStdString(shape->text()) : QString();
        item->setLook(type, words, wrongEnds.contains({wire.to.node, wire.to.port}));
    }
}

std::map<NodeId, NodeItem*> touchedBy(const GraphDiff& changes, const Graph& shown,
                                      const std::map<NodeId, NodeItem*>& nodes)
{
    std::set<NodeId> ids(changes.added.begin(), changes.added.end());
    ids.insert(changes.changed.begin(), changes.changed.end());
    for (const auto* wires : {&changes.wiresAdded, &changes.wiresRemoved})
        for (const Wire& wire : *wires)
            ids.insert({wire.from.node, wire.to.node});
    std::map<NodeId, NodeItem*> touched;
    const auto add = [&](NodeId id) {
        if (const auto found = nodes.find(id); found != nodes.end())
            touched.insert(*found);
    };
    for (const NodeId id : ids)
        add(id);
    for (const Wire& wire : shown.wires)
        if (ids.contains(wire.from.node) != ids.contains(wire.to.node)) {
            add(wire.from.node);
            add(wire.to.node);
        }
    return touched;
}

void writeShapes(const std::map<Wire, WireItem*>& wires)
{
    const PortRef* output = nullptr;
    std::vector<WireItem*> writing; // of its wires
    for (const auto& [wire, item] : wires) {
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

} // namespace unroll
