// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/masked_output.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cummax.h>
#include <ATen/ops/where.h>

#include <tuple>

namespace unroll::nodes {

/// y [T, B, width], 0 at masked steps, with what stood at the last real step before. Before the first one step 0 is
/// repeated, which is masked then.
static at::Tensor repeated(const at::Tensor& y, const at::Tensor& mask)
{
    const at::Tensor steps = at::arange(y.size(0), y.options().dtype(at::kLong).requires_grad(false)).unsqueeze(1);
    const at::Tensor last = std::get<0>(at::cummax(at::where(mask, steps, 0), 0)); // [T, B]
    return y.gather(0, last.unsqueeze(-1).expand_as(y));
}

MaskedOutput::MaskedOutput(const BlockSetup& setup) : m_rule(maskedRule(setup.params)) {}

at::Tensor MaskedOutput::of(const at::Tensor& y, const at::Tensor& mask, std::int64_t directions) const
{
    if (!mask.defined() || m_rule == MaskedRule::Read)
        return y;
    return ofZeroed(at::where(mask.unsqueeze(-1), y, 0), mask, directions);
}

at::Tensor MaskedOutput::ofZeroed(const at::Tensor& y, const at::Tensor& mask, std::int64_t directions) const
{
    if (!mask.defined() || m_rule != MaskedRule::Hold || y.size(0) == 0)
        return y;
    if (directions == 1)
        return repeated(y, mask);
    const auto sides = y.chunk(2, -1);
    return at::cat({repeated(sides[0], mask), repeated(sides[1].flip(0), mask.flip(0)).flip(0)}, -1);
}

} // namespace unroll::nodes
