// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/node_face.h"

#include "app/studio/theme/glyph.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/param_text.h"
#include "app/studio/theme/translated.h"
#include "core/check/ports.h"

#include <QFileInfo>
#include <algorithm>
#include <set>

namespace unroll {

namespace {

/// A path by its file name.
QString valueText(const ParamSpec& spec, const ParamValue& value)
{
    const QString words = paramValueText(value);
    return spec.type == ParamType::Path ? QFileInfo(words).fileName() : words;
}

/// The first number, and whatever differs from its default: what tells this node from others of its kind. What does not
/// count beside the other parameters is left out.
QString summaryOf(const Node& node, const std::vector<ParamSpec>& specs)
{
    QStringList parts;
    bool hasNumber = false;
    Params all = node.params;
    for (const ParamSpec& spec : specs)
        all.try_emplace(spec.name, spec.defaultValue);
    for (const ParamSpec& spec : specs) {
        if (!spec.counts(all))
            continue;
        const ParamValue& value = all.at(spec.name);
        const bool isFirstNumber = spec.type == ParamType::Int && !hasNumber;
        hasNumber = hasNumber || spec.type == ParamType::Int;
        const bool isChoiceFirst = parts.isEmpty() && !hasNumber && spec.type == ParamType::Choice && specs.size() == 1;
        if (!isFirstNumber && !isChoiceFirst && value == spec.defaultValue)
            continue;
        const QString name = nameText(spec.name);
        const auto* flag = std::get_if<bool>(&value);
        if (flag != nullptr)
            parts << (*flag ? name : tr("no %1").arg(name));
        else if (spec.type == ParamType::Choice)
            parts << valueText(spec, value);
        else
            parts << name + ' ' + valueText(spec, value);
    }
    return parts.join(QStringLiteral(" · "));
}

std::vector<PortFace> portFaces(const std::vector<PortSpec>& ports, const std::set<std::string>& wired)
{
    std::vector<PortFace> faces;
    for (const PortSpec& port : ports)
        faces.push_back({port.name, port.type, wired.contains(port.name), QString::fromStdString(port.help)});
    return faces;
}

/// An input has one name outside; an output may have several.
void nameOutside(std::vector<PortFace>& faces, NodeId node, const std::vector<PromotedPort>& promoted)
{
    for (PortFace& face : faces) {
        QStringList names;
        for (const PromotedPort& port : promoted)
            if (port.inner == PortRef{node, face.name})
                names << QString::fromStdString(port.name);
        face.outer = names.join(QStringLiteral(", "));
    }
}

/// Ports that the node's block would have with other parameters, or that nobody knows, show while wires end at them.
void addWired(std::vector<PortSpec>& ports, const std::set<std::string>& wired, const std::vector<PortSpec>* known)
{
    for (const std::string& name : wired) {
        const auto isIt = [&](const PortSpec& port) { return port.name == name; };
        if (std::any_of(ports.begin(), ports.end(), isIt))
            continue;
        if (known == nullptr)
            ports.push_back({name, PortType::Sequence, {}}); // its wires are all that is known of its ports
        else if (const auto spec = std::find_if(known->begin(), known->end(), isIt); spec != known->end())
            ports.push_back(*spec);
    }
}

void addPorts(NodeFace& face, const Node& node, const Graph& graph, const Group* around, const BlockRegistry& registry)
{
    std::set<std::string> into, outOf;
    for (const Wire& wire : graph.wires) {
        if (wire.to.node == node.id)
            into.insert(wire.to.port);
        if (wire.from.node == node.id)
            outOf.insert(wire.from.port);
    }
    NodePorts ports = portsOf(node, registry);
    if (!face.isGroup) {
        const BlockSpec* spec = registry.find(node.block);
        addWired(ports.inputs, into, spec == nullptr ? nullptr : &spec->inputs);
        addWired(ports.outputs, outOf, spec == nullptr ? nullptr : &spec->outputs);
    }
    face.inputs = portFaces(ports.inputs, into);
    face.outputs = portFaces(ports.outputs, outOf);
    if (around != nullptr) {
        nameOutside(face.inputs, node.id, around->inputs);
        nameOutside(face.outputs, node.id, around->outputs);
    }
}

void addProblems(NodeFace& face, const std::vector<const Diagnostic*>& diagnostics)
{
    QStringList sentences;
    for (const Diagnostic* diagnostic : diagnostics) {
        sentences << QString::fromStdString(diagnostic->sentence);
        if (!face.severity || diagnostic->severity < *face.severity)
            face.severity = diagnostic->severity;
    }
    face.problem = sentences.join('\n');
}

} // namespace

QString portTip(const PortFace& port, bool isOutput)
{
    const QString name = QString::fromStdString(port.name);
    QStringList lines{port.help.isEmpty() ? name : tr("%1: %2").arg(name, port.help)};
    if (!port.outer.isEmpty())
        lines << (isOutput ? tr("Group output “%1”.") : tr("Group input “%1”.")).arg(port.outer);
    return lines.join('\n');
}

NodeFace nodeFace(const Node& node, const Graph& graph, const Group* around, const BlockRegistry& registry,
                  const CheckedNode* checked, const std::vector<const Diagnostic*>& diagnostics)
{
    NodeFace face;
    face.name = QString::fromStdString(node.name);
    face.isGroup = node.group != nullptr;
    const BlockSpec* spec = registry.find(node.block);
    face.isUnknown = spec == nullptr && !face.isGroup;
    face.category = face.isGroup ? Category::Group : spec != nullptr ? spec->category : Category::Layer;
    face.glyph = blockGlyph(spec);
    const QString title = spec != nullptr ? QString::fromStdString(spec->title) : QString::fromStdString(node.block);
    face.title = title.compare(face.name, Qt::CaseInsensitive) == 0 ? QString() : title;
    face.help = spec != nullptr ? QString::fromStdString(spec->summary)
                                : tr("Unknown block “%1” in this version of Unroll.").arg(title);
    face.repeat = face.isGroup ? node.group->repeat : 1;
    face.summary = summaryOf(node, paramsOf(node, registry));
    addPorts(face, node, graph, around, registry);
    addProblems(face, diagnostics);
    if (checked != nullptr && checked->cost.parameters > 0)
        face.weights = tr("%1 parameters").arg(countText(checked->cost.parameters));
    return face;
}

} // namespace unroll
