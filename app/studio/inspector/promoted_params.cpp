// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/promoted_params.h"

#include "app/studio/inspector/node_page.h"
#include "app/studio/theme/param_text.h"
#include "core/check/ports.h"

namespace unroll {

ParamElsewhere setByGroup(const Graph& top, const ShownParam& setter, const std::string& param)
{
    GroupPath path = setter.path;
    path.push_back(setter.group);
    const QString group = QString::fromStdString(groupNames(top, path)), value = paramValueText(*setter.value);
    const QString words =
        setter.param.name == param
            ? NodePage::tr("Set by group %1: %2").arg(group, value)
            : NodePage::tr("Set by group %1, as %2: %3").arg(group, nameText(setter.param.name), value);
    return {*setter.value, words, NodePage::tr("Go to %1").arg(group)};
}

std::set<std::string> mixedParams(const Node& node, const BlockRegistry& registry)
{
    std::set<std::string> mixed;
    if (!node.group)
        return mixed;
    std::map<std::string, ParamValue> first;
    for (const PromotedParam& shown : node.group->params) {
        const Node* inside = node.group->graph->find(shown.node);
        if (inside == nullptr || node.params.contains(shown.name))
            continue;
        for (const ParamSpec& spec : paramsOf(*inside, registry)) {
            const auto own = inside->params.find(spec.name);
            const ParamValue& value = own == inside->params.end() ? spec.defaultValue : own->second;
            const auto differs = [&] {
                return std::holds_alternative<ByCopy>(value) ||
                       !(first.emplace(shown.name, value).first->second == value);
            };
            if (spec.name == shown.param && differs())
                mixed.insert(shown.name);
        }
    }
    return mixed;
}

GraphEdit takeBackPromoted(const Graph& top, const GroupPath& path, NodeId group, edits::Promoted kind,
                           const std::string& name)
{
    const Graph* graph = &top;
    for (const NodeId id : path)
        graph = graph->find(id)->group->graph.get();
    const Group& shows = *graph->find(group)->group;
    GroupPath inner = path;
    inner.push_back(group);
    std::vector<GraphEdit> parts;
    const auto addPorts = [&](const std::vector<PromotedPort>& ports, const auto& demote) {
        for (const PromotedPort& port : ports)
            if (port.name == name)
                parts.push_back(edits::inside(path, demote(group, port)));
    };
    if (kind == edits::Promoted::Input)
        addPorts(shows.inputs, edits::demoteInput);
    if (kind == edits::Promoted::Output)
        addPorts(shows.outputs, edits::demoteOutput);
    if (kind == edits::Promoted::Param)
        for (const PromotedParam& param : shows.params)
            if (param.name == name)
                parts.push_back(shows.graph->find(param.node) != nullptr
                                    ? edits::takeBackParam(inner, param.node, param.param)
                                    : edits::inside(path, edits::demoteParam(group, param)));
    return edits::sequence("Remove " + name, std::move(parts));
}

} // namespace unroll
