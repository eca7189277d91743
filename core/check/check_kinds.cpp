// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that do to each step what they do to any other run on vectors too, one a sequence: what comes in decides.
#include "core/check/level.h"
#include "core/check/ports.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

/// An input of either kind, with what comes to it.
struct Arriving {
    const PortSpec* port;
    PortType given;
    const Link* link; ///< nullptr: from outside of the group
};

/// A recurrent block's state takes a vector of its numbers too; of a group the block inside does.
bool takes(const Item& item, const PortSpec& input, PortType given)
{
    const bool hasState = item.node->group || item.spec->recurrent;
    return given == input.type || (given == PortType::Vector && input.type == PortType::State && hasState);
}

/// What comes to the ports that take sequences and vectors. Wires that bring what their input does not take at all are
/// told and left out.
std::vector<Arriving> arriving(Level& level, Item& item)
{
    std::vector<Arriving> found;
    for (const std::size_t index : item.in) {
        Link& link = level.links[index];
        if (link.clashes) // said in another round through a loop
            link.usable = true;
        link.clashes = false;
        const PortSpec* input = item.input(link.wire->to.port);
        const auto given = level.items[link.from].gives(link.wire->from.port);
        if (!link.usable || input == nullptr || !given)
            continue;
        if (input->orVector && (*given == PortType::Sequence || *given == PortType::Vector)) {
            found.push_back({input, *given, &link});
        } else if (!takes(item, *input, *given)) {
            link.usable = false;
            link.clashes = true;
            reportType(level, item, link, *given);
        }
    }
    for (const PortSpec& input : item.inputs())
        if (const auto fed = level.fed.find({item.node->id, input.name});
            fed != level.fed.end() && input.orVector && fed->second.type)
            found.push_back({&input, *fed->second.type, nullptr});
    return found;
}

std::string kindWord(const Arriving& arrival)
{
    return fmt::format("{} is {}", arrival.port->name, portTypeWord(arrival.given));
}

/// Steps beside something that there is once: the steps have to be brought together first.
void reportMixed(Level& level, Item& item, const Arriving& steps, const Arriving& vector)
{
    item.mistaken = true;
    const auto converter = findConverter(level.registry, PortType::Sequence, PortType::Vector);
    Diagnostic& diagnostic =
        level.error(&item, steps.port->name, "kinds-differ",
                    fmt::format("{} works on sequences or on one vector per sequence, not on both at once: {}, {}",
                                item.node->name, kindWord(steps), kindWord(vector)));
    if (converter && steps.link != nullptr)
        diagnostic.fix =
            level.fix("Insert " + converter->spec->title, insertedOn(*converter, level.graph, *steps.link->wire));
}

bool isTargets(PortType type)
{
    return type == PortType::Targets || type == PortType::TargetValues;
}

/// Another value of a parameter of the data, with which it asks for one thing a sequence.
std::optional<Fix> askingOnce(const Level& level, const Link& link)
{
    const Item& data = level.items[link.from];
    if (!data.isData() || data.mistaken)
        return std::nullopt;
    for (const ParamSpec& param : data.spec->params)
        for (const ChoiceSpec& choice : param.choices) {
            Params changed = data.params;
            changed[param.name] = choice.value;
            InferScope scope(changed, {}, data.facts ? &*data.facts : nullptr);
            data.spec->infer(scope);
            const auto targets = scope.outputs().find(link.wire->from.port);
            if (targets != scope.outputs().end() && targets->second.onePerSequence)
                return level.paramFix(data, param.name, choice.value);
        }
    return std::nullopt;
}

} // namespace

void settleKinds(Level& level, Item& item)
{
    item.checked.onVectors = false;
    if (!item.isKnown())
        return;
    const std::vector<Arriving> arrivals = arriving(level, item);
    if (item.node->group) // its inside says what of it runs on what
        return;
    const auto isVector = [](const Arriving& arrival) { return arrival.given == PortType::Vector; };
    const auto vector = std::find_if(arrivals.begin(), arrivals.end(), isVector);
    const auto steps = std::find_if_not(arrivals.begin(), arrivals.end(), isVector);
    if (vector != arrivals.end() && steps != arrivals.end())
        reportMixed(level, item, *steps, *vector);
    item.checked.onVectors = vector != arrivals.end();
}

void checkTargets(Level& level, Item& item)
{
    if (!item.checked.onVectors)
        return;
    for (const std::size_t index : item.in) {
        const Link& link = level.links[index];
        const auto shape = item.checked.inputs.find(link.wire->to.port);
        if (shape == item.checked.inputs.end() || !isTargets(shape->second.type) || shape->second.onePerSequence)
            continue;
        item.mistaken = true;
        Diagnostic& diagnostic =
            level.error(&item, link.wire->to.port, "targets-per-step",
                        fmt::format("{} gets one vector per sequence, but {}.{} has targets at more than one step: use "
                                    "data with one target per sequence, or keep the time dimension",
                                    item.node->name, level.items[link.from].node->name, link.wire->from.port));
        diagnostic.fix = askingOnce(level, link);
        return;
    }
}

} // namespace unroll
