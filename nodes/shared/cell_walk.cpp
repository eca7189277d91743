// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/cell_walk.h"

#include "nodes/shared/values.h"

#include <ATen/ops/cat.h>

namespace unroll::nodes {

bool takesCellSteps(const at::Tensor& x)
{
    return x.is_cpu() && x.size(0) > 1;
}

CellWalk walkCell(kernels::CellStepsArguments arguments, const Value& state, const at::Tensor& mask, bool watched)
{
    const auto [gates, parts, keepsSums] = kernels::cellSizes(arguments.cell);
    arguments.initial = state.size() == 1 ? state.front() : at::cat(state, 1);
    arguments.mask = whereDefined(mask);
    const kernels::CellStepsResult result = kernels::cellSteps(arguments);
    const std::int64_t units = result.h.size(2);
    CellWalk walk{{result.h}, result.last.chunk(parts, 1), {}};
    for (std::int64_t part = 1; part < parts; ++part)
        walk.states.push_back(result.walked.narrow(2, part * units, units));
    if (!watched || !keepsSums)
        return walk;
    const std::int64_t heads = arguments.weight.size(0);
    const at::Tensor sums = result.walked.narrow(2, parts * units, gates * units).unflatten(2, {heads, gates, -1});
    for (std::int64_t gate = 0; gate < gates; ++gate)
        walk.sums.push_back(sums.select(3, gate).flatten(2));
    return walk;
}

} // namespace unroll::nodes
