// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"
#include "core/graph/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace unroll {

namespace {

bool hasParam(const Group& group, const std::string& name)
{
    return std::any_of(group.params.begin(), group.params.end(),
                       [&](const PromotedParam& param) { return param.name == name; });
}

/// As far as can be told without the blocks: a node stands for all its ports, a group for those it promotes.
bool hasPort(const Graph& graph, const PortRef& port, bool output)
{
    const Node* node = graph.find(port.node);
    return node != nullptr &&
           (!node->group || findPort(output ? node->group->outputs : node->group->inputs, port.port) != nullptr);
}

bool hasParam(const Graph& graph, const PromotedParam& param)
{
    const Node* node = graph.find(param.node);
    return node != nullptr && (!node->group || hasParam(*node->group, param.param));
}

/// Promoted ports and parameters go with what they stood for, and an input that has been wired inside is no longer the
/// group's. What stood for nothing before is left to the check.
void dropLost(Group& group, const Graph& before, const Graph& after)
{
    const auto lostNode = [&](NodeId id) { return before.find(id) != nullptr && after.find(id) == nullptr; };
    const auto lostPort = [&](const PortRef& port, bool output) {
        return lostNode(port.node) || (hasPort(before, port, output) && !hasPort(after, port, output));
    };
    std::erase_if(group.inputs, [&](const PromotedPort& port) {
        return lostPort(port.inner, false) ||
               (before.wireInto(port.inner) == nullptr && after.wireInto(port.inner) != nullptr);
    });
    std::erase_if(group.outputs, [&](const PromotedPort& port) { return lostPort(port.inner, true); });
    std::erase_if(group.params, [&](const PromotedParam& param) {
        return lostNode(param.node) || (hasParam(before, param) && !hasParam(after, param));
    });
}

/// Wires and values of the group node that lost their port or parameter.
void followGroup(Graph& graph, Node& node, const Group& before, const Group& after)
{
    const auto lost = [](const std::vector<PromotedPort>& was, const std::vector<PromotedPort>& is,
                         const std::string& name) {
        return findPort(was, name) != nullptr && findPort(is, name) == nullptr;
    };
    std::erase_if(graph.wires, [&](const Wire& wire) {
        return (wire.to.node == node.id && lost(before.inputs, after.inputs, wire.to.port)) ||
               (wire.from.node == node.id && lost(before.outputs, after.outputs, wire.from.port));
    });
    for (const PromotedParam& param : before.params)
        if (!hasParam(after, param.name)) {
            node.params.erase(param.name);
            forgetWritten(node, param.name);
        }
}

/// Where the new inputs of a group get from what others get: outside by a wire from the same source, or from the group
/// around, by a new input there.
Result<void> feedAlike(Graph& graph, NodeId id, const std::map<std::string, std::string>& fedAs, Enclosing* enclosing)
{
    for (const auto& [fresh, known] : fedAs) {
        if (const Wire* wire = graph.wireInto({id, known}))
            graph.addWire({wire->from, {id, fresh}});
        if (enclosing != nullptr)
            if (auto fed = addTwin(*enclosing, {id, known}, {id, fresh}); !fed)
                return fed;
    }
    return {};
}

Result<Graph> applyTo(const GraphEdit& edit, const Graph& graph, Enclosing* enclosing)
{
    return edit.applyInGroup && enclosing != nullptr ? edit.applyInGroup(graph, *enclosing) : edit.apply(graph);
}

/// What counts for the parameters that a group node shows.
Params setFor(const Node& node, const Enclosing* enclosing)
{
    Params set;
    for (const PromotedParam& shown : node.group->params)
        if (const auto own = node.params.find(shown.name); own != node.params.end())
            set[shown.name] = own->second;
    if (enclosing != nullptr)
        for (const PromotedParam& outer : enclosing->params)
            if (const auto value = enclosing->set.find(outer.name);
                outer.node == node.id && value != enclosing->set.end())
                set[outer.param] = value->second;
    return set;
}

Result<Graph> applyAt(const Graph& before, std::span<const NodeId> path, const GraphEdit& edit, Enclosing* enclosing)
{
    if (path.empty())
        return applyTo(edit, before, enclosing);
    const auto old = groupOf(before, path.front());
    if (!old)
        return tl::unexpected(old.error());
    Enclosing group{**old, {}, setFor(*before.find(path.front()), enclosing)};
    auto inner = applyAt(*group.graph, path.subspan(1), edit, &group);
    if (!inner)
        return inner;
    dropLost(group, *(*old)->graph, *inner);
    group.graph = std::make_shared<const Graph>(std::move(*inner));
    Graph graph = before;
    Node node = *before.find(path.front());
    followGroup(graph, node, **old, group);
    if (auto fed = feedAlike(graph, node.id, group.fedAs, enclosing); !fed)
        return tl::unexpected(fed.error());
    node.group = std::make_shared<const Group>(std::move(static_cast<Group&>(group)));
    replaceNode(graph, std::move(node));
    return graph;
}

Result<Graph> applyAll(const std::vector<GraphEdit>& parts, const Graph& graph, Enclosing* enclosing)
{
    Result<Graph> result = graph;
    for (std::size_t i = 0; result && i < parts.size(); ++i)
        result = applyTo(parts[i], *result, enclosing);
    return result;
}

} // namespace

GraphEdit edits::sequence(std::string name, std::vector<GraphEdit> parts)
{
    auto shared = std::make_shared<const std::vector<GraphEdit>>(std::move(parts));
    return {std::move(name), [shared](const Graph& graph) { return applyAll(*shared, graph, nullptr); }, "",
            [shared](const Graph& graph, Enclosing& enclosing) { return applyAll(*shared, graph, &enclosing); }};
}

GraphEdit edits::inside(GroupPath path, GraphEdit edit)
{
    if (path.empty())
        return edit;
    std::string key;
    if (!edit.mergeKey.empty())
        key = fmt::format("in/{}/{}", fmt::join(path, "/"), edit.mergeKey);
    const std::string name = edit.name;
    return {name,
            [path = std::move(path), edit = std::move(edit)](const Graph& graph) -> Result<Graph> {
                auto result = applyAt(graph, path, edit, nullptr);
                return result ? withinDepth(std::move(*result)) : std::move(result);
            },
            std::move(key),
            {}};
}

} // namespace unroll
