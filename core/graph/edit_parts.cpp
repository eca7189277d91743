// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"

#include "core/base/json.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

Error noSuchNode(NodeId id)
{
    return {fmt::format("the graph has no node {}", id), ""};
}

Result<const Group*> groupOf(const Graph& graph, NodeId id)
{
    const Node* node = graph.find(id);
    if (node == nullptr)
        return tl::unexpected(noSuchNode(id));
    if (!node->group || !node->group->graph)
        return fail(fmt::format("{} is not a group", node->name));
    return node->group.get();
}

Result<NodeId> takeId(Graph& graph)
{
    if (graph.nextId >= kMaxId)
        return fail("the document has used up its node numbers");
    return graph.nextId++;
}

void replaceNode(Graph& graph, Node node)
{
    const NodeId id = node.id;
    graph.nodes[id] = std::make_shared<const Node>(std::move(node));
}

void eraseNodes(Graph& graph, const std::set<NodeId>& ids)
{
    for (const NodeId id : ids)
        graph.nodes.erase(id);
    std::erase_if(graph.wires,
                  [&](const Wire& wire) { return ids.contains(wire.from.node) || ids.contains(wire.to.node); });
}

void connectWire(Graph& graph, Wire wire)
{
    std::erase_if(graph.wires, [&](const Wire& old) { return old.to == wire.to; });
    graph.addWire(std::move(wire));
}

void forgetWritten(Node& node, const std::string& param)
{
    auto text = node.extra.find("params");
    if (text == node.extra.end())
        return;
    Json left;
    if (const auto kept = readJson(text->second, "params"); kept && kept->asObject() != nullptr)
        for (const JsonMember& member : *kept->asObject())
            if (member.key != param)
                left.add(member.key, member.value);
    if (left.isNull())
        node.extra.erase(text);
    else
        text->second = writeJson(left, 0);
}

Result<Graph> withinDepth(Graph graph)
{
    if (groupDepth(graph) > kMaxGroupDepth)
        return fail(fmt::format("groups can be nested {} deep", kMaxGroupDepth));
    return graph;
}

Result<void> addTwin(Enclosing& enclosing, const PortRef& known, const PortRef& fresh)
{
    auto& inputs = enclosing.inputs;
    const auto outer =
        std::find_if(inputs.begin(), inputs.end(), [&](const PromotedPort& port) { return port.inner == known; });
    if (outer == inputs.end())
        return {};
    const std::string source = outer->name;
    const auto place = static_cast<std::size_t>(outer - inputs.begin());
    if (enclosing.repeat > 1 && (place < enclosing.outputs.size() || inputs.size() < enclosing.outputs.size()))
        return fail(fmt::format("{} comes from the enclosing group, which is repeated, and would have to reach several "
                                "nodes: unroll that group first",
                                source));
    const std::string name =
        freeNameAmong(source, [&](const std::string& wish) { return findPort(inputs, wish) != nullptr; });
    inputs.push_back({name, fresh});
    enclosing.fedAs[name] = source;
    return {};
}

NameBook::NameBook(const Graph& graph)
{
    for (const auto& [id, node] : graph.nodes)
        m_names.insert(node->name);
}

std::string NameBook::take(const std::string& wish)
{
    std::string name = freeNameAmong(wish, [&](const std::string& wanted) { return has(wanted); });
    m_names.insert(name);
    return name;
}

} // namespace unroll
