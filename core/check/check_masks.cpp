// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

const PortSpec* maskPort(const std::vector<PortSpec>& ports)
{
    auto found =
        std::find_if(ports.begin(), ports.end(), [](const PortSpec& port) { return port.type == PortType::Mask; });
    return found == ports.end() ? nullptr : &*found;
}

bool isWired(const Level& level, const Item& item, const std::string& port)
{
    const auto fed = level.fed.find({item.node->id, port});
    const auto into = [&](std::size_t link) { return level.links[link].wire->to.port == port; };
    return (fed != level.fed.end() && fed->second.wired) || std::any_of(item.in.begin(), item.in.end(), into);
}

/// Whether the block's state after the last step goes on to another node.
bool handsStateOn(const Level& level, const Item& item)
{
    if (!item.spec->recurrent)
        return false;
    const auto promoted = [&](const PromotedPort& port) { return port.inner == PortRef{item.node->id, "state"}; };
    const bool leaves = level.outputs != nullptr && std::any_of(level.outputs->begin(), level.outputs->end(), promoted);
    return leaves || std::any_of(item.out.begin(), item.out.end(),
                                 [&](std::size_t link) { return level.links[link].wire->from.port == "state"; });
}

/// Why padding would change what the block gives; empty: it would not.
std::string readsPadding(const Level& level, const Item& item)
{
    if (!item.spec->isCausal(item.params))
        return fmt::format("{} reads each sequence to its end", item.node->name);
    if (handsStateOn(level, item))
        return fmt::format("the final state of {} is used", item.node->name);
    return "";
}

/// A name for a new input of the group.
std::string freeInput(const Group& group, const std::string& wish)
{
    std::string name = wish;
    for (int number = 2; findPort(group.inputs, name) != nullptr; ++number)
        name = fmt::format("{}_{}", wish, number);
    return name;
}

/// Wires the data's mask to an input, through the groups around it. Nothing where a group is repeated and the new input
/// would stand beside an output that the next copy takes.
std::optional<GraphEdit> wiredMask(const Graph& top, const Level& level, const PortRef& mask, PortRef input)
{
    std::vector<GraphEdit> edits;
    for (GroupPath path = level.path; !path.empty();) {
        const NodeId id = path.back();
        path.pop_back();
        const Graph* around = &top;
        for (const NodeId outer : path)
            around = around->find(outer)->group->graph.get();
        const Group& group = *around->find(id)->group;
        const auto same = [&](const PromotedPort& port) { return port.inner == input; };
        const auto promoted = std::find_if(group.inputs.begin(), group.inputs.end(), same);
        if (promoted == group.inputs.end() && group.repeat > 1 && group.outputs.size() > group.inputs.size())
            return std::nullopt;
        const std::string name = promoted != group.inputs.end() ? promoted->name : freeInput(group, input.port);
        if (promoted == group.inputs.end())
            edits.push_back(atPath(path, edits::promoteInput(id, {name, input})));
        input = {id, name};
    }
    edits.push_back(edits::connect({mask, input}));
    return edits::sequence("Connect the mask", std::move(edits));
}

void checkItem(Level& top, Level& level, Item& item, const Item& data)
{
    if (item.node->group || item.spec == nullptr || item.isData() || item.mistaken)
        return;
    const PortSpec* input = maskPort(item.inputs());
    const PortSpec* output = maskPort(data.outputs());
    if (input == nullptr || !input->optional || output == nullptr || isWired(level, item, input->name))
        return;
    const std::string why = readsPadding(level, item);
    if (why.empty())
        return;
    Diagnostic& diagnostic = level.report(
        Severity::Warning, &item, input->name, "mask-free",
        fmt::format("{}, and sequences of {} differ in length: wire {}.{} to {}.{}, or padding is read as steps", why,
                    data.node->name, data.node->name, output->name, item.node->name, input->name));
    if (auto edit = wiredMask(top.graph, level, {data.node->id, output->name}, {item.node->id, input->name}))
        diagnostic.fix = top.fix(fmt::format("Connect {}.{}", data.node->name, output->name), std::move(*edit));
}

void checkItems(Level& top, Level& level, const Item& data)
{
    for (Item& item : level.items) {
        checkItem(top, level, item, data);
        for (const AlikeCopies& alike : item.inside)
            checkItems(top, *alike.level, data);
    }
}

} // namespace

void checkMasks(Level& level)
{
    const Item* data = level.item(level.result.source);
    if (data != nullptr && data->facts && data->facts->pads)
        checkItems(level, level, *data);
}

} // namespace unroll
