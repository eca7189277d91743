// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/pass.h"

#include <algorithm>

namespace unroll {

namespace {

/// That begins with the step and ends with the steps that are run; nullptr: none does.
const PlanReversible* reversibleAt(const Plan& plan, std::size_t first, std::size_t last)
{
    const auto before = [](const PlanReversible& group, std::size_t step) { return group.first < step; };
    auto group = std::lower_bound(plan.reversibles.begin(), plan.reversibles.end(), first, before);
    while (group != plan.reversibles.end() && group->first == first && group->last > last)
        ++group; // one around the steps that are run
    return group != plan.reversibles.end() && group->first == first ? &*group : nullptr;
}

const PlanLoop* loopAt(const Plan& plan, std::size_t first)
{
    const auto before = [](const PlanLoop& loop, std::size_t step) { return loop.first < step; };
    const auto loop = std::lower_bound(plan.loops.begin(), plan.loops.end(), first, before);
    return loop != plan.loops.end() && loop->first == first ? &*loop : nullptr;
}

} // namespace

void runSteps(Pass& pass, std::size_t first, std::size_t last)
{
    for (std::size_t i = first; i < last;) {
        if (const PlanReversible* group = reversibleAt(pass.plan, i, last)) {
            runReversible(pass, *group);
            i = group->last;
        } else if (const PlanLoop* loop = loopAt(pass.plan, i)) {
            runLoop(pass, *loop);
            i = loop->last;
        } else
            runStep(pass, pass.plan.steps[i++]);
    }
}

} // namespace unroll
