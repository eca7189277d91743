// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

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
    for (const std::string& choice : spec.choices)
        if (chosen != nullptr && choice != *chosen)
            values.emplace_back(choice);
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
                    fmt::format("{} {} see later steps, and the loss asks for the next token: it would only copy it",
                                why, item.node->name));
    if (remedy)
        diagnostic.fix = level.paramFix(item, remedy->param, remedy->value);
}

/// Walks from `starts` against the wires and reports every non-causal block that is met. Groups are entered by the outputs that are used.
void walkBack(Level& level, const std::vector<PortRef>& starts)
{
    std::vector<bool> seen(level.items.size(), false);
    std::map<std::size_t, std::vector<std::string>> groupOutputs;
    std::deque<std::size_t> open;
    const auto reach = [&](std::size_t index, const std::string& port) {
        if (level.items[index].inner)
            groupOutputs[index].push_back(port);
        if (!seen[index])
            open.push_back(index);
        seen[index] = true;
    };
    for (const PortRef& start : starts)
        if (auto index = level.indexOf(start.node))
            reach(*index, start.port);
    while (!open.empty()) {
        Item& item = level.items[open.front()];
        open.pop_front();
        if (!item.node->group && item.spec != nullptr && !item.spec->isCausal(item.params))
            reportNonCausal(level, item);
        for (const std::size_t link : item.in)
            reach(level.links[link].from, level.links[link].wire->from.port);
    }
    for (const auto& [index, ports] : groupOutputs) {
        std::vector<PortRef> ends;
        for (const PromotedPort& output : level.items[index].node->group->outputs)
            if (std::find(ports.begin(), ports.end(), output.name) != ports.end())
                ends.push_back(output.inner);
        walkBack(*level.items[index].inner, ends);
    }
}

} // namespace

void checkCausality(Level& level)
{
    std::vector<PortRef> starts;
    for (const Item& item : level.items) {
        if (!item.givesLoss())
            continue;
        const auto& shapes = item.checked.inputs;
        if (std::none_of(shapes.begin(), shapes.end(), [](const auto& input) { return input.second.nextToken; }))
            continue;
        for (const std::size_t index : item.in)
            if (const PortSpec* input = item.input(level.links[index].wire->to.port);
                input != nullptr && input->type != PortType::Targets)
                starts.push_back(level.links[index].wire->from);
    }
    walkBack(level, starts);
}

} // namespace unroll
