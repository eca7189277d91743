// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/match_group.h"
#include "core/base/nearest.h"
#include "core/experiment/adjust.h"
#include "core/experiment/width_search.h"
#include "core/graph/shown_params.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace unroll {
namespace {

constexpr const char* kRepeats = "repeat";
constexpr std::int64_t kMostRepeats = 64; ///< that are tried

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
        const Params inForce = paramsInForce(m_top, path, node);
        const Params values = spec->withDefaults(inForce);
        for (const std::string& name : widthParams(*spec, values)) {
            if (const auto set = inForce.find(name);
                set != inForce.end() && std::holds_alternative<ByCopy>(set->second))
                continue; // one width for all copies would be another model
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
            const bool isKnown =
                std::any_of(m_found.begin(), m_found.end(), [&](const auto& each) { return each.name == words; });
            if (!isKnown && found.value > 0) // 0: without, or as wide as another
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
        names.insert(width.name.substr(width.name.rfind('.') + 1));
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
        const auto make = [this](std::int64_t value) {
            return withGroupWish(m_experiment, m_registry, m_node, {"group", {{kRepeats, std::to_string(value)}}, {}});
        };
        return {kRepeats, make, 1, kMostRepeats};
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
        if (named == kRepeats)
            return std::vector<Knob>{repeatKnob()};
        if (!named.empty()) {
            std::vector<std::string> names{kRepeats};
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
        if (!isGiven(kRepeats) && findNodeAt(m_experiment.graph, m_node)->group->repeat > 1)
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

Result<MatchedWidth> matchGroup(const Experiment& experiment, const BlockRegistry& registry,
                                const std::function<CheckedGraph(const Experiment&)>& check, const std::string& node,
                                const BlockWish& wish, MatchedSize size, double target, double tolerance)
{
    MatchedWidth as{experiment, {}, 0, 0, 0, check(experiment)};
    as.size = sizeOf(size, as.checked, experiment.graph);
    as.error = std::abs(as.size - target) / target;
    if (as.checked.runnable() && as.size == target)
        return as;
    auto solved = GroupMatch(experiment, registry, check, node, wish).solve(size, target, tolerance);
    const bool isFine = as.checked.runnable() && as.error <= tolerance && wish.widthParam.empty();
    return !solved && isFine ? as : solved; // no width inside is free, and none has to change
}

} // namespace unroll
