// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

/// Every wired input and every output has a shape, so the formulas have what they need.
bool isComplete(const Level& level, const Item& item)
{
    const auto unknown = [&](const PortSpec& port) {
        auto found = level.fed.find({item.node->id, port.name});
        return found != level.fed.end() && found->second.wired && !found->second.shape;
    };
    const bool inputs = std::all_of(item.in.begin(), item.in.end(), [&](std::size_t link) {
        return item.checked.inputs.contains(level.links[link].wire->to.port);
    });
    const bool outputs = std::all_of(item.outputs().begin(), item.outputs().end(),
                                     [&](const PortSpec& port) { return item.checked.outputs.contains(port.name); });
    return inputs && outputs &&
           (level.fed.empty() || std::none_of(item.inputs().begin(), item.inputs().end(), unknown));
}

double atLeastZero(double value)
{
    return value > 0 ? value : 0;
}

Cost blockCost(const Level& level, const Item& item)
{
    Cost cost = item.spec->costOf(
        {item.params, item.checked.inputs, item.checked.outputs, std::max<std::int64_t>(level.result.steps, 1)});
    // What runs once a sequence costs a token its share.
    const double share =
        item.checked.onVectors ? 1.0 / static_cast<double>(std::max<std::int64_t>(level.result.steps, 1)) : 1;
    for (double* each : {&cost.forwardFlops, &cost.backwardFlops, &cost.activationBytes, &cost.workspaceBytes,
                         &cost.forwardElements, &cost.backwardElements})
        *each *= share;
    cost.parameters = std::max<std::int64_t>(cost.parameters, 0);
    cost.forwardFlops = atLeastZero(cost.forwardFlops);
    cost.backwardFlops = atLeastZero(cost.backwardFlops);
    cost.activationBytes = atLeastZero(cost.activationBytes);
    cost.workspaceBytes = atLeastZero(cost.workspaceBytes);
    if (item.checked.looped) {
        // Step by step: what one step's passes need is gone before the next, and so is an output that no backward pass
        // reads.
        cost.workspaceBytes /= static_cast<double>(std::max<std::int64_t>(level.result.steps, 1));
        if (cost.backwardFlops == 0)
            cost.activationBytes = 0;
    }
    return cost;
}

/// Of both streams of a reversible group, bytes a token.
double streamBytes(const Level& level, const ReversibleForm& form)
{
    constexpr double kFloatBytes = 4;
    double bytes = 0;
    for (const NodeId id : {form.first.node, form.second.node}) {
        const CheckedNode& sum = level.items[*level.indexOf(id)].checked;
        const double share =
            sum.onVectors ? 1.0 / static_cast<double>(std::max<std::int64_t>(level.result.steps, 1)) : 1;
        for (const auto& [port, shape] : sum.outputs)
            bytes += kFloatBytes * static_cast<double>(shape.size()) * share;
    }
    return bytes;
}

/// What is kept are the streams behind the last copy. The backward pass computes F and G once more, one after the
/// other, with the streams and their gradients.
void makeReversible(const Item& item, Cost& total)
{
    constexpr double kStreamPairs = 2; ///< of the copy in hand and their gradients
    total.activationBytes = streamBytes(*item.innerOfLast(), *item.checked.reversible);
    total.workspaceBytes = 0;
    for (const AlikeCopies& alike : item.inside)
        for (const std::set<NodeId>* part : {&item.checked.reversible->f, &item.checked.reversible->g})
            total.workspaceBytes = std::max(total.workspaceBytes, bytesOf(*alike.level, *part));
    total.workspaceBytes += kStreamPairs * total.activationBytes;
    total.backwardFlops += total.forwardFlops;
    total.backwardElements += total.forwardElements;
}

Cost groupCost(const Item& item)
{
    Cost total;
    for (const AlikeCopies& alike : item.inside) {
        const Cost& inner = alike.level->result.cost;
        const auto copies = static_cast<std::int64_t>(alike.copies.size());
        const auto times = static_cast<double>(copies);
        total += {product({inner.parameters, item.node->group->sharedWeights ? 1 : copies}),
                  inner.forwardFlops * times,
                  inner.backwardFlops * times,
                  inner.activationBytes * times,
                  inner.workspaceBytes,
                  inner.forwardElements * times,
                  inner.backwardElements * times};
    }
    if (item.checked.reversible)
        makeReversible(item, total);
    return total;
}

void checkShapesKnown(Level& level)
{
    for (Item& item : level.items) {
        for (const AlikeCopies& alike : item.inside)
            checkShapesKnown(*alike.level);
        for (const PortSpec& port : item.outputs())
            if (!item.checked.outputs.contains(port.name))
                level.error(&item, port.name, "shape-unknown",
                            fmt::format("the shape of {}.{} could not be inferred", item.node->name, port.name));
    }
}

bool hasErrorsInside(const Level& level)
{
    return hasErrors(level.result.diagnostics) ||
           std::any_of(level.items.begin(), level.items.end(), [](const Item& item) {
               return std::any_of(item.inside.begin(), item.inside.end(),
                                  [](const AlikeCopies& alike) { return hasErrorsInside(*alike.level); });
           });
}

} // namespace

double bytesOf(const Level& level, const std::set<NodeId>& nodes)
{
    double kept = 0, besides = 0;
    for (const NodeId id : nodes) {
        const Cost& cost = level.items[*level.indexOf(id)].checked.cost;
        kept += cost.activationBytes;
        besides = std::max(besides, cost.workspaceBytes);
    }
    return kept + besides;
}

void addCosts(Level& level)
{
    for (Item& item : level.items) {
        if (!item.inside.empty()) {
            item.checked.cost = groupCost(item);
            for (const AlikeCopies& alike : item.inside)
                level.blocks += alike.level->blocks * static_cast<double>(alike.copies.size());
        } else if (item.spec != nullptr && !item.node->group) {
            if (item.spec->cost && !item.mistaken && isComplete(level, item))
                item.checked.cost = blockCost(level, item);
            level.blocks += 1;
        }
        level.result.cost += item.checked.cost;
    }
}

void checkSize(Level& level)
{
    if (level.blocks > kMostBlocks)
        level.error(nullptr, "", "too-large",
                    fmt::format("with all repeats expanded the graph has {:.0f} blocks; the limit is {:.0f}",
                                level.blocks, kMostBlocks));
    checkMemory(level);
    if (!hasErrorsInside(level)) // a shape that is missing after a mistake needs no further word
        checkShapesKnown(level);
}

} // namespace unroll
