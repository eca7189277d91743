// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace unroll {

namespace {

/// A parameter that makes the block causal when it is changed.
struct Remedy {
    std::string param;
    ParamValue value;
};

std::vector<ParamValue> otherValues(const ParamSpec& spec, const ParamValue& now)
{
    std::vector<ParamValue> values;
    if (now != spec.defaultValue)
        values.push_back(spec.defaultValue);
    if (const bool* truth = std::get_if<bool>(&now))
        values.emplace_back(!*truth);
    const auto* chosen = std::get_if<std::string>(&now);
    for (const ChoiceSpec& choice : spec.choices)
        if (chosen != nullptr && choice.value != *chosen)
            values.emplace_back(choice.value);
    return values;
}

std::optional<Remedy> findRemedy(const BlockSpec& spec, const Params& params)
{
    for (const ParamSpec& param : spec.params)
        for (ParamValue& value : otherValues(param, params.at(param.name))) {
            Params changed = params;
            changed[param.name] = value;
            if (spec.isCausal(changed))
                return Remedy{param.name, std::move(value)};
        }
    return std::nullopt;
}

void reportNonCausal(Level& level, Item& item)
{
    const auto remedy = findRemedy(*item.spec, item.params);
    const std::string why = remedy
                                ? fmt::format("{} = {} lets", remedy->param, paramText(item.params.at(remedy->param)))
                                : "this block lets";
    Diagnostic& diagnostic =
        level.error(&item, remedy ? remedy->param : "", "not-causal",
                    fmt::format("{} {} see later steps, but the loss predicts the next one: it would only copy it", why,
                                item.node->name));
    if (remedy)
        diagnostic.fix = level.paramFix(item, remedy->param, remedy->value);
}

/// The inside of a group, or the top, with the way out.
struct Site {
    Level* level = nullptr;
    const Site* outer = nullptr;
    std::size_t group = 0; ///< the item in `outer` whose inside this is
};

/// What comes to an input: an output, on a wire or from one copy of a repeated group to the next.
struct Arrival {
    const Site* to = nullptr;
    std::size_t item = 0;
    std::string port;
    std::size_t from = 0; ///< item at the same site; the same one: the copy before
    std::string output;
    const Link* link = nullptr; ///< nullptr: from the copy before
};

/// Walks from outputs against the wires, through groups and out of them again, over exactly what they are made of.
class WalkBack {
public:
    /// `passes` is asked at every arrival whether to walk on behind it; `meets` is called for every block met.
    WalkBack(std::function<bool(const Arrival&)> passes, std::function<void(const Site&, Item&)> meets)
        : m_passes(std::move(passes)), m_meets(std::move(meets))
    {}

    /// `before`: from the copies before the last one, of an item that is a repeated group.
    void from(const Site& site, std::size_t item, const std::string& output, bool before)
    {
        open(site, item, output, before);
        while (!m_open.empty()) {
            const auto [at, index] = m_open.back();
            m_open.pop_back();
            meet(*at, index);
        }
    }

private:
    void open(const Site& site, std::size_t index, const std::string& output, bool before)
    {
        const Item& item = site.level->items[index];
        if (item.inside.empty()) {
            if (m_seen.insert({&item, ""}).second)
                m_open.push_back({&site, index});
            return;
        }
        for (const AlikeCopies& alike : item.inside) {
            const bool comesFrom = before ? alike.copies.front() < item.copies() : alike.copies.back() == item.copies();
            if (comesFrom && m_seen.insert({alike.level.get(), output}).second)
                openInside(site, index, *alike.level, output);
        }
    }

    void openInside(const Site& site, std::size_t index, Level& inner, const std::string& output)
    {
        const Site& inside = m_sites.try_emplace(&inner, Site{&inner, &site, index}).first->second;
        for (const PromotedPort& promoted : site.level->items[index].node->group->outputs)
            if (const auto source = inner.indexOf(promoted.inner.node); promoted.name == output && source)
                open(inside, *source, promoted.inner.port, false);
    }

    /// All that comes to a block.
    void meet(const Site& site, std::size_t index)
    {
        Item& item = site.level->items[index];
        m_meets(site, item);
        for (const std::size_t in : item.in)
            along(site, site.level->links[in]);
        const auto& fed = site.level->fed;
        for (auto inner = fed.lower_bound({item.node->id, ""});
             inner != fed.end() && inner->first.node == item.node->id; ++inner)
            outside(site, inner->first);
    }

    void along(const Site& site, const Link& link)
    {
        arrive({&site, link.to, link.wire->to.port, link.from, link.wire->from.port, &link});
    }

