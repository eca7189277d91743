// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/match_group.h"

#include "core/base/nearest.h"
#include "core/experiment/adjust.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace unroll {
namespace {

constexpr const char* kGroupWord = "group";
constexpr const char* kRepeatWord = "repeat";

std::string lastName(const std::string& path)
{
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

/// With another node in place of the one at `path`, which keeps its id, name, place and wires.
Result<Experiment> withNodeAt(const Experiment& experiment, const std::string& path, Node made)
{
    const Node& old = *findNodeAt(experiment.graph, path);
    made.id = old.id;
    made.name = old.name;
    made.place = old.place;
    const GraphEdit edit{"Compare",
                         [made](const Graph& before) -> Result<Graph> {
                             Graph graph = before;
                             graph.addNode(made);
                             return graph;
                         },
                         "",
                         {}};
    const GroupPath groups = groupsAround(experiment.graph, path);
    auto graph = (groups.empty() ? edit : edits::inside(groups, edit)).apply(experiment.graph);
    if (!graph)
        return tl::unexpected(graph.error());
    Experiment result = experiment;
    result.graph = std::move(*graph);
    return result;
}

std::vector<std::string> groupPaths(const Graph& graph, const std::string& prefix = {})
{
    std::vector<std::string> paths;
    for (const auto& [id, node] : graph.nodes)
        if (node->group) {
            paths.push_back(prefix + node->name);
            for (std::string& inner : groupPaths(*node->group->graph, prefix + node->name + "."))
                paths.push_back(std::move(inner));
        }
    return paths;
}

Result<Experiment> withCopyOf(const Experiment& experiment, const std::string& node, const std::string& other)
{
    const Node* found = findNodeAt(experiment.graph, other);
    if (found == nullptr || !found->group)
        return fail(fmt::format("there is no group {}{}", other, suggestion(other, groupPaths(experiment.graph))));
    if (node.starts_with(other + "."))
        return fail(fmt::format("{} is inside {}, so it cannot hold a copy of it", node, other));
    return withNodeAt(experiment, node, *found);
}

Result<Experiment> withBlockForGroup(const Experiment& experiment, const BlockRegistry& registry,
                                     const std::string& node, const std::string& block)
{
    if (registry.find(block) == nullptr) {
        std::vector<std::string> names{kGroupWord};
        for (const BlockSpec* each : registry.all())
            names.push_back(each->id);
        return fail(fmt::format("there is no block named {}{}; another group is named @GROUP", block,
                                suggestion(block, names)));
    }
    Node made;
    made.block = block;
    return withNodeAt(experiment, node, std::move(made));
}

std::optional<std::int64_t> wholeNumber(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

Result<Experiment> withRepeat(const Experiment& experiment, const std::string& node, std::int64_t repeat)
{
    const Node* group = findNodeAt(experiment.graph, node);
    if (repeat < 1)
        return fail(fmt::format("{} must be at least 1; it is {}", kRepeatWord, repeat));
    Group inside = *group->group;
    inside.repeat = repeat;
    Node made = *group;
    made.group = std::make_shared<const Group>(std::move(inside));
    return withNodeAt(experiment, node, std::move(made));
}

std::vector<std::string> settableWords(const Group& group)
{
    std::vector<std::string> words{kRepeatWord};
    for (const PromotedParam& param : group.params)
        words.push_back(param.name);
    for (const auto& [id, node] : group.graph->nodes)
        words.push_back(node->name);
    return words;
}

/// One setting of a group: a block for a node inside, how often it is repeated, or a parameter.
Result<Experiment> withGroupSetting(const Experiment& experiment, const BlockRegistry& registry,
                                    const std::string& node, const std::string& name, const std::string& value)
{
    const Node* group = findNodeAt(experiment.graph, node);
    if (group == nullptr || !group->group)
        return withAssignment(experiment, registry, fmt::format("{}.{}={}", node, name, value));
    const auto& params = group->group->params;
    const bool isParam = std::any_of(params.begin(), params.end(), [&](const auto& each) { return each.name == name; });
    if (name == kRepeatWord && !isParam) {
        const auto repeat = wholeNumber(value);
        return repeat ? withRepeat(experiment, node, *repeat)
                      : fail(fmt::format("{} must be a whole number; it is '{}'", kRepeatWord, value));
    }
    if (!isParam && findNodeAt(experiment.graph, node + "." + name) != nullptr) {
        const BlockWish inner{value, {}, {}};
        const std::string path = node + "." + name;
        return isGroupWish(experiment, path, inner) ? withGroupWish(experiment, registry, path, inner)
                                                    : withBlock(experiment, registry, path, value);
    }
    if (!isParam && name.find('.') == std::string::npos)
        return fail(fmt::format("{} has no node or parameter {} inside{}", node, name,
                                suggestion(name, settableWords(*group->group))));
    return withAssignment(experiment, registry, fmt::format("{}.{}={}", node, name, value));
}

} // namespace

GroupPath groupsAround(const Graph& graph, const std::string& path)
{
    GroupPath groups;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
        groups.push_back(findNodeAt(graph, path.substr(0, dot))->id);
    return groups;
}

bool isGroupWish(const Experiment& experiment, const std::string& node, const BlockWish& wish)
{
    const Node* found = findNodeAt(experiment.graph, node);
    return found != nullptr && (found->group != nullptr || wish.block.starts_with('@'));
}

Result<Experiment> withGroupWish(const Experiment& experiment, const BlockRegistry& registry, const std::string& node,
                                 const BlockWish& wish)
{
    Result<Experiment> result = experiment;
    if (wish.block.starts_with('@'))
        result = withCopyOf(experiment, node, wish.block.substr(1));
    else if (wish.block != kGroupWord)
        result = withBlockForGroup(experiment, registry, node, wish.block);
    for (const auto& [name, value] : wish.settings)
        if (result)
            result = withGroupSetting(*result, registry, node, name, value);
    return result;
}

std::string laneWord(const std::string& node, const BlockWish& wish)
{
    if (wish.block.starts_with('@')) {
        std::string word = wish.block.substr(1);
        std::replace(word.begin(), word.end(), '.', '-');
        return word;
    }
    if (wish.block != kGroupWord)
        return wish.block;
    std::string word = lastName(node);
    std::set<std::string> seen;
    for (const auto& [name, value] : wish.settings) {
        const bool isBlock = !value.empty() && name.find('.') == std::string::npos && !wholeNumber(value) &&
                             value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
        if (isBlock && seen.insert(value).second)
            word += "-" + value;
    }
    return word;
}

} // namespace unroll
