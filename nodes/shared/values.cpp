// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/empty.h>

#include <cassert>

namespace unroll::nodes {

at::Tensor dropoutMask(const PassContext& context, at::IntArrayRef sizes, const at::Tensor& like, double rate)
{
    assert(context.dropout != nullptr && "training with dropout needs a generator");
    return at::empty(sizes, like.options()).bernoulli_(1 - rate, *context.dropout).div_(1 - rate);
}

} // namespace unroll::nodes
