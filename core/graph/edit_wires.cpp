// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"

#include <algorithm>

namespace unroll::edits {

namespace {

bool hasWire(const Graph& graph, const Wire& wire)
{
    return std::find(graph.wires.begin(), graph.wires.end(), wire) != graph.wires.end();
}

} // namespace

GraphEdit connect(Wire wire)
{
    return {"Connect",
            [wire](const Graph& before) -> Result<Graph> {
                for (const PortRef* end : {&wire.from, &wire.to}) {
                    if (before.find(end->node) == nullptr)
                        return tl::unexpected(noSuchNode(end->node));
                    if (end->port.empty())
                        return fail("a wire needs a port at both ends");
                }
                Graph graph = before;
                connectWire(graph, wire);
                return graph;
            },
            "",
            {}};
}

GraphEdit disconnect(Wire wire)
{
    return {"Disconnect",
            [wire](const Graph& before) -> Result<Graph> {
                if (!hasWire(before, wire))
                    return fail("the wire no longer exists");
                Graph graph = before;
                std::erase(graph.wires, wire);
                return graph;
            },
            "",
            {}};
}

GraphEdit insertOnWire(Node node, Wire wire, std::string input, std::string output)
{
    const std::string name = "Insert " + (node.name.empty() ? node.block : node.name);
    return {name,
            [node = std::move(node), wire, input, output](const Graph& before) -> Result<Graph> {
                if (!hasWire(before, wire))
                    return fail("the wire no longer exists");
                auto graph = addNode(node).apply(before);
                if (!graph)
                    return graph;
                const NodeId id = node.id != 0 ? node.id : graph->nextId - 1;
                std::erase(graph->wires, wire);
                connectWire(*graph, {wire.from, {id, input}});
                connectWire(*graph, {{id, output}, wire.to});
                return graph;
            },
            "",
            {}};
}

} // namespace unroll::edits