    /// What comes to an inner port through the group's input.
    void outside(const Site& site, const PortRef& inner)
    {
        const Item& item = site.outer->level->items[site.group];
        const Group& group = *item.node->group;
        for (std::size_t i = 0; i < group.inputs.size(); ++i)
            if (group.inputs[i].inner == inner) {
                intoGroup(*site.outer, item, group.inputs[i].name);
                if (group.repeat > 1 && i < group.outputs.size())
                    arrive({site.outer, site.group, group.inputs[i].name, site.group, group.outputs[i].name, nullptr});
            }
    }

    void intoGroup(const Site& site, const Item& item, const std::string& port)
    {
        for (const std::size_t in : item.in)
            if (site.level->links[in].wire->to.port == port)
                along(site, site.level->links[in]);
        if (const PortRef end{item.node->id, port}; site.level->fed.contains(end))
            outside(site, end);
    }

    void arrive(const Arrival& arrival)
    {
        if (m_passes(arrival))
            open(*arrival.to, arrival.from, arrival.output, arrival.link == nullptr);
    }

    std::function<bool(const Arrival&)> m_passes;
    std::function<void(const Site&, Item&)> m_meets;
    std::map<const Level*, Site> m_sites;
    std::set<std::pair<const void*, std::string>> m_seen; ///< blocks, and of the inside of groups output by output
    std::vector<std::pair<const Site*, std::size_t>> m_open;
};

/// Whether a vector arrives that was made of weights alone, whatever steps the block is told of.
bool isOfWeights(const Arrival& arrival)
{
    const auto& outputs = arrival.to->level->items[arrival.from].checked.outputs;
    const auto given = outputs.find(arrival.output);
    return given != outputs.end() && given->second.ofWeights;
}

/// Whether what arrives is known after the last step alone: a state or a vector that was made from steps. What data
/// brings is there before the first.
bool isLate(const Arrival& arrival)
{
    const Item& source = arrival.to->level->items[arrival.from];
    const auto given = source.gives(arrival.output);
    const bool usable = arrival.link == nullptr || arrival.link->usable;
    if (!usable || (given != PortType::State && given != PortType::Vector))
        return false;
    bool readsSteps = false;
    WalkBack walk(
        [&](const Arrival& before) {
            if (isOfWeights(before))
                return false;
            const auto type = before.to->level->items[before.from].gives(before.output);
            readsSteps = readsSteps || (type && isPerStep(*type));
            return !readsSteps;
        },
        [](const Site&, Item&) {});
    walk.from(*arrival.to, arrival.from, arrival.output, arrival.link == nullptr);
    return readsSteps;
}

void reportLate(const Arrival& arrival)
{
    Level& level = *arrival.to->level;
    Item& item = level.items[arrival.item];
    const std::string& name = item.node->name;
    const std::string source = level.items[arrival.from].node->name + "." + arrival.output;
    const std::string end = "see later steps, but the loss predicts the next one: it would only copy it";
    if (arrival.link == nullptr) {
        level
            .error(&item, arrival.port, "not-causal",
                   fmt::format("{} is known only after the last step; {} is repeated, so it lets the next copy {}",
                               source, name, end))
            .fix = level.fix("Set repeat to 1", edits::setRepeat(item.node->id, 1, item.node->group->sharedWeights));
        return;
    }
    Diagnostic& diagnostic =
        level.error(&item, arrival.port, "not-causal",
                    fmt::format("{} is known only after the last step; wired to {}.{} it lets {} {}", source, name,
                                arrival.port, name, end));
    if (const PortSpec* input = item.input(arrival.port); input != nullptr && input->optional)
        diagnostic.fix = level.fix("Remove the wire", edits::disconnect(*arrival.link->wire));
}

} // namespace

void checkCausality(Level& level)
{
    const Site top{&level};
    WalkBack walk(
        [](const Arrival& arrival) {
            if (isOfWeights(arrival))
                return false;
            const bool late = isLate(arrival);
            if (late)
                reportLate(arrival);
            return !late;
        },
        [](const Site& site, Item& item) {
            if (!item.node->group && item.spec != nullptr && !item.spec->isCausal(item.params))
                reportNonCausal(*site.level, item);
        });
    for (const Item& item : level.items) {
        const auto& shapes = item.checked.inputs;
        if (!item.givesLoss() ||
            std::none_of(shapes.begin(), shapes.end(), [](const auto& input) { return input.second.ahead; }))
            continue;
        for (const std::size_t index : item.in) {
            const Link& link = level.links[index];
            if (const PortSpec* input = item.input(link.wire->to.port);
                input != nullptr && input->type != PortType::Targets && input->type != PortType::TargetValues)
                walk.from(top, link.from, link.wire->from.port, false);
        }
    }
}

} // namespace unroll
