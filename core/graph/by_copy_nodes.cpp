// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/by_copy.h"
#include "core/graph/edit_parts.h"

#include <fmt/format.h>

namespace unroll {

namespace {

/// Whether blocks inside count this group's copies.
bool counts(const Group& group)
{
    return group.repeat > 1;
}

/// Blocks inside a group that one of its parameters sets.
struct Reach {
    bool here = false;   ///< some have no repeated group around them within this one
    bool deeper = false; ///< some have
};

Reach reachOf(const Node& node, const std::string& param)
{
    if (!node.group)
        return {true, false};
    if (counts(*node.group) || !node.group->graph)
        return {false, true};
    Reach reach;
    for (const PromotedParam& shown : node.group->params)
        if (const Node* inner = shown.name == param ? node.group->graph->find(shown.node) : nullptr) {
            const Reach more = reachOf(*inner, shown.param);
            reach = {reach.here || more.here, reach.deeper || more.deeper};
        }
    return reach;
}

Result<void> setParams(Node& node, std::int64_t copy, std::int64_t copies)
{
    const Params before = node.params;
    for (const auto& [name, value] : before) {
        const auto* values = std::get_if<ByCopy>(&value);
        if (values == nullptr)
            continue;
        const Reach reach = reachOf(node, name);
        if (reach.here && reach.deeper)
            return fail(fmt::format("{}.{} differs by copy and sets nodes inside and outside of a repeated group: set "
                                    "it at these nodes instead",
                                    node.name, name));
        if (!reach.here)
            continue;
        node.params[name] = asParam(valueIn(*values, copy, copies));
        forgetWritten(node, name);
    }
    return {};
}

} // namespace

bool countsAround(const Node& node, const std::string& param)
{
    return reachOf(node, param).here;
}

void collectByCopy(const Graph& graph, std::vector<const ByCopy*>& found)
{
    for (const auto& [id, node] : graph.nodes) {
        for (const auto& [name, value] : node->params)
            if (const auto* values = std::get_if<ByCopy>(&value); values != nullptr && countsAround(*node, name))
                found.push_back(values);
        if (node->group && node->group->graph && !counts(*node->group))
            collectByCopy(*node->group->graph, found);
    }
}

Result<Node> nodeIn(const Node& node, std::int64_t copy, std::int64_t copies)
{
    Node made = node;
    if (auto set = setParams(made, copy, copies); !set)
        return tl::unexpected(set.error());
    std::vector<const ByCopy*> inside;
    if (made.group && made.group->graph && !counts(*made.group))
        collectByCopy(*made.group->graph, inside);
    if (inside.empty())
        return made;
    Graph contents = *made.group->graph;
    for (const auto& [id, inner] : made.group->graph->nodes) {
        auto each = nodeIn(*inner, copy, copies);
        if (!each)
            return each;
        replaceNode(contents, std::move(*each));
    }
    Group group = *made.group;
    group.graph = std::make_shared<const Graph>(std::move(contents));
    made.group = std::make_shared<const Group>(std::move(group));
    return made;
}

} // namespace unroll
