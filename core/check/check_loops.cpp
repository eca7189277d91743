// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/masked_output.h"
#include "core/check/level.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

/// "delay -> linear -> delay".
std::string namesOf(const Level& level, const std::vector<std::size_t>& loop)
{
    std::string names;
    for (const std::size_t index : loop)
        names += level.items[index].node->name + " -> ";
    return names + level.items[loop.front()].node->name;
}

bool bringsSteps(const PortSpec* port)
{
    return port != nullptr && (port->type == PortType::Sequence || port->type == PortType::Tokens);
}

/// A loop takes its steps, and how many sequences there are, from what comes in.
void checkEntry(Level& level, std::size_t loop, const std::string& names)
{
    for (const std::size_t index : level.loops[loop]) {
        const Item& item = level.items[index];
        for (const std::size_t in : item.in)
            if (level.items[level.links[in].from].loop != loop &&
                bringsSteps(item.input(level.links[in].wire->to.port)))
                return;
        if (!item.isKnown())
            return;
        for (const PortSpec& port : item.inputs())
            if (level.fed.contains({item.node->id, port.name}) && bringsSteps(&port))
                return;
    }
    level.error(&level.items[level.loops[loop].front()], "", "loop",
                fmt::format("the loop {} has no input: wire a sequence to one of its nodes", names));
}

/// Whether it repeats at masked steps what it gave before: a mask is wired, and the choice is hold.
bool repeatsOutput(const Level& level, const Item& item)
{
    if (maskedRule(item.params) != MaskedRule::Hold)
        return false;
    const auto fed = level.fed.find({item.node->id, "mask"});
    const auto intoMask = [&](std::size_t link) { return level.links[link].wire->to.port == "mask"; };
    return (fed != level.fed.end() && fed->second.wired) || std::any_of(item.in.begin(), item.in.end(), intoMask);
}

/// What every node of a loop owes, and every node of a group that stands there: it can run step by step.
void checkItem(Level& level, Item& item, const std::string& loop)
{
    const std::string& name = item.node->name;
    item.checked.looped = true;
    if (item.givesLoss())
        level.error(&item, "", "loop",
                    fmt::format("{} computes the loss, so it cannot be part of the loop {}", name, loop));
    else if (!item.node->group && item.spec != nullptr && !item.mistaken && !item.spec->isCausal(item.params))
        level.error(&item, "", "loop",
                    fmt::format("{} reads later steps, which are not yet available in the loop {}", name, loop));
    else if (item.node->group && item.node->group->reversible)
        level
            .error(&item, "reversible", "loop",
                   fmt::format("{} is reversible and stands in the loop {}, whose steps run one at a time", name, loop))
            .fix = level.fix("Set reversible to false", edits::setReversible(item.node->id, false));
    else if (repeatsOutput(level, item))
        level
            .error(&item, kMaskedOutput, "loop",
                   fmt::format("{} repeats at masked steps what it gave before (hold); in the loop {} it runs one step "
                               "at a time and has nothing to repeat",
                               name, loop))
            .fix =
            level.fix("Set masked_output to zero", edits::setParam(item.node->id, kMaskedOutput, std::string("zero")));
}

/// Wires between such nodes carry one value a step, or a table, which is the same at every step.
void checkWire(Level& level, const Link& link, const std::string& loop)
{
    const Item& source = level.items[link.from];
    const auto given = source.gives(link.wire->from.port);
    if (!link.usable || !given || isPerStep(*given) || given == PortType::Table)
        return;
    Item& item = level.items[link.to];
    Diagnostic& diagnostic =
        level.error(&item, link.wire->to.port, "loop",
                    fmt::format("{}.{} is known only after the last step, but the loop {} needs it at every step",
                                source.node->name, link.wire->from.port, loop));
    if (const PortSpec* input = item.input(link.wire->to.port); input != nullptr && input->optional)
        diagnostic.fix = level.fix("Remove the wire", edits::disconnect(*link.wire));
}

void checkInside(Level& level, const std::string& loop)
{
    for (const Link& link : level.links)
        checkWire(level, link, loop);
    for (Item& item : level.items) {
        checkItem(level, item, loop);
        for (const AlikeCopies& alike : item.inside)
            checkInside(*alike.level, loop);
    }
}

/// Whether all that comes in is known, and no node of the loop has a mistake: then the shapes within hang on the loop
/// alone.
bool isSound(const Level& level, std::size_t loop)
{
    const auto sound = [&](const Item& item) {
        const bool wired = std::all_of(item.in.begin(), item.in.end(), [&](std::size_t in) {
            const Item& source = level.items[level.links[in].from];
            return level.links[in].usable &&
                   (source.loop == loop || source.checked.outputs.contains(level.links[in].wire->from.port));
        });
        const auto first = level.fed.lower_bound({item.node->id, ""}),
                   last = level.fed.lower_bound({item.node->id + 1, ""});
        const bool fed =
            std::all_of(first, last, [](const auto& feed) { return !feed.second.wired || feed.second.shape; });
        return wired && fed && item.isKnown() && !item.mistaken &&
               std::none_of(item.inside.begin(), item.inside.end(),
                            [](const AlikeCopies& alike) { return hasErrors(alike.level->result.diagnostics); });
    };
    return std::all_of(level.loops[loop].begin(), level.loops[loop].end(),
                       [&](std::size_t index) { return sound(level.items[index]); });
}

/// What comes round has the shape that the loop began with.
void checkRound(Level& level, std::size_t index, const Link& link, const Shape* assumed)
{
    Item& item = level.items[index];
    const auto& outputs = level.items[link.from].checked.outputs;
    const auto found = outputs.find(link.wire->from.port);
    const std::string& port = link.wire->to.port;
    if (assumed == nullptr)
        level.error(&item, port, "loop",
                    fmt::format("the width at {}.{} depends on itself: add a block with a fixed width to the loop",
                                item.node->name, port));
    else if (found == outputs.end() || found->second != *assumed)
        level.error(&item, port, "loop",
                    fmt::format("the width at {}.{} changes with every pass through the loop", item.node->name, port));
}

} // namespace

void checkLoops(Level& level)
{
    for (std::size_t loop = 0; loop < level.loops.size(); ++loop) {
        const std::string names = namesOf(level, level.loops[loop]);
        const bool sound = isSound(level, loop);
        checkEntry(level, loop, names);
        for (const std::size_t index : level.loops[loop]) {
            Item& item = level.items[index];
            checkItem(level, item, names);
            for (const AlikeCopies& alike : item.inside)
                checkInside(*alike.level, names);
            for (const std::size_t in : item.in) {
                const Link& link = level.links[in];
                if (level.items[link.from].loop != loop)
                    continue;
                checkWire(level, link, names);
                const auto assumed = level.assumed.find(in);
                if (link.late && sound)
                    checkRound(level, index, link, assumed == level.assumed.end() ? nullptr : &assumed->second);
            }
        }
    }
}

} // namespace unroll
