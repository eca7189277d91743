// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll::edits {

namespace {

using Change = std::function<Result<void>(Graph&, Node&, Group&)>;

/// An edit of a group node: `change` alters copies of the graph (for its wires), the node and the group.
GraphEdit groupEdit(std::string name, NodeId id, Change change)
{
    return {std::move(name),
            [id, change = std::move(change)](const Graph& before) -> Result<Graph> {
                const auto old = groupOf(before, id);
                if (!old)
                    return tl::unexpected(old.error());
                Graph graph = before;
                Node node = *before.find(id);
                Group group = **old;
                if (auto changed = change(graph, node, group); !changed)
                    return tl::unexpected(changed.error());
                node.group = std::make_shared<const Group>(std::move(group));
                replaceNode(graph, std::move(node));
                return graph;
            },
            "",
            {}};
}

Result<void> addPort(const Group& group, std::vector<PromotedPort>& ports, const PromotedPort& port, bool output)
{
    if (!isValidName(port.name))
        return fail(fmt::format("\"{}\" cannot name a port", port.name));
    if (findPort(ports, port.name) != nullptr)
        return fail(fmt::format("the group has a port {} already", port.name));
    if (group.graph->find(port.inner.node) == nullptr)
        return tl::unexpected(noSuchNode(port.inner.node));
    const auto same = [&](const PromotedPort& other) { return other.inner == port.inner; };
    if (!output && (group.graph->wireInto(port.inner) != nullptr || std::any_of(ports.begin(), ports.end(), same)))
        return fail("the input has a source already");
    ports.push_back(port);
    return {};
}

/// Takes the last entry of the value out; the first of two twins keeps its place.
template <class T>
bool takeLast(std::vector<T>& list, const T& value)
{
    auto found = std::find(list.rbegin(), list.rend(), value);
    if (found == list.rend())
        return false;
    list.erase(std::next(found).base());
    return true;
}

Result<void> dropPort(Graph& graph, NodeId id, std::vector<PromotedPort>& ports, const PromotedPort& port,
                      PortRef Wire::*end)
{
    if (!takeLast(ports, port))
        return fail(fmt::format("the group has no such port {}", port.name));
    if (findPort(ports, port.name) == nullptr)
        std::erase_if(graph.wires, [&](const Wire& wire) { return wire.*end == PortRef{id, port.name}; });
    return {};
}

} // namespace

GraphEdit setRepeat(NodeId id, std::int64_t repeat, bool sharedWeights)
{
    GraphEdit edit = groupEdit("Set repeat", id, [repeat, sharedWeights](Graph&, Node&, Group& group) -> Result<void> {
        if (repeat < 1)
            return fail(fmt::format("repeat must be at least 1; it is {}", repeat));
        group.repeat = repeat;
        group.sharedWeights = sharedWeights;
        return {};
    });
    edit.mergeKey = fmt::format("repeat/{}", id);
    return edit;
}

GraphEdit promoteParam(NodeId group, PromotedParam param)
{
    return groupEdit("Promote " + param.name, group, [param](Graph&, Node&, Group& changed) -> Result<void> {
        if (!isValidName(param.name))
            return fail(fmt::format("\"{}\" cannot name a parameter", param.name));
        if (changed.graph->find(param.node) == nullptr)
            return tl::unexpected(noSuchNode(param.node));
        for (const PromotedParam& other : changed.params)
            if (other.node == param.node && other.param == param.param)
                return fail(fmt::format("{} is promoted already, as {}", param.param, other.name));
        changed.params.push_back(param);
        return {};
    });
}

GraphEdit demoteParam(NodeId group, PromotedParam param)
{
    return groupEdit("Take back " + param.name, group, [param](Graph&, Node& node, Group& changed) -> Result<void> {
        if (!takeLast(changed.params, param))
            return fail(fmt::format("the group has no such parameter {}", param.name));
        const auto same = [&](const PromotedParam& other) { return other.name == param.name; };
        if (std::none_of(changed.params.begin(), changed.params.end(), same)) {
            node.params.erase(param.name);
            forgetWritten(node, param.name);
        }
        return {};
    });
}

GraphEdit promoteInput(NodeId group, PromotedPort port)
{
    return groupEdit("Add input " + port.name, group,
                     [port](Graph&, Node&, Group& changed) { return addPort(changed, changed.inputs, port, false); });
}

GraphEdit promoteOutput(NodeId group, PromotedPort port)
{
    return groupEdit("Add output " + port.name, group,
                     [port](Graph&, Node&, Group& changed) { return addPort(changed, changed.outputs, port, true); });
}

GraphEdit demoteInput(NodeId group, PromotedPort port)
{
    return groupEdit("Take back " + port.name, group, [group, port](Graph& graph, Node&, Group& changed) {
        return dropPort(graph, group, changed.inputs, port, &Wire::to);
    });
}

GraphEdit demoteOutput(NodeId group, PromotedPort port)
{
    return groupEdit("Take back " + port.name, group, [group, port](Graph& graph, Node&, Group& changed) {
        return dropPort(graph, group, changed.outputs, port, &Wire::from);
    });
}

} // namespace unroll::edits
