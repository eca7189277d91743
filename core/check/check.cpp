// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/check.h"

#include "core/check/level.h"

#include <algorithm>
#include <iterator>

namespace unroll {

void checkLevel(Level& level)
{
    indexNodes(level);
    checkParams(level);
    indexWires(level);
    checkNames(level);
    if (level.isTop())
        readSources(level);
    orderNodes(level);
    orderLoops(level);
    checkFreeInputs(level);
    inferShapes(level);
    checkLoops(level);
    addCosts(level);
    checkUnused(level);
}

void finishLevel(Level& level)
{
    CheckedGraph& result = level.result;
    for (Item& item : level.items) {
        if (item.inner) {
            finishLevel(*item.inner);
            const auto& inside = item.inner->result.diagnostics;
            result.diagnostics.insert(result.diagnostics.end(), inside.begin(), inside.end());
            item.checked.inner = std::make_shared<const CheckedGraph>(std::move(item.inner->result));
        }
        result.nodes.emplace_hint(result.nodes.end(), item.node->id, std::move(item.checked));
    }
    result.order.reserve(level.order.size());
    for (const std::size_t index : level.order)
        result.order.push_back(level.items[index].node->id);
    for (const auto& loop : level.loops) {
        std::vector<NodeId>& ids = result.loops.emplace_back();
        for (const std::size_t index : loop)
            ids.push_back(level.items[index].node->id);
    }
    std::stable_sort(result.diagnostics.begin(), result.diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.severity < b.severity; });
}

const Shape* CheckedGraph::shapeAt(const PortRef& output) const
{
    auto node = nodes.find(output.node);
    if (node == nodes.end())
        return nullptr;
    auto shape = node->second.outputs.find(output.port);
    return shape == node->second.outputs.end() ? nullptr : &shape->second;
}

CheckedGraph check(const Graph& graph, const BlockRegistry& registry, const CheckOptions& options)
{
    Level level{graph, registry, options};
    checkLevel(level);
    checkEnds(level);
    checkCausality(level);
    checkMasks(level);
    checkSize(level);
    finishLevel(level);
    return std::move(level.result);
}

} // namespace unroll
