// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/where.h>

namespace unroll::nodes::reverse {

namespace {

/// Where each real step's output comes from: of n real steps the k-th reads the one before last but k. mask, and what
/// comes back: [T, B].
at::Tensor mirrored(const at::Tensor& mask)
{
    const at::Tensor places = at::argsort(mask.logical_not(), /*stable=*/true, 0); // of the real steps, in their order
    const at::Tensor before = mask.cumsum(0) - 1;
    return places.gather(0, (mask.sum(0) - 1 - before).clamp(0, mask.size(0) - 1));
}

class Reverse final : public Block {
public:
    explicit Reverse(const BlockSetup& setup) : Block(setup) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[1]);
        if (!mask.defined())
            return onlyOutput(context, x.flip({0}));
        const at::Tensor turned = x.gather(0, mirrored(mask).unsqueeze(-1).expand_as(x));
        return onlyOutput(context, at::where(mask.unsqueeze(-1), turned, 0));
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Reverse>(setup);
}

} // namespace unroll::nodes::reverse
