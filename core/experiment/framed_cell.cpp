// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/framed_cell.h"

#include "core/experiment/adjust.h"
#include "core/graph/edit.h"

#include <fmt/format.h>

namespace unroll {
namespace {

constexpr double kFrameOffset = 150; ///< scene units above and below the cell

Node linearNode(const Graph& graph, const Node& cell, const char* suffix, std::int64_t width, double below)
{
    Node node;
    node.id = graph.nextId;
    node.block = "linear";
    node.name = freeName(graph, cell.name + suffix);
    node.params["width"] = width;
    node.place = {cell.place.x, cell.place.y + below};
    return node;
}

/// Adds the node; its id.
NodeId added(Graph& graph, Node node)
{
    const NodeId id = node.id;
    graph.nextId = id + 1;
    graph.addNode(std::move(node));
    return id;
}

struct FramedGraph {
    Graph graph;
    NodeId in = 0, out = 0;
};

FramedGraph framed(const Graph& before, const Node& cell, std::int64_t width, std::int64_t outside)
{
    FramedGraph result{before, 0, 0};
    Graph& graph = result.graph;
    result.in = added(graph, linearNode(graph, cell, "_in", width, -kFrameOffset));
    result.out = added(graph, linearNode(graph, cell, "_out", outside, kFrameOffset));
    graph.wires.clear();
    for (Wire wire : before.wires) {
        if (wire.to == PortRef{cell.id, "x"})
            wire.to.node = result.in;
        if (wire.from == PortRef{cell.id, "y"})
            wire.from.node = result.out;
        graph.addWire(wire);
    }
    graph.addWire({{result.in, "y"}, {cell.id, "x"}});
    graph.addWire({{cell.id, "y"}, {result.out, "x"}});
    return result;
}

Result<const Node*> cellOf(const Graph& graph, const std::string& name)
{
    if (const Node* cell = graph.findByName(name))
        return cell;
    return fail(fmt::format("there is no node named {}", name));
}

GraphEdit frameCell(std::string name, std::int64_t width, std::int64_t outside)
{
    GraphEdit edit;
    edit.name = "Frame";
    edit.apply = [=](const Graph& graph) -> Result<Graph> {
        const auto cell = cellOf(graph, name);
        if (!cell)
            return tl::unexpected(cell.error());
        return framed(graph, **cell, width, outside).graph;
    };
    edit.applyInGroup = [=](const Graph& graph, Enclosing& enclosing) -> Result<Graph> {
        const auto cell = cellOf(graph, name);
        if (!cell)
            return tl::unexpected(cell.error());
        FramedGraph result = framed(graph, **cell, width, outside);
        for (PromotedPort& port : enclosing.inputs)
            if (port.inner == PortRef{(*cell)->id, "x"})
                port.inner.node = result.in;
        for (PromotedPort& port : enclosing.outputs)
            if (port.inner == PortRef{(*cell)->id, "y"})
                port.inner.node = result.out;
        return std::move(result.graph);
    };
    return edit;
}

} // namespace

Result<Experiment> withFramedCell(const Experiment& experiment, const BlockRegistry& registry, const std::string& node,
                                  const std::string& widthParam, std::int64_t width, std::int64_t outside)
{
    Result<Experiment> result = experiment;
    if (!widthParam.empty())
        result = withAssignment(experiment, registry, fmt::format("{}.{}={}", node, widthParam, width));
    if (!result)
        return result;
    GroupPath path;
    const Graph* level = &result->graph;
    std::string name = node;
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.')) {
        const Node* group = level->findByName(name.substr(0, dot));
        if (group == nullptr || !group->group)
            return fail("there is no such node", node);
        path.push_back(group->id);
        level = group->group->graph.get();
        name = name.substr(dot + 1);
    }
    const GraphEdit edit = frameCell(name, width, outside);
    auto graph = (path.empty() ? edit : edits::inside(path, edit)).apply(result->graph);
    if (!graph)
        return tl::unexpected(graph.error());
    result->graph = std::move(*graph);
    return result;
}

} // namespace unroll
