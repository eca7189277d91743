// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/match_group.h"

#include "core/base/nearest.h"
#include "core/experiment/adjust.h"
#include "core/experiment/width_search.h"
#include "core/graph/shown_params.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace unroll {
namespace {

constexpr const char* kGroupWord = "group";
constexpr const char* kRepeatWord = "repeat";
constexpr std::int64_t kMostRepeats = 64; ///< that are tried

std::string lastName(const std::string& path)
{
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

GroupPath groupsAround(const Graph& graph, const std::string& path)
{
    GroupPath groups;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
        groups.push_back(findNodeAt(graph, path.substr(0, dot))->id);
    return groups;
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
    return withAssignment(experiment, registry, fmt::format("{}.{}={}", node, name, value));
}

/// A width somewhere in a group, by the words that set it.
struct InnerWidth {
    std::string name; ///< within the group: "cell.units", or a parameter of the group
    std::int64_t value = 0;
    std::int64_t least = 1;

    bool operator==(const InnerWidth&) const = default;
};

class WidthsInside {
public:
    WidthsInside(const Experiment& experiment, const BlockRegistry& registry, std::string node)
        : m_top(experiment.graph), m_registry(registry), m_node(std::move(node))
    {
        const Node& root = *findNodeAt(m_top, m_node);
        GroupPath inside = groupsAround(m_top, m_node);
        inside.push_back(root.id);
        for (const auto& [id, inner] : root.group->graph->nodes)
            add(*inner, inside, "");
    }
    std::vector<InnerWidth> take() { return std::move(m_found); }

private:
    /// Parameters that a group around sets are named there, once.
    void add(const Node& node, const GroupPath& path, const std::string& prefix)
    {
        if (node.group) {
            GroupPath inside = path;
            inside.push_back(node.id);
            for (const auto& [id, inner] : node.group->graph->nodes)
                add(*inner, inside, prefix + node.name + ".");
            return;
        }
        const BlockSpec* spec = m_registry.find(node.block);
        if (spec == nullptr || spec->category == Category::Data)
            return;
        const Params values = spec->withDefaults(paramsInForce(m_top, path, node));
        for (const std::string& name : widthParams(*spec, values)) {
            const ParamSpec& param = *spec->param(name);
            std::string words = prefix + node.name + "." + name;
            if (const auto setter = setterOf(m_top, path, node.id, name)) {
                const std::string outer = groupNames(m_top, within(*setter));
                if (outer != m_node && !outer.starts_with(m_node + "."))
                    continue; // a group further out sets it: that is no part of this one
                words = (outer == m_node ? "" : outer.substr(m_node.size() + 1) + ".") + setter->param.name;
            }
            const InnerWidth found{words, std::get<std::int64_t>(values.at(name)),
                                   static_cast<std::int64_t>(param.minimum.value_or(1))};
            if (std::none_of(m_found.begin(), m_found.end(), [&](const auto& each) { return each.name == words; }))
                m_found.push_back(found);
        }
    }
    static GroupPath within(const ShownParam& setter)
    {
        GroupPath path = setter.path;
        path.push_back(setter.group);
        return path;
    }
    const Graph& m_top;
    const BlockRegistry& m_registry;
    std::string m_node;
    std::vector<InnerWidth> m_found;
};

/// Numbers to solve one after the other until one fits: each a set of widths that grow together.
std::vector<std::vector<InnerWidth>> widthSets(const std::vector<InnerWidth>& all)
{
    std::vector<std::vector<InnerWidth>> sets;
    if (!all.empty())
        sets.push_back(all);
    std::map<std::int64_t, std::vector<InnerWidth>> equal;
    for (const InnerWidth& width : all)
        equal[width.value].push_back(width);
    const std::size_t first = sets.size();
    for (const auto& [value, set] : equal)
        if (set.size() > 1 && set.size() < all.size())
            sets.push_back(set);
    std::stable_sort(sets.begin() + static_cast<std::ptrdiff_t>(first), sets.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (const InnerWidth& width : all)
        if (all.size() > 1)
            sets.push_back({width});
    return sets;
}

/// "cell.units" of one, "units" where all are called so, else "widths", of which the value is the largest.
std::string setName(const std::vector<InnerWidth>& set)
{
    if (set.size() == 1)
        return set.front().name;
    std::set<std::string> names;
    std::set<std::int64_t> values;
    for (const InnerWidth& width : set) {
        names.insert(lastName(width.name));
        values.insert(width.value);
    }
    return names.size() == 1 && values.size() == 1 ? *names.begin() : "widths";
}

std::int64_t widestOf(const std::vector<InnerWidth>& set)
{
    std::int64_t widest = 1;
    for (const InnerWidth& width : set)
        widest = std::max(widest, width.value);
    return widest;
}

/// One thing that is solved.
struct Knob {
    std::string name;
    WidthTries::Make make;
    std::int64_t least = 1, most = kWidestTried;
};

class GroupMatch {
public:
    GroupMatch(const Experiment& experiment, const BlockRegistry& registry,
               const std::function<CheckedGraph(const Experiment&)>& check, std::string node, const BlockWish& wish)
        : m_experiment(experiment), m_registry(registry), m_check(check), m_node(std::move(node)), m_wish(wish)
    {}

    Result<MatchedWidth> solve(MatchedSize size, double target, double tolerance) const
    {
        const auto knobs = this->knobs();
        if (!knobs)
            return tl::unexpected(knobs.error());
        std::string told = "none of the widths inside it is free";
        double nearest = -1;
        for (const Knob& knob : *knobs) {
            WidthTries tries(knob.make, m_check, size);
            tries.bisect(target, knob.least, knob.most);
            const auto found = tries.nearest(target);
            if (found && std::abs(found->size - target) <= tolerance * target) {
                auto made = tries.with(found->value);
                CheckedGraph checked = m_check(*made);
                return MatchedWidth{
                    std::move(*made),  knob.name, found->value, found->size, std::abs(found->size - target) / target,
                    std::move(checked)};
            }
            const double off = found ? std::abs(found->size - target) : -1;
            if (found ? nearest < 0 || off < nearest : nearest < 0 && !tries.trouble().empty()) {
                told = found ? nearestText(knob.name, *found, size, target) : tries.trouble();
                nearest = off;
            }
        }
        return fail(fmt::format("no width inside {} gives {:.0f} {} within {:g} %: {}", m_node, target,
                                matchedSizeText(size), 100 * tolerance, told));
    }

private:
    Knob knobOf(std::vector<InnerWidth> set) const
    {
        const std::int64_t widest = widestOf(set);
        std::string name = setName(set);
        return {std::move(name), [this, set = std::move(set), widest](std::int64_t value) -> Result<Experiment> {
                    Result<Experiment> result = m_experiment;
                    for (const InnerWidth& width : set) {
                        const std::int64_t scaled = std::max(width.least, (width.value * value + widest / 2) / widest);
                        if (result)
                            result = withAssignment(*result, m_registry,
                                                    fmt::format("{}.{}={}", m_node, width.name, scaled));
                    }
                    return result;
                }};
    }
    Knob repeatKnob() const
    {
        return {kRepeatWord, [this](std::int64_t value) { return withRepeat(m_experiment, m_node, value); }, 1,
                kMostRepeats};
    }

    bool isGiven(const std::string& name) const
    {
        return std::any_of(m_wish.settings.begin(), m_wish.settings.end(),
                           [&](const auto& setting) { return setting.first == name; });
    }

    Result<std::vector<Knob>> knobs() const
    {
        std::vector<InnerWidth> widths = WidthsInside(m_experiment, m_registry, m_node).take();
        const std::string& named = m_wish.widthParam;
        if (named == kRepeatWord)
            return std::vector<Knob>{repeatKnob()};
        if (!named.empty()) {
            std::vector<std::string> names{kRepeatWord};
            for (const InnerWidth& width : widths) {
                names.push_back(width.name);
                if (width.name == named)
                    return std::vector<Knob>{knobOf({width})};
            }
            return fail(fmt::format("{} has no width {} inside{}", m_node, named, suggestion(named, names)));
        }
        std::erase_if(widths, [this](const InnerWidth& width) { return isGiven(width.name); });
        std::vector<Knob> knobs;
        for (auto& set : widthSets(widths))
            knobs.push_back(knobOf(std::move(set)));
        if (!isGiven(kRepeatWord) && findNodeAt(m_experiment.graph, m_node)->group->repeat > 1)
            knobs.push_back(repeatKnob());
        return knobs;
    }

    const Experiment& m_experiment;
    const BlockRegistry& m_registry;
    const std::function<CheckedGraph(const Experiment&)>& m_check;
    std::string m_node;
    const BlockWish& m_wish;
};

} // namespace

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

Result<MatchedWidth> matchGroup(const Experiment& experiment, const BlockRegistry& registry,
                                const std::function<CheckedGraph(const Experiment&)>& check, const std::string& node,
                                const BlockWish& wish, MatchedSize size, double target, double tolerance)
{
    MatchedWidth as{experiment, {}, 0, 0, 0, check(experiment)};
    as.size = sizeOf(size, as.checked, experiment.graph);
    as.error = std::abs(as.size - target) / target;
    if (as.checked.runnable() && as.size == target)
        return as;
    return GroupMatch(experiment, registry, check, node, wish).solve(size, target, tolerance);
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
