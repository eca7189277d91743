// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/by_copy.h"

#include "core/graph/edit_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

ParamValue asParam(const PlainValue& value)
{
    return std::visit([](const auto& held) { return ParamValue(held); }, value);
}

std::optional<PlainValue> asPlain(const ParamValue& value)
{
    if (const auto* truth = std::get_if<bool>(&value))
        return *truth;
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return *whole;
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? std::nullopt : std::optional<PlainValue>(*text);
}

PlainValue valueIn(const ByCopy& values, std::int64_t copy, std::int64_t copies)
{
    if (values.values.empty())
        return false;
    const auto at = [&](std::int64_t place) {
        const auto last = static_cast<std::int64_t>(values.values.size()) - 1;
        return values.values[static_cast<std::size_t>(std::clamp<std::int64_t>(place, 0, last))];
    };
    switch (values.rule) {
    case ByCopy::Rule::Every: return at(values.count > 0 && copy % values.count == 0 ? 0 : 1);
    case ByCopy::Rule::First: return at(copy <= values.count ? 0 : 1);
    case ByCopy::Rule::Last: return at(copies - copy < values.count ? 0 : 1);
    case ByCopy::Rule::List: break;
    }
    return at(copy - 1);
}

ParamValue inFirstCopy(const ParamValue& value)
{
    const auto* values = std::get_if<ByCopy>(&value);
    return values == nullptr ? value : asParam(valueIn(*values, 1, std::numeric_limits<std::int64_t>::max()));
}

ByCopy listOf(const ByCopy& values, std::int64_t copies)
{
    ByCopy list;
    for (std::int64_t copy = 1; copy <= copies; ++copy)
        list.values.push_back(valueIn(values, copy, copies));
    return list;
}

std::string copiesFault(const ByCopy& values, std::int64_t copies)
{
    const auto size = static_cast<std::int64_t>(values.values.size());
    if (values.rule != ByCopy::Rule::List) {
        if (size != 2)
            return fmt::format("has {} values in place of two, for some of the {} copies and for the others", size,
                               copies);
        return values.count >= 1 ? "" : fmt::format("must count at least 1 of the {} copies", copies);
    }
    if (size == copies)
        return "";
    return fmt::format("has {} value{} for the {} copies", size, size == 1 ? "" : "s", copies);
}

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
