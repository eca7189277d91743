// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/same_picture.h"

#include "app/studio/theme/glyph.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/param_text.h"
#include "core/check/ports.h"
#include "core/graph/shown_params.h"
#include "tests/gui/drawn_wire.h"

#include <QFileInfo>
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

/// What the check says of that level; nullptr: it has not seen it.
const CheckedGraph* checkedAt(const Document& document, const GroupPath& path)
{
    const CheckedGraph* level = document.checked().get();
    for (const NodeId id : path) {
        const auto found = level->nodes.find(id);
        if (found == level->nodes.end() || !found->second.inner)
            return nullptr;
        level = found->second.inner.get();
    }
    return level;
}

/// Of those that count: the first whole number, and all that differ from their defaults; a single choice always.
QString parameterLine(const std::vector<ParamSpec>& all, const Params& given)
{
    Params complete = given;
    for (const ParamSpec& spec : all)
        complete.try_emplace(spec.name, spec.defaultValue);
    std::vector<ParamSpec> specs;
    std::copy_if(all.begin(), all.end(), std::back_inserter(specs),
                 [&](const ParamSpec& spec) { return spec.counts(complete); });
    const auto isWhole = [](const ParamSpec& spec) { return spec.type == ParamType::Int; };
    const auto firstWhole = std::find_if(specs.begin(), specs.end(), isWhole);
    QStringList parts;
    for (auto spec = specs.begin(); spec != specs.end(); ++spec) {
        const auto own = given.find(spec->name);
        const ParamValue value = own == given.end() ? spec->defaultValue : own->second;
        const bool isChoice = spec->type == ParamType::Choice;
        if (spec != firstWhole && !(isChoice && all.size() == 1) && value == spec->defaultValue)
            continue;
        const QString name = QString::fromStdString(spec->name).replace('_', ' ');
        if (const bool* flag = std::get_if<bool>(&value))
            parts << (*flag ? name : "no " + name);
        else if (spec->type == ParamType::Path)
            parts << name + ' ' + QFileInfo(paramValueText(value)).fileName();
        else
            parts << (isChoice ? QString() : name + ' ') + paramValueText(value);
    }
    return parts.join(QStringLiteral(" \u00b7 "));
}

/// First those that the block has with these parameters, in its order, then others at which wires end.
bool arePortsOf(const std::vector<PortFace>& faces, const std::vector<PortSpec>& ports, const Level& level, NodeId node,
                bool areOutputs)
{
    if (faces.size() < ports.size())
        return false;
    for (std::size_t i = 0; i < faces.size(); ++i) {
        const PortRef place{node, faces[i].name};
        const auto endsHere = [&](const Wire& wire) { return (areOutputs ? wire.from : wire.to) == place; };
        const auto& wires = level.graph->wires;
        const bool isWired = std::any_of(wires.begin(), wires.end(), endsHere);
        QStringList outer;
        if (level.around != nullptr)
            for (const PromotedPort& port : areOutputs ? level.around->outputs : level.around->inputs)
                if (port.inner == place)
                    outer << QString::fromStdString(port.name);
        const bool isOwn = i < ports.size() && ports[i].name == faces[i].name && ports[i].type == faces[i].type;
        if (isWired != faces[i].wired || outer.join(", ") != faces[i].outer || (i < ports.size() ? !isOwn : !isWired))
            return false;
    }
    return true;
}

/// What the face says of what is wrong with the node or with what is inside it, worst first.
bool tellsProblems(const NodeFace& face, const std::vector<Diagnostic>& all, const GroupPath& place)
{
    QStringList sentences;
    std::optional<Severity> worst;
    for (const Diagnostic& problem : all) {
        GroupPath way = problem.group;
        way.push_back(problem.node);
        way.resize(std::min(way.size(), place.size()));
        if (way != place)
            continue;
        sentences << QString::fromStdString(problem.sentence);
        worst = std::min(worst.value_or(problem.severity), problem.severity);
    }
    return face.problem == sentences.join('\n') && face.severity == worst;
}

/// What of a face is not as the document, its check and the blocks have it: worked out here once more, without the
/// functions that make faces. Empty: nothing.
QString faceFault(Studio& studio, const NodeFace& face, const Level& level, const Node& node)
{
    const GroupPath& path = studio.window.scene().path();
    const BlockRegistry& registry = studio.window.scene().registry();
    const BlockSpec* spec = registry.find(node.block);
    const bool isGroup = node.group != nullptr;
    Node inForce = node;
    if (!path.empty())
        inForce.params = paramsInForce(studio.graph(), path, node);
    const NodePorts ports = portsOf(inForce, registry);
    const CheckedGraph* checked = checkedAt(studio.window.document(), path);
    const auto seen =
        checked != nullptr ? checked->nodes.find(node.id) : std::map<NodeId, CheckedNode>::const_iterator();
    const bool isSeen = checked != nullptr && seen != checked->nodes.end() && seen->second.spec != nullptr &&
                        seen->second.spec->id == node.block;
    const std::int64_t weights = isSeen ? seen->second.cost.parameters : 0;
    const QString title = QString::fromStdString(spec != nullptr ? spec->title : node.block);
    GroupPath place = path;
    place.push_back(node.id);
    if (face.name != QString::fromStdString(node.name) || face.isGroup != isGroup ||
        face.repeat != (isGroup ? node.group->repeat : 1))
        return "has another name, or other copies";
    if (face.title != (title.compare(face.name, Qt::CaseInsensitive) == 0 ? QString() : title) ||
        face.isUnknown != (spec == nullptr && !isGroup) || face.glyph != blockGlyph(spec) ||
        !face.help.contains(QString::fromStdString(spec != nullptr ? spec->summary : node.block)))
        return "is another block: " + face.title;
    if (const QString line = parameterLine(paramsOf(inForce, registry), inForce.params); face.summary != line)
        return "has other parameters: " + face.summary + ", not " + line;
    if (face.weights != (weights > 0 ? countText(weights) + " parameters" : QString()))
        return "has other weights: " + face.weights;
    if (!arePortsOf(face.inputs, ports.inputs, level, node.id, false) ||
        !arePortsOf(face.outputs, ports.outputs, level, node.id, true))
        return "has other ports";
    if (!tellsProblems(face, studio.window.problems().all(), place))
        return "tells other problems: " + face.problem;
    return face.isStale ? "differs from a run, of which there is none" : QString();
}

QString nodeFault(Studio& studio, const Level& level, const Node& node)
{
    const NodeItem* item = studio.window.scene().node(node.id);
    if (item == nullptr)
        return "is not shown";
    if (item->pos() != pointOf(node.place))
        return "stands elsewhere";
    if (const QString fault = faceFault(studio, item->face(), level, node); !fault.isEmpty())
        return fault;
    if (item->geometry().size != nodeGeometry(item->face(), studio.appearance).size)
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
    if (isDrawnLit(*item, studio.appearance))
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
    const CheckedGraph* level = checkedAt(studio.window.document(), scene.path());
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
