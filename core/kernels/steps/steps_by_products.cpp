// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/steps/steps_by_products.h"

#include <ATen/ops/mm.h>

namespace unroll::kernels {

at::Tensor stateBefore(const ScanCall& call, const at::Tensor& states, const WalkStep& walk)
{
    return walk.first ? call.initial : states.select(0, walk.before);
}

void multiplyInto(at::Tensor out, const at::Tensor& state, const at::Tensor& matrix)
{
    if (state.defined())
        at::mm_out(out, state, matrix);
    else
        out.zero_();
}

void copyOrZero(at::Tensor out, const at::Tensor& from)
{
    if (from.defined())
        out.copy_(from);
    else
        out.zero_();
}

} // namespace unroll::kernels
