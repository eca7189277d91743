// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/single_step.h"

#include <fmt/format.h>

namespace unroll {

MaskedRule maskedRule(const CheckedNode& checked)
{
    return checked.inputs.contains("mask") ? maskedRule(checked.params) : MaskedRule::None;
}

std::string noSingleStep(const CheckedNode& checked)
{
    const std::string& title = checked.spec->title;
    if (!checked.spec->isCausal(checked.params))
        return fmt::format("{} reads later steps too, so it has no single step", title);
    if (checked.onVectors)
        return fmt::format("{} works on one vector a sequence here", title);
    if (checked.stateFromVector && !checked.stateFromWeights)
        return fmt::format("the state of {} starts from a vector, which there is once a sequence", title);
    if (checked.inputs.contains("state") && !checked.stateFromWeights)
        return fmt::format("the state of {} starts from the final state of another node", title);
    if (maskedRule(checked) == MaskedRule::Hold)
        return fmt::format(
            "{} repeats at masked steps what it gave before (masked_output is hold), which a single step "
            "does not have",
            title);
    return {};
}

std::string noSingleStep(const Graph& graph, const CheckedGraph& checked)
{
    for (NodeId id : checked.order) {
        const CheckedNode& node = checked.nodes.at(id);
        const Node& placed = *graph.find(id);
        const bool computes = !placed.group && node.spec->category != Category::Data && !node.spec->givesLoss();
        std::string why = computes ? noSingleStep(node) : std::string();
        for (const CheckedNode::Copies& copies : node.unlikeCopies())
            if (why.empty())
                why = noSingleStep(*placed.group->graph, *copies.inner);
        if (!why.empty())
            return placed.name + (node.inner ? "." : ": ") + why;
    }
    return {};
}

} // namespace unroll
