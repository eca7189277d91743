// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/plan_reversible.h"

#include <algorithm>
#include <utility>

namespace unroll {

namespace {

enum Part { kF, kSumOfF, kG, kSumOfG };

Part partOf(const ReversibleForm& form, NodeId id)
{
    if (id == form.first.node)
        return kSumOfF;
    if (id == form.second.node)
        return kSumOfG;
    return form.f.contains(id) ? kF : kG;
}

/// The steps of each part, by their indices now.
std::vector<std::vector<std::size_t>> partedSteps(const Plan& plan, const ReversibleForm& form,
                                                  const std::vector<NodeId>& order,
                                                  const std::map<NodeId, std::size_t>& firstStep)
{
    std::vector<std::vector<std::size_t>> parts(kSumOfG + 1);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t end = i + 1 < order.size() ? firstStep.at(order[i + 1]) : plan.steps.size();
        for (std::size_t step = firstStep.at(order[i]); step < end; ++step)
            parts[partOf(form, order[i])].push_back(step);
    }
    return parts;
}

/// Where steps have gone that stand side by side, as those of a loop and of a group do before and after.
template <class Range>
void shift(Range& range, std::size_t first, const std::vector<std::size_t>& place)
{
    const std::size_t count = range.last - range.first;
    range.first = place[range.first - first];
    range.last = range.first + count;
}

void moveAlong(Plan& plan, std::size_t first, const std::vector<std::size_t>& place)
{
    for (PlanLoop& loop : plan.loops)
        if (loop.first >= first)
            shift(loop, first, place);
    for (PlanReversible& inner : plan.reversibles) {
        if (inner.first < first)
            continue;
        const std::size_t before = inner.first;
        shift(inner, first, place);
        for (ReversibleCopy& copy : inner.copies)
            for (ReversiblePart* part : {&copy.f, &copy.g}) {
                part->first = part->first - before + inner.first;
                part->last = part->last - before + inner.first;
            }
    }
}

void reorder(Plan& plan, std::size_t first, const std::vector<std::vector<std::size_t>>& parts)
{
    std::vector<PlanStep> steps;
    std::vector<std::size_t> place(plan.steps.size() - first);
    for (const auto& part : parts)
        for (const std::size_t step : part) {
            place[step - first] = first + steps.size();
            steps.push_back(std::move(plan.steps[step]));
        }
    std::move(steps.begin(), steps.end(), plan.steps.begin() + static_cast<std::ptrdiff_t>(first));
    moveAlong(plan, first, place);
}

ReversiblePart partAt(const Plan& plan, std::size_t first, std::size_t sum, const PortRef& before,
                      const std::string& added)
{
    const PlanStep& step = plan.steps[sum];
    return {.first = first,
            .last = sum,
            .added = step.inputs[inputIndex(*step.spec, added)],
            .before = step.inputs[inputIndex(*step.spec, before.port)],
            .after = step.outputs.front()};
}

} // namespace

ReversibleCopy layReversible(Plan& plan, const ReversibleForm& form, const std::vector<NodeId>& order,
                             const std::map<NodeId, std::size_t>& firstStep)
{
    const std::size_t first = firstStep.at(order.front());
    const auto parts = partedSteps(plan, form, order, firstStep);
    reorder(plan, first, parts);
    const std::size_t sumOfF = first + parts[kF].size(), sumOfG = sumOfF + 1 + parts[kG].size();
    ReversibleCopy copy{partAt(plan, first, sumOfF, form.first, form.firstAdded),
                        partAt(plan, sumOfF + 1, sumOfG, form.second, form.secondAdded)};
    copy.f.reads = copy.g.before;
    copy.g.reads = copy.f.after;
    return copy;
}

void sortReversibles(Plan& plan)
{
    std::sort(plan.reversibles.begin(), plan.reversibles.end(), [](const PlanReversible& a, const PlanReversible& b) {
        return a.first != b.first ? a.first < b.first : a.last > b.last;
    });
}

} // namespace unroll
