// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

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
    const double share = item.checked.onVectors ? 1.0 / static_cast<double>(std::max<std::int64_t>(level.result.steps, 1)) : 1;
    for (double* each : {&cost.forwardFlops, &cost.backwardFlops, &cost.activationBytes, &cost.workspaceBytes})
        *each *= share;
    cost.parameters = std::max<std::int64_t>(cost.parameters, 0);
    cost.forwardFlops = atLeastZero(cost.forwardFlops);
    cost.backwardFlops = atLeastZero(cost.backwardFlops);
    cost.activationBytes = atLeastZero(cost.activationBytes);
    cost.workspaceBytes = atLeastZero(cost.workspaceBytes);
    return cost;
}

Cost groupCost(const Group& group, const Cost& inner)
{
    const std::int64_t repeat = std::max<std::int64_t>(group.repeat, 1);
    const auto copies = static_cast<double>(repeat);
    return {product({inner.parameters, group.sharedWeights ? 1 : repeat}), inner.forwardFlops * copies,
            inner.backwardFlops * copies, inner.activationBytes * copies, inner.workspaceBytes};
}

std::int64_t wholeBytes(double bytes)
{
    constexpr double kMost = 9.2e18; // fits 64 bits
    return static_cast<std::int64_t>(std::min(bytes, kMost));
}

void reportMemory(Level& level, double weights, double activations, double allowed, const std::string& against)
{
    const double needed = weights + activations;
    if (needed <= allowed)
        return;
    level.error(nullptr, "", "memory",
                fmt::format("training would need {:.1f} GiB ({:.1f} for {} parameters with gradients and moments, "
                            "{:.1f} for activations of {} "
                            "steps x {} sequences); {}",
                            needed / kGiB, weights / kGiB, level.result.cost.parameters, activations / kGiB,
                            std::max<std::int64_t>(level.result.steps, 1), level.options.batch, against));
}

void checkMemory(Level& level)
{
    constexpr double kAbsurd = 1024.0 * 1024 * kGiB; // 1 PiB: no machine has it, so it is refused without asking
    const double weights = static_cast<double>(level.result.cost.parameters) * 16;
    const auto steps = static_cast<double>(std::max<std::int64_t>(level.result.steps, 1));
    const double activations = (level.result.cost.activationBytes + level.result.cost.workspaceBytes) * steps *
                               static_cast<double>(std::max<std::int64_t>(level.options.batch, 1));
    level.result.trainingBytes = wholeBytes(weights + activations);
    const auto available = static_cast<double>(level.options.memoryAvailable);
    const std::string& owner = level.options.memoryOwner;
    if (available > 0)
        reportMemory(level, weights, activations, available,
                     owner.empty() ? fmt::format("{:.1f} GiB are available", available / kGiB)
                                   : fmt::format("{} has {:.1f} GiB", owner, available / kGiB));
    else
        reportMemory(level, weights, activations, kAbsurd, "no machine has that much");
}

void checkShapesKnown(Level& level)
{
    for (Item& item : level.items) {
        if (item.inner)
            checkShapesKnown(*item.inner);
        for (const PortSpec& port : item.outputs())
            if (!item.checked.outputs.contains(port.name))
                level.error(&item, port.name, "shape-unknown",
                            fmt::format("the shape of {}.{} could not be worked out", item.node->name, port.name));
    }
}

bool hasErrorsInside(const Level& level)
{
    return hasErrors(level.result.diagnostics) ||
           std::any_of(level.items.begin(), level.items.end(),
                       [](const Item& item) { return item.inner && hasErrorsInside(*item.inner); });
}

} // namespace

void addCosts(Level& level)
{
    for (Item& item : level.items) {
        if (item.inner) {
            item.checked.cost = groupCost(*item.node->group, item.inner->result.cost);
            level.blocks +=
                item.inner->blocks * static_cast<double>(std::max<std::int64_t>(item.node->group->repeat, 1));
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
                    fmt::format("with its repeats written out the graph has {:.0f} blocks; at most {:.0f} can be",
                                level.blocks, kMostBlocks));
    checkMemory(level);
    if (!hasErrorsInside(level)) // a shape that is missing after a mistake needs no further word
        checkShapesKnown(level);
}

} // namespace unroll
