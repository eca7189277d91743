// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/same_picture.h"

#include "core/check/ports.h"

#include <algorithm>

namespace unroll::test {

namespace {

/// The graph of a level, and the group it is inside of; no graph where the path leads nowhere.
struct Level {
    const Graph* graph;
    const Group* around = nullptr;
};

Level levelAt(const Graph& top, const GroupPath& path)
{
    Level level{&top};
    for (const NodeId id : path) {
        const Node* node = level.graph->find(id);
        if (node == nullptr || !node->group)
            return {nullptr};
        level = {node->group->graph.get(), node->group.get()};
    }
    return level;
}

/// What the document alone says of a face, without the function that makes faces.
bool tellsTheDocument(const NodeFace& face, const Node& node, const Graph& graph)
{
    const auto areWired = [&](const std::vector<PortFace>& ports, bool areOutputs) {
        return std::all_of(ports.begin(), ports.end(), [&](const PortFace& port) {
            const auto endsHere = [&](const Wire& wire) {
                return (areOutputs ? wire.from : wire.to) == PortRef{node.id, port.name};
            };
            return port.wired == std::any_of(graph.wires.begin(), graph.wires.end(), endsHere);
        });
    };
    return face.name == QString::fromStdString(node.name) && face.isGroup == (node.group != nullptr) &&
           face.repeat == (node.group != nullptr ? node.group->repeat : 1) && areWired(face.inputs, false) &&
           areWired(face.outputs, true);
}

QString nodeFault(Studio& studio, const Level& level, const Node& node)
{
    GraphScene& scene = studio.window.scene();
    const NodeItem* item = scene.node(node.id);
    if (item == nullptr)
        return "is not shown";
    if (item->pos() != pointOf(node.place))
        return "stands elsewhere";
    NodeFace expected = nodeFace(node, *level.graph, level.around, scene.registry(), scene.level().checkedNode(node),
                                 studio.window.problems().at(scene.path(), node.id));
    expected.isWatched = item->face().isWatched; // says what is looked at, not what the document holds
    if (!tellsTheDocument(item->face(), node, *level.graph))
        return "tells something that the document does not say";
    if (item->face() != expected)
        return "tells something else";
    if (item->geometry().size != nodeGeometry(expected, studio.appearance).size)
        return "has another size";
    if (item->lights())
        return "is still lit";
    return {};
}

QString wireFault(Studio& studio, const Wire& wire)
{
    GraphScene& scene = studio.window.scene();
    const WireItem* item = scene.wire(wire);
    if (item == nullptr || !item->isVisible())
        return "is not shown";
    if (item->isLit())
        return "is still lit";
    for (const WireEnd& end : {WireEnd{wire.from, true}, WireEnd{wire.to, false}}) {
        const QPointF port = scene.placeOf(end);
        if (!item->runsThrough(QRectF(port.x() - 1, port.y() - 1, 2, 2)))
            return QString("does not reach %1 at %2, %3; it takes %4, %5 to %6, %7")
                .arg(QString::fromStdString(end.port.port))
                .arg(port.x())
                .arg(port.y())
                .arg(item->boundingRect().left())
                .arg(item->boundingRect().top())
                .arg(item->boundingRect().right())
                .arg(item->boundingRect().bottom());
    }
    const CheckedGraph* level = scene.level().checked();
    const Shape* shape = level != nullptr ? level->shapeAt(wire.from) : nullptr;
    if (item->shapeText() != (shape != nullptr ? QString::fromStdString(shape->text()) : QString()))
        return "has another shape written on it: " + item->shapeText();
    if (shape != nullptr && item->carries() != shape->type)
        return "is of another type";
    return {};
}

QString countFault(GraphScene& scene, const Graph& graph)
{
    std::size_t nodes = 0, wires = 0;
    for (const QGraphicsItem* item : scene.items()) {
        nodes += item->type() == NodeItem::Type ? 1 : 0;
        wires += item->type() == WireItem::Type ? 1 : 0;
    }
    if (nodes != graph.nodes.size() || wires != graph.wires.size())
        return QString("%1 nodes and %2 wires are shown, of %3 and %4")
            .arg(nodes)
            .arg(wires)
            .arg(graph.nodes.size())
            .arg(graph.wires.size());
    return {};
}

QString selectionFault(Studio& studio, const Graph& graph)
{
    MainWindow& window = studio.window;
    const auto selected = window.scene().selection();
    for (const NodeId id : selected)
        if (graph.find(id) == nullptr)
            return "a node is selected that is not there";
    if (static_cast<std::size_t>(window.scene().selectedItems().size()) != selected.size())
        return "something else is selected";
    if ((window.panel<InspectorPanel>().page() != nullptr) != (selected.size() == 1))
        return "the inspector shows something else";
    if (window.actions().remove->isEnabled() == selected.empty())
        return "Delete is offered wrongly";
    return {};
}

QString commandFault(Studio& studio)
{
    const WindowActions& actions = studio.window.actions();
    const History& history = studio.window.document().history();
    if (actions.undo->isEnabled() != history.canUndo() || actions.redo->isEnabled() != history.canRedo())
        return "Undo or Redo is offered wrongly";
    if (actions.leaveGroup->isEnabled() == studio.window.scene().path().empty())
        return "Leave Group is offered wrongly";
    return {};
}

} // namespace

QString differenceFromDocument(Studio& studio)
{
    GraphScene& scene = studio.window.scene();
    const Level level = levelAt(studio.graph(), scene.path());
    if (level.graph == nullptr)
        return "the level shown is gone";
    if (!(scene.shown() == *level.graph))
        return "another graph is shown";
    if (static_cast<std::size_t>(scene.level().names().size()) != scene.path().size())
        return "the way to the level has lost a name";
    if (const QString fault = countFault(scene, *level.graph); !fault.isEmpty())
        return fault;
    for (const auto& [id, node] : level.graph->nodes)
        if (const QString fault = nodeFault(studio, level, *node); !fault.isEmpty())
            return QString::fromStdString(node->name) + ' ' + fault;
    for (const Wire& wire : level.graph->wires)
        if (const QString fault = wireFault(studio, wire); !fault.isEmpty())
            return QString("the wire %1.%2 to %3.%4 ")
                       .arg(wire.from.node)
                       .arg(QString::fromStdString(wire.from.port))
                       .arg(wire.to.node)
                       .arg(QString::fromStdString(wire.to.port)) +
                   fault;
    if (const QString fault = selectionFault(studio, *level.graph); !fault.isEmpty())
        return fault;
    return commandFault(studio);
}

} // namespace unroll::test
