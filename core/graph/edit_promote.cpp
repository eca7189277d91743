// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll::edits {

namespace {

using Change = std::function<Result<void>(Graph&, Node&, Group&)>;
/// Likewise, where the group around has to follow.
using ChangeWithin = std::function<Result<void>(Graph&, Node&, Group&, Enclosing&)>;

/// An edit of a group node: `change` alters copies of the graph (for its wires), the node and the group.
GraphEdit groupEditWithin(std::string name, NodeId id, ChangeWithin change)
{
    const auto apply = [id, change = std::move(change)](const Graph& before, Enclosing& enclosing) -> Result<Graph> {
        const auto old = groupOf(before, id);
        if (!old)
            return tl::unexpected(old.error());
        Graph graph = before;
        Node node = *before.find(id);
        Group group = **old;
        if (auto changed = change(graph, node, group, enclosing); !changed)
            return tl::unexpected(changed.error());
        node.group = std::make_shared<const Group>(std::move(group));
        replaceNode(graph, std::move(node));
        return graph;
    };
    return {std::move(name),
            [apply](const Graph& graph) {
                Enclosing none;
                return apply(graph, none);
            },
            "", apply};
}

GraphEdit groupEdit(std::string name, NodeId id, Change change)
{
    return groupEditWithin(std::move(name), id,
                           [change = std::move(change)](Graph& graph, Node& node, Group& group, Enclosing&) {
                               return change(graph, node, group);
                           });
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

/// Gives a node inside the value.
void setInside(Group& group, const PromotedParam& param, const ParamValue& value)
{
    const Node* old = group.graph->find(param.node);
    if (old == nullptr)
        return;
    Node node = *old;
    node.params[param.param] = value;
    forgetWritten(node, param.param);
    Graph inner = *group.graph;
    replaceNode(inner, std::move(node));
    group.graph = std::make_shared<const Graph>(std::move(inner));
}

bool hasParam(const Group& group, const std::string& name)
{
    return std::any_of(group.params.begin(), group.params.end(),
                       [&](const PromotedParam& param) { return param.name == name; });
}

void forgetValue(Node& node, const std::string& param)
{
    node.params.erase(param);
    forgetWritten(node, param);
}

Result<void> renamePort(Graph& graph, NodeId id, std::vector<PromotedPort>& ports, const std::string& from,
                        const std::string& to, PortRef Wire::*end)
{
    if (findPort(ports, from) == nullptr)
        return fail(fmt::format("the group has no such port {}", from));
    if (findPort(ports, to) != nullptr)
        return fail(fmt::format("the group has a port {} already", to));
    for (PromotedPort& port : ports)
        if (port.name == from)
            port.name = to;
    std::vector<Wire> wires = std::move(graph.wires);
    graph.wires.clear();
    for (Wire& wire : wires) {
        if (wire.*end == PortRef{id, from})
            (wire.*end).port = to;
        graph.addWire(std::move(wire));
    }
    return {};
}

/// A value that the group had set goes along; where the new name is another parameter's, it becomes that of the nodes
/// inside, and what is set under that name counts.
Result<void> renameParam(Node& node, Group& group, const std::string& from, const std::string& to)
{
    if (!hasParam(group, from))
        return fail(fmt::format("the group has no such parameter {}", from));
    const auto value = node.params.find(from);
    const bool joins = hasParam(group, to);
    if (value != node.params.end()) {
        const ParamValue kept = value->second;
        for (const PromotedParam& param : std::vector(group.params))
            if (joins && param.name == from)
                setInside(group, param, kept);
        forgetValue(node, from);
        if (!joins)
            node.params[to] = kept;
    }
    for (PromotedParam& param : group.params)
        if (param.name == from)
            param.name = to;
    return {};
}

/// What the group around shows of this group goes by the new name.
void followRename(Enclosing& enclosing, NodeId id, Promoted kind, const std::string& from, const std::string& to)
{
    for (PromotedPort& port : kind == Promoted::Output ? enclosing.outputs : enclosing.inputs)
        if (kind != Promoted::Param && port.inner == PortRef{id, from})
            port.inner.port = to;
    for (PromotedParam& param : enclosing.params)
        if (kind == Promoted::Param && param.node == id && param.param == from)
            param.param = to;
}

/// Among the names: entries of one name, which one value sets, stand together and move together.
template <class T>
Result<void> moveNamed(std::vector<T>& list, const std::string& name, int by)
{
    std::vector<std::string> names;
    for (const T& entry : list)
        if (std::find(names.begin(), names.end(), entry.name) == names.end())
            names.push_back(entry.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        return fail(fmt::format("the group exposes no {}", name));
    const auto last = static_cast<std::ptrdiff_t>(names.size()) - 1;
    const std::ptrdiff_t at = found - names.begin(), to = std::clamp<std::ptrdiff_t>(at + by, 0, last);
    names.erase(found);
    names.insert(names.begin() + to, name);
    const auto placeOf = [&](const T& entry) { return std::find(names.begin(), names.end(), entry.name); };
    std::stable_sort(list.begin(), list.end(), [&](const T& a, const T& b) { return placeOf(a) < placeOf(b); });
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

GraphEdit setReversible(NodeId id, bool reversible)
{
    return groupEdit("Set reversible", id, [reversible](Graph&, Node&, Group& group) -> Result<void> {
        group.reversible = reversible;
        return {};
    });
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
    return groupEdit("Remove " + param.name, group, [param](Graph&, Node& node, Group& changed) -> Result<void> {
        if (!takeLast(changed.params, param))
            return fail(fmt::format("the group has no such parameter {}", param.name));
        if (const auto value = node.params.find(param.name); value != node.params.end())
            setInside(changed, param, value->second);
        if (!hasParam(changed, param.name))
            forgetValue(node, param.name);
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
    return groupEdit("Remove " + port.name, group, [group, port](Graph& graph, Node&, Group& changed) {
        return dropPort(graph, group, changed.inputs, port, &Wire::to);
    });
}

GraphEdit demoteOutput(NodeId group, PromotedPort port)
{
    return groupEdit("Remove " + port.name, group, [group, port](Graph& graph, Node&, Group& changed) {
        return dropPort(graph, group, changed.outputs, port, &Wire::from);
    });
}

GraphEdit renamePromoted(NodeId group, Promoted kind, std::string name, std::string to)
{
    return groupEditWithin(
        "Rename " + name, group, [=](Graph& graph, Node& node, Group& changed, Enclosing& enclosing) -> Result<void> {
            if (name == to)
                return {};
            if (!isValidName(to))
                return fail(fmt::format("\"{}\" cannot name a {}: a letter, then letters, digits and _", to,
                                        kind == Promoted::Param ? "parameter" : "port"));
            auto done = kind == Promoted::Input    ? renamePort(graph, group, changed.inputs, name, to, &Wire::to)
                        : kind == Promoted::Output ? renamePort(graph, group, changed.outputs, name, to, &Wire::from)
                                                   : renameParam(node, changed, name, to);
            if (done)
                followRename(enclosing, group, kind, name, to);
            return done;
        });
}

GraphEdit movePromoted(NodeId group, Promoted kind, std::string name, int by)
{
    return groupEdit("Move " + name, group, [=](Graph&, Node&, Group& changed) {
        return kind == Promoted::Input    ? moveNamed(changed.inputs, name, by)
               : kind == Promoted::Output ? moveNamed(changed.outputs, name, by)
                                          : moveNamed(changed.params, name, by);
    });
}

} // namespace unroll::edits
