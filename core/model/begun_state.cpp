// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/begun_state.h"

#include "core/model/plan.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/where.h>

#include <algorithm>

namespace unroll {

Value wiredState(const PlanStep& step, const Value& wired)
{
    if (step.stateParts == 0)
        return wired;
    Value state;
    for (const at::Tensor& part : wired.front().chunk(step.stateParts, 1))
        state.push_back(part.contiguous());
    return state;
}

Value movedFrom(const Value& start, const Value& carried)
{
    if (carried.empty())
        return start;
    const bool apart =
        std::none_of(carried.begin(), carried.end(), [](const at::Tensor& part) { return part.requires_grad(); });
    at::Tensor begun; // [B, 1]
    for (const at::Tensor& part : carried)
        begun = begun.defined() ? begun.logical_or(part.ne(0).any(1, true)) : part.ne(0).any(1, true);
    Value state;
    for (std::size_t i = 0; i < carried.size(); ++i)
        state.push_back(carried[i] + (apart ? at::where(begun, start[i].detach(), start[i]) : start[i]));
    return state;
}

Value toCarry(const PlanStep& step, const std::vector<Value>& slots, const Value& state)
{
    if (!step.beginsAtWeights)
        return state;
    const Value start = wiredState(step, slots[step.inputs[step.stateInput]]);
    Value moved;
    for (std::size_t i = 0; i < state.size(); ++i)
        moved.push_back(state[i] - start[i]);
    return moved;
}

} // namespace unroll
