// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"
#include "core/graph/by_copy.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace unroll {

namespace {

Diagnostic& groupFault(Level& level, Item& item, const std::string& where, std::string sentence)
{
    item.mistaken = true;
    return level.error(&item, where, "group-fault", std::move(sentence));
}

void checkRepeat(Level& level, Item& item)
{
    const Group& group = *item.node->group;
    const std::int64_t nearest = std::clamp<std::int64_t>(group.repeat, 1, kMostCopies);
    if (nearest != group.repeat)
        groupFault(
            level, item, "repeat",
            fmt::format("repeat must be at {} {}; it is {}", nearest == 1 ? "least" : "most", nearest, group.repeat))
            .fix = level.fix(fmt::format("Set repeat to {}", nearest),
                             edits::setRepeat(item.node->id, nearest, group.sharedWeights));
    else if (group.repeat > 1 && (group.inputs.empty() || group.outputs.empty()))
        groupFault(
            level, item, "repeat",
            fmt::format("{} is repeated, but has no output that feeds an input of the next copy", item.node->name))
            .fix = level.fix("Set repeat to 1", edits::setRepeat(item.node->id, 1, group.sharedWeights));
}

/// Why a promoted port cannot stand; empty: it can.
std::string portFault(const Level& inner, const std::vector<PromotedPort>& ports, std::size_t at, bool output)
{
    const PromotedPort& port = ports[at];
    const char* kind = output ? "output" : "input";
    const auto index = inner.indexOf(port.inner.node);
    if (!isValidName(port.name))
        return fmt::format("\"{}\" cannot name an {} of a group", port.name, kind);
    for (std::size_t i = 0; i < at; ++i)
        if (ports[i].name == port.name || (!output && ports[i].inner == port.inner))
            return fmt::format("the {} {} is promoted twice", kind, port.name);
    if (!index)
        return fmt::format("the {} {} refers to a node that is not in the group", kind, port.name);
    const Item& item = inner.items[*index];
    if (!(output ? item.hasOutput(port.inner.port) : item.hasInput(port.inner.port)))
        return fmt::format("the {} {} refers to {}.{}, which does not exist", kind, port.name, item.node->name,
                           port.inner.port);
    if (!output && inner.graph.wireInto(port.inner) != nullptr)
        return fmt::format("the input {} refers to {}.{}, which is wired inside the group", port.name, item.node->name,
                           port.inner.port);
    return "";
}

void checkPromotedPorts(Level& level, Item& item, bool output)
{
    const auto& ports = output ? item.node->group->outputs : item.node->group->inputs;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        std::string fault = portFault(*item.inner(), ports, i, output);
        if (fault.empty())
            continue;
        GraphEdit demote =
            output ? edits::demoteOutput(item.node->id, ports[i]) : edits::demoteInput(item.node->id, ports[i]);
        groupFault(level, item, ports[i].name, std::move(fault)).fix =
            level.fix("Remove " + ports[i].name, std::move(demote));
    }
}

std::string paramFault(const Level& inner, const std::vector<PromotedParam>& params, std::size_t at)
{
    const PromotedParam& param = params[at];
    const auto index = inner.indexOf(param.node);
    if (!isValidName(param.name))
        return fmt::format("\"{}\" cannot name a parameter of a group", param.name);
    for (std::size_t i = 0; i < at; ++i)
        if (params[i].node == param.node && params[i].param == param.param)
            return fmt::format("the parameter {} is promoted twice", param.name);
    if (!index)
        return fmt::format("the parameter {} belongs to a node that is not in the group", param.name);
    const Node& node = *inner.items[*index].node;
    const BlockSpec* spec = inner.items[*index].spec;
    const auto named = [&](const PromotedParam& promoted) { return promoted.name == param.param; };
    const bool known = node.group ? std::any_of(node.group->params.begin(), node.group->params.end(), named)
                                  : spec == nullptr || spec->param(param.param) != nullptr;
    return known ? ""
                 : fmt::format("the parameter {} refers to {}.{}, which does not exist", param.name, node.name,
                               param.param);
}

void checkPromotedParams(Level& level, Item& item)
{
    const auto& params = item.node->group->params;
    for (std::size_t i = 0; i < params.size(); ++i)
        if (std::string fault = paramFault(*item.inner(), params, i); !fault.empty())
            groupFault(level, item, params[i].name, std::move(fault)).fix =
                level.fix("Remove " + params[i].name, edits::demoteParam(item.node->id, params[i]));
}

