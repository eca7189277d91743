// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <cassert>

namespace unroll::nodes {

at::Tensor dropoutMask(const PassContext& context, at::IntArrayRef sizes, const at::Tensor& like, double rate)
{
    assert(context.dropout != nullptr && "training with dropout needs a generator");
    return at::empty(sizes, like.options()).bernoulli_(1 - rate, *context.dropout).div_(1 - rate);
}

bool editsAny(const PassContext& context, std::initializer_list<const char*> signals, const at::Tensor& x,
              const at::Tensor& mask)
{
    bool any = false;
    for (const char* signal : signals)
        any = context.edits(signal) || any;
    TORCH_CHECK(!any || (x.size(0) == 1 && !mask.defined()), "signals of ", context.node,
                " are changed in passes of one step without a mask");
    return any;
}

} // namespace unroll::nodes
