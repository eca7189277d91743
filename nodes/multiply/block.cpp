// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/mul.h>

namespace unroll::nodes::multiply {

namespace {

class Multiply final : public Block {
public:
    explicit Multiply(const BlockSetup& setup) : Block(setup) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, at::mul(only(inputs[0]), only(inputs[1])));
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Multiply>(setup);
}

} // namespace unroll::nodes::multiply
