// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/kept_state.h"

#include "core/block/state_numbers.h"

namespace unroll {

std::int64_t stateNumbers(const CheckedNode& checked, const Node& placed)
{
    if (checked.inner && placed.group)
        return product({placed.group->repeat, stateNumbers(*checked.inner, *placed.group->graph)});
    const auto state = checked.outputs.find("state");
    const bool keeps = state != checked.outputs.end() && state->second.type == PortType::State;
    return keeps ? stateNumbers(state->second) : 0;
}

std::int64_t stateNumbers(const CheckedGraph& checked, const Graph& graph)
{
    std::int64_t numbers = 0;
    for (const auto& [id, node] : checked.nodes)
        if (const Node* placed = graph.find(id))
            numbers = sum({numbers, stateNumbers(node, *placed)});
    return numbers;
}

} // namespace unroll
