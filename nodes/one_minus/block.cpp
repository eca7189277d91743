// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/rsub.h>

namespace unroll::nodes::one_minus {

namespace {

class OneMinus final : public Block {
public:
    explicit OneMinus(const BlockSetup& setup) : Block(setup) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, at::rsub(only(inputs[0]), 1));
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<OneMinus>(setup);
}

} // namespace unroll::nodes::one_minus