/// What the group sets inside: its own parameters, or what an outer group sets in their place.
void handDownParams(const Level& level, const Item& item, Level& inner)
{
    for (const PromotedParam& param : item.node->group->params) {
        if (auto outer = level.overrides.find({item.node->id, param.name}); outer != level.overrides.end())
            inner.overrides.insert({{param.node, param.param}, outer->second});
        else if (auto own = item.node->params.find(param.name); own != item.node->params.end())
            inner.overrides.insert({{param.node, param.param}, {own->second, level.path, item.node->id, param.name}});
    }
}

/// What all copies of a repeated group have at an input where the next copy takes what the one before gives: a vector
/// may be made of weights alone in the first copy and of steps in those behind it.
Shape inEveryCopy(const Group& group, const std::string& input, Shape shape)
{
    const auto isIt = [&](const PromotedPort& port) { return port.name == input; };
    const auto at = std::find_if(group.inputs.begin(), group.inputs.end(), isIt) - group.inputs.begin();
    if (group.repeat > 1 && std::cmp_less(at, group.outputs.size()))
        shape.ofWeights = false;
    return shape;
}

void feedInputs(const Level& level, const Item& item, Level& inner)
{
    std::set<std::string_view> wired;
    for (const std::size_t link : item.in)
        wired.insert(level.links[link].wire->to.port);
    for (const PromotedPort& port : item.node->group->inputs) {
        const auto outer = level.fed.find({item.node->id, port.name});
        Feed feed{wired.contains(port.name) || (outer != level.fed.end() && outer->second.wired), {}};
        if (auto shape = item.checked.inputs.find(port.name); shape != item.checked.inputs.end())
            feed.shape = inEveryCopy(*item.node->group, port.name, shape->second);
        feed.type = outer != level.fed.end() ? outer->second.type : std::nullopt;
        for (const std::size_t link : item.in)
            if (level.links[link].wire->to.port == port.name && level.links[link].usable)
                feed.type = level.items[level.links[link].from].gives(level.links[link].wire->from.port);
        inner.fed.insert({port.inner, feed});
    }
}

void checkContents(Level& level, Level& inner)
{
    for (Item& item : inner.items) {
        if (!item.isData() && !item.givesLoss())
            continue;
        const Group& group = *level.graph.find(inner.path.back())->group;
        Diagnostic& diagnostic = inner.error(
            &item, "", "group-fault",
            fmt::format("{} cannot be inside a group: data and loss belong to the top level", item.node->name));
        if (level.isTop() && group.repeat == 1)
            diagnostic.fix = level.fix("Unpack the group", edits::unpackGroup(inner.path.back()));
    }
}

/// The shape that the sub-graph gives at an output of the group; nothing: it is not known.
std::optional<Shape> shapeAt(Level& inner, const PromotedPort& output)
{
    const Item* source = inner.item(output.inner.node);
    if (source == nullptr)
        return std::nullopt;
    const auto found = source->checked.outputs.find(output.inner.port);
    return found == source->checked.outputs.end() ? std::nullopt : std::optional(found->second);
}

void reportMisfit(Level& level, Item& item, const AlikeCopies& alike, const PortSpec& input, const PortSpec& output,
                  const Shape* gives)
{
    const Group& group = *item.node->group;
    const std::string which = item.inside.size() > 1 ? fmt::format(" (copy {})", alike.copies.front()) : "";
    const std::string came = gives == nullptr ? portTypeWord(output.type) : gives->text();
    const std::string wanted = gives == nullptr ? portTypeWord(input.type) : item.checked.inputs.at(input.name).text();
    Diagnostic& misfit =
        groupFault(level, item, output.name,
                   fmt::format("{} is repeated, so {} must match {}: it gives {}, but {} expects {}{}", item.node->name,
                               output.name, input.name, came, input.name, wanted, which));
    if (item.inside.size() == 1) // else there would still be values for copies
        misfit.fix = level.fix("Set repeat to 1", edits::setRepeat(item.node->id, 1, group.sharedWeights));
}

