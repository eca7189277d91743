// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/shown_params.h"

#include "core/graph/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

/// The nodes that the path names; fewer where it leads nowhere.
std::vector<const Node*> nodesOn(const Graph& top, const GroupPath& path)
{
    std::vector<const Node*> nodes;
    const Graph* graph = &top;
    for (const NodeId id : path) {
        const Node* node = graph->find(id);
        if (node == nullptr || !node->group || !node->group->graph)
            break;
        nodes.push_back(node);
        graph = node->group->graph.get();
    }
    return nodes;
}

bool showsName(const Group& group, const std::string& name)
{
    return std::any_of(group.params.begin(), group.params.end(),
                       [&](const PromotedParam& shown) { return shown.name == name; });
}

} // namespace

std::vector<ShownParam> shownParams(const Graph& top, const GroupPath& path, NodeId node, const std::string& param)
{
    const std::vector<const Node*> groups = nodesOn(top, path);
    std::vector<ShownParam> shown;
    std::string name = param;
    for (std::size_t depth = groups.size(); groups.size() == path.size() && depth-- > 0; node = path[depth]) {
        const Node& around = *groups[depth];
        const auto& params = around.group->params;
        const auto entry = std::find_if(params.begin(), params.end(), [&](const PromotedParam& each) {
            return each.node == node && each.param == name;
        });
        if (entry == params.end())
            break;
        const auto value = around.params.find(entry->name);
        shown.push_back({GroupPath(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)), path[depth],
                         *entry, value == around.params.end() ? std::nullopt : std::optional(value->second)});
        name = entry->name;
    }
    return shown;
}

std::optional<ShownParam> setterOf(const Graph& top, const GroupPath& path, NodeId node, const std::string& param)
{
    const std::vector<ShownParam> shown = shownParams(top, path, node, param);
    const auto setter =
        std::find_if(shown.rbegin(), shown.rend(), [](const ShownParam& each) { return each.value.has_value(); });
    return setter == shown.rend() ? std::nullopt : std::optional(*setter);
}

Params paramsInForce(const Graph& top, const GroupPath& path, const Node& node)
{
    Params params = node.params;
    const std::vector<const Node*> groups = nodesOn(top, path);
    if (groups.empty())
        return params;
    for (const PromotedParam& shown : groups.back()->group->params)
        if (shown.node == node.id)
            if (const auto setter = setterOf(top, path, node.id, shown.param))
                params[shown.param] = *setter->value;
    return params;
}

const Group* countedGroup(const Graph& top, const GroupPath& path, const Node& node)
{
    if (node.group && node.group->repeat > 1)
        return node.group.get();
    const std::vector<const Node*> groups = nodesOn(top, path);
    const auto innermost =
        std::find_if(groups.rbegin(), groups.rend(), [](const Node* around) { return around->group->repeat > 1; });
    return innermost == groups.rend() ? nullptr : (*innermost)->group.get();
}

std::string groupNames(const Graph& top, const GroupPath& path)
{
    std::string names;
    for (const Node* node : nodesOn(top, path))
        names += (names.empty() ? "" : ".") + node->name;
    return names;
}

namespace edits {

GraphEdit showParam(GroupPath path, NodeId node, std::string param)
{
    return {"Promote " + param,
            [=](const Graph& top) -> Result<Graph> {
                const std::vector<const Node*> groups = nodesOn(top, path);
                if (path.empty() || groups.size() != path.size())
                    return fail(fmt::format("no enclosing group can expose {}", param));
                const Group& group = *groups.back()->group;
                const Node* inner = group.graph->find(node);
                std::string name = isValidName(param) ? param : validNameFrom(param, "parameter");
                if (inner != nullptr && showsName(group, name))
                    name = freeNameAmong(inner->name + "_" + name,
                                         [&](const std::string& taken) { return showsName(group, taken); });
                const GroupPath above(path.begin(), path.end() - 1);
                return inside(above, promoteParam(path.back(), {name, node, param})).apply(top);
            },
            "",
            {}};
}

GraphEdit takeBackParam(GroupPath path, NodeId node, std::string param)
{
    return {"Remove " + param,
            [=](const Graph& top) -> Result<Graph> {
                const std::vector<ShownParam> shown = shownParams(top, path, node, param);
                if (shown.empty())
                    return fail(fmt::format("no group exposes {}", param));
                const ShownParam& nearest = shown.front();
                std::vector<GraphEdit> parts{inside(nearest.path, demoteParam(nearest.group, nearest.param))};
                if (const auto setter = setterOf(top, path, node, param))
                    parts.push_back(inside(path, setParam(node, param, *setter->value)));
                return sequence("", std::move(parts)).apply(top);
            },
            "",
            {}};
}

} // namespace edits

} // namespace unroll
