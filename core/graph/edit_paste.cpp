// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"
#include "core/graph/names.h"

#include <cmath>

namespace unroll {

Graph fragment(const Graph& graph, const std::set<NodeId>& ids, bool withInputs)
{
    Graph part;
    part.nextId = graph.nextId;
    for (const NodeId id : ids)
        if (auto node = graph.nodes.find(id); node != graph.nodes.end())
            part.nodes.insert(*node);
    for (const Wire& wire : graph.wires)
        if (ids.contains(wire.to.node) && (withInputs || ids.contains(wire.from.node)))
            part.wires.push_back(wire);
    return part;
}

namespace {

Result<std::map<NodeId, NodeId>> pasteNodes(Graph& graph, const Graph& fragment, const Place& offset)
{
    std::map<NodeId, NodeId> ids;
    NameBook names(graph);
    for (const auto& [old, shared] : fragment.nodes) {
        auto id = takeId(graph);
        if (!id)
            return tl::unexpected(id.error());
        Node node = *shared;
        node.id = *id;
        node.name = names.take(isValidName(node.name) ? node.name : validNameFrom(node.name, node.block));
        node.place = {node.place.x + offset.x, node.place.y + offset.y};
        ids[old] = *id;
        graph.addNode(std::move(node));
    }
    return ids;
}

Result<Graph> pasted(const Graph& before, const Graph& fragment, const Place& offset, bool keepInputs)
{
    if (!std::isfinite(offset.x) || !std::isfinite(offset.y))
        return fail("the paste position must be finite");
    Graph graph = before;
    const auto ids = pasteNodes(graph, fragment, offset);
    if (!ids)
        return tl::unexpected(ids.error());
    for (const Wire& wire : fragment.wires) {
        const auto from = ids->find(wire.from.node), to = ids->find(wire.to.node);
        if (to == ids->end())
            continue;
        if (from != ids->end())
            graph.addWire({{from->second, wire.from.port}, {to->second, wire.to.port}});
        else if (keepInputs && before.find(wire.from.node) != nullptr)
            graph.addWire({wire.from, {to->second, wire.to.port}});
    }
    for (const auto& [old, frame] : fragment.frames) {
        auto id = takeId(graph);
        if (!id)
            return tl::unexpected(id.error());
        Frame copy = frame;
        copy.id = *id;
        copy.place = {frame.place.x + offset.x, frame.place.y + offset.y};
        graph.frames[*id] = std::move(copy);
    }
    return withinDepth(std::move(graph));
}

} // namespace

GraphEdit edits::paste(Graph fragment, Place offset, bool keepInputs)
{
    auto shared = std::make_shared<const Graph>(std::move(fragment));
    return {"Paste",
            [shared, offset, keepInputs](const Graph& graph) { return pasted(graph, *shared, offset, keepInputs); },
            "",
            {}};
}

} // namespace unroll
