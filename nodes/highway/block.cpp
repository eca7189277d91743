// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/lerp.h>

namespace unroll::nodes::highway {

namespace {

class Highway final : public Block {
public:
    explicit Highway(const BlockSetup& setup) : Block(setup) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor g = only(inputs[0]), a = only(inputs[1]), b = only(inputs[2]);
        return onlyOutput(context, at::lerp(b, a, g));
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Highway>(setup);
}

} // namespace unroll::nodes::highway
