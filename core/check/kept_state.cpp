// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/kept_state.h"

#include "core/block/state_numbers.h"

namespace unroll {

std::int64_t stateNumbers(const CheckedNode& checked, const Node& placed)
{
    if (checked.inner && placed.group && checked.copies.empty())
        return product({placed.group->repeat, stateNumbers(*checked.inner, *placed.group->graph)});
    std::int64_t numbers = 0;
    for (const auto& copy : checked.copies)
        numbers = sum({numbers, stateNumbers(*copy, *placed.group->graph)});
    if (checked.inner)
        return numbers;
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
