// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/step_signals.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>

#include <algorithm>

namespace unroll::nodes {

StepSignals::StepSignals(const PassContext& context, const std::vector<std::string>& names) : m_context(context)
{
    for (std::size_t i = 0; i < names.size(); ++i)
        if (context.wants(names[i].c_str()))
            m_wanted.push_back({i, names[i], {}, {}});
}

void StepSignals::add(const std::vector<at::Tensor>& values)
{
    for (Wanted& wanted : m_wanted)
        wanted.steps.push_back(values[wanted.index].detach());
}

void StepSignals::addWalk(const std::vector<at::Tensor>& values)
{
    for (Wanted& wanted : m_wanted)
        wanted.walks.push_back(values[wanted.index].detach());
}

void StepSignals::endWalk(bool back)
{
    for (Wanted& wanted : m_wanted) {
        if (back)
            std::reverse(wanted.steps.begin(), wanted.steps.end());
        wanted.walks.push_back(at::stack(wanted.steps));
        wanted.steps.clear();
    }
}

void StepSignals::show() const
{
    for (const Wanted& wanted : m_wanted)
        m_context.show(wanted.name.c_str(), wanted.walks.size() == 1 ? wanted.walks.front() : at::cat(wanted.walks, 2));
}

} // namespace unroll::nodes
