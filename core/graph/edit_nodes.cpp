// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace unroll::edits {

namespace {

bool isFinite(const Place& place)
{
    return std::isfinite(place.x) && std::isfinite(place.y);
}

Result<Graph> add(const Graph& before, Node node)
{
    Graph graph = before;
    if (node.block.empty() || (node.block == "group") != (node.group != nullptr) || (node.group && !node.group->graph))
        return fail("a new node needs a block, and a group its sub-graph");
    if (!node.name.empty() && !isValidName(node.name))
        return fail(fmt::format("\"{}\" cannot name a node: a letter, then letters, digits and _", node.name));
    if (!isFinite(node.place))
        return fail("a node's position must be finite");
    if (node.id != 0 && (node.id >= kMaxId || graph.find(node.id) != nullptr || graph.frames.contains(node.id)))
        return fail(fmt::format("the number {} cannot be given to a new node", node.id));
    if (node.id == 0) {
        auto id = takeId(graph);
        if (!id)
            return tl::unexpected(id.error());
        node.id = *id;
    }
    node.name = freeName(graph, node.name.empty() ? validNameFrom(node.block, "node") : node.name);
    graph.addNode(std::move(node));
    return withinDepth(std::move(graph));
}

/// A way through a node: what comes in at one port and where the other leads.
struct PassThrough {
    std::optional<PortRef> source;
    std::vector<PortRef> targets;
};

PassThrough findPassThrough(const Graph& graph, NodeId id, const std::string& input, const std::string& output)
{
    PassThrough through;
    if (const Wire* wire = graph.wireInto({id, input}); wire != nullptr && wire->from.node != id)
        through.source = wire->from;
    for (const Wire& wire : graph.wires)
        if (wire.from == PortRef{id, output} && wire.to.node != id)
            through.targets.push_back(wire.to);
    return through;
}

/// The usual name of a main port where it is wired, else the first that is wired.
std::string mainPort(const Graph& graph, NodeId id, bool output, const std::string& usual)
{
    std::string first;
    for (const Wire& wire : graph.wires) {
        const PortRef& end = output ? wire.from : wire.to;
        if (end.node == id && end.port == usual)
            return usual;
        if (end.node == id && (first.empty() || end.port < first))
            first = end.port;
    }
    return first.empty() ? usual : first;
}

/// Within a group, the group's ports follow to the ends that are joined.
Result<Graph> heal(const Graph& before, NodeId id, const std::string& input, const std::string& output,
                   Group& enclosing)
{
    if (before.find(id) == nullptr)
        return tl::unexpected(noSuchNode(id));
    const PassThrough through = findPassThrough(before, id, input, output);
    Graph graph = before;
    eraseNodes(graph, {id});
    if (through.source)
        for (const PortRef& target : through.targets)
            connectWire(graph, {*through.source, target});
    for (PromotedPort& port : enclosing.inputs)
        if (port.inner == PortRef{id, input} && !through.targets.empty())
            port.inner = through.targets.front();
    for (PromotedPort& port : enclosing.outputs)
        if (port.inner == PortRef{id, output} && through.source)
            port.inner = *through.source;
    return graph;
}

GraphEdit healing(NodeId id, std::function<std::pair<std::string, std::string>(const Graph&)> ports)
{
    const auto apply = [id, ports = std::move(ports)](const Graph& graph, Group& enclosing) {
        const auto [input, output] = ports(graph);
        return heal(graph, id, input, output, enclosing);
    };
    return {"Delete and reconnect",
            [apply](const Graph& graph) {
                Group none;
                return apply(graph, none);
            },
            "", apply};
}

} // namespace

GraphEdit addNode(Node node)
{
    const std::string name = "Add " + (node.name.empty() ? node.block : node.name);
    return {name, [node = std::move(node)](const Graph& graph) { return add(graph, node); }, "", {}};
}

GraphEdit removeNodes(std::set<NodeId> ids)
{
    return {ids.size() == 1 ? "Delete node" : "Delete nodes",
            [ids](const Graph& before) -> Result<Graph> {
                for (const NodeId id : ids)
                    if (before.find(id) == nullptr)
                        return tl::unexpected(noSuchNode(id));
                Graph graph = before;
                eraseNodes(graph, ids);
                return graph;
            },
            "",
            {}};
}

GraphEdit removeAndHeal(NodeId id)
{
    return healing(id, [id](const Graph& graph) {
        return std::pair(mainPort(graph, id, false, "x"), mainPort(graph, id, true, "y"));
    });
}

GraphEdit removeAndHeal(NodeId id, std::string input, std::string output)
{
    return healing(id, [input, output](const Graph&) { return std::pair(input, output); });
}

GraphEdit moveNodes(std::map<NodeId, Place> places)
{
    std::string key = "move";
    for (const auto& [id, place] : places)
        key += fmt::format("/{}", id);
    return {places.size() == 1 ? "Move node" : "Move nodes",
            [places](const Graph& before) -> Result<Graph> {
                Graph graph = before;
                for (const auto& [id, place] : places) {
                    const Node* old = before.find(id);
                    if (old == nullptr)
                        return tl::unexpected(noSuchNode(id));
                    if (!isFinite(place))
                        return fail("a node's position must be finite");
                    Node node = *old;
                    node.place = place;
                    replaceNode(graph, std::move(node));
                }
                return graph;
            },
            key,
            {}};
}

GraphEdit renameNode(NodeId id, std::string name)
{
    return {"Rename " + name,
            [id, name](const Graph& before) -> Result<Graph> {
                const Node* old = before.find(id);
                if (old == nullptr)
                    return tl::unexpected(noSuchNode(id));
                if (!isValidName(name))
                    return fail(fmt::format("\"{}\" cannot name a node: a letter, then letters, digits and _", name));
                if (const Node* other = before.findByName(name); name != old->name && other != nullptr)
                    return fail(fmt::format("another node is named {}", name));
                Node node = *old;
                node.name = name;
                Graph graph = before;
                replaceNode(graph, std::move(node));
                return graph;
            },
            fmt::format("rename/{}", id),
            {}};
}

GraphEdit setBlock(NodeId id, std::string block)
{
    return {"Change to " + block,
            [id, block](const Graph& before) -> Result<Graph> {
                const Node* old = before.find(id);
                if (old == nullptr)
                    return tl::unexpected(noSuchNode(id));
                if (old->group || block == "group" || block.empty())
                    return fail("a group cannot become a block, nor a block a group");
                Node node = *old;
                node.block = block;
                Graph graph = before;
                replaceNode(graph, std::move(node));
                return graph;
            },
            "",
            {}};
}

} // namespace unroll::edits