/// What comes out of one copy goes into the next at the same place, so it must be of the same shape.
void checkRepeatFits(Level& level, Item& item)
{
    const Group& group = *item.node->group;
    const std::size_t places = std::min(group.inputs.size(), group.outputs.size());
    for (std::size_t i = 0; group.repeat > 1 && i < places; ++i) {
        const PortSpec* input = item.input(group.inputs[i].name);
        const PortSpec* output = item.output(group.outputs[i].name);
        if (input == nullptr || output == nullptr)
            continue;
        const auto in = item.checked.inputs.find(input->name);
        for (const AlikeCopies& alike : item.inside) {
            const auto out = shapeAt(*alike.level, group.outputs[i]);
            const bool differs = in != item.checked.inputs.end() && out &&
                                 inEveryCopy(group, input->name, in->second) != inEveryCopy(group, input->name, *out);
            if (input->type != output->type || differs) {
                reportMisfit(level, item, alike, *input, *output, input->type != output->type ? nullptr : &*out);
                break;
            }
        }
    }
}

/// What is behind the group comes from the last copy.
void readShapes(Item& item)
{
    for (const PromotedPort& port : item.node->group->outputs)
        if (auto shape = shapeAt(*item.innerOfLast(), port))
            item.checked.outputs[port.name] = *shape;
}

void readParams(Item& item)
{
    for (const PromotedParam& param : item.node->group->params) {
        const Item* target = item.inner()->item(param.node);
        if (target == nullptr)
            continue;
        const Params& inner = target->node->group ? target->checked.params : target->params;
        if (auto found = inner.find(param.param); found != inner.end())
            item.checked.params.emplace(param.name, found->second);
    }
}

/// The copies that differ by parameters, those that are alike together.
std::vector<std::vector<std::int64_t>> alikeCopies(const Level& inner, std::int64_t copies)
{
    std::vector<const ByCopy*> differing;
    collectByCopy(inner.graph, differing);
    for (const auto& [param, set] : inner.overrides) {
        const auto* values = std::get_if<ByCopy>(&set.value);
        const Node* node = inner.graph.find(param.first);
        if (values != nullptr && node != nullptr && countsAround(*node, param.second))
            differing.push_back(values);
    }
    std::vector<std::vector<std::int64_t>> alike;
    std::map<std::vector<PlainValue>, std::size_t> known;
    for (std::int64_t copy = 1; copy <= copies; ++copy) {
        std::vector<PlainValue> values;
        for (const ByCopy* each : differing)
            values.push_back(valueIn(*each, copy, copies));
        const std::size_t place = known.try_emplace(std::move(values), alike.size()).first->second;
        if (place == alike.size())
            alike.emplace_back();
        alike[place].push_back(copy);
    }
    return alike;
}

std::shared_ptr<Level> newInside(const Level& level, const Item& item)
{
    const Group& group = *item.node->group;
    GroupPath path = level.path;
    path.push_back(item.node->id);
    std::string name = level.isTop() ? item.node->name : level.name + "." + item.node->name;
    auto inner =
        std::make_shared<Level>(Level{*group.graph, level.registry, level.options, std::move(path), std::move(name)});
    inner->outputs = &group.outputs;
    inner->result.steps = level.result.steps;
    inner->result.carried = level.result.carried;
    inner->copy = level.copy;
    handDownParams(level, item, *inner);
    feedInputs(level, item, *inner);
    return inner;
}

/// One level for all copies that are alike.
void openGroup(Level& level, Item& item)
{
    const Group& group = *item.node->group;
    const std::int64_t copies = std::clamp<std::int64_t>(group.repeat, 1, kMostCopies);
    std::vector<std::vector<std::int64_t>> all{{1}};
    if (copies > 1)
        all = alikeCopies(*newInside(level, item), copies);
    for (std::vector<std::int64_t>& alike : all) {
        const auto inner = newInside(level, item);
        if (copies > 1)
            inner->copy = CopyPlace{item.node->name, alike.front(), copies, group.sharedWeights};
        checkLevel(*inner);
        item.inside.push_back({inner, std::move(alike)});
    }
}

} // namespace

void checkGroup(Level& level, Item& item)
{
    const Group& group = *item.node->group;
    if (!group.graph || level.path.size() >= kMaxGroupDepth) {
        groupFault(level, item, "",
                   group.graph ? fmt::format("groups are nested deeper than {}", kMaxGroupDepth)
                               : "the group is empty");
        return;
    }
    openGroup(level, item);
    checkRepeat(level, item);
    checkPromotedPorts(level, item, false);
    checkPromotedPorts(level, item, true);
    checkPromotedParams(level, item);
    for (const AlikeCopies& alike : item.inside)
        checkContents(level, *alike.level);
    readShapes(item);
    readParams(item);
    checkRepeatFits(level, item);
    if (group.reversible && !item.mistaken)
        checkReversible(level, item);
    if (item.mistaken)
        item.checked.outputs.clear();
}

} // namespace unroll
