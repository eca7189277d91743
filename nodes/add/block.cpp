// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/add.h>

namespace unroll::nodes::add {

namespace {

class Add final : public Block {
public:
    explicit Add(const BlockSetup& setup) : Block(setup) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, at::add(only(inputs[0]), only(inputs[1])));
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Add>(setup);
}

} // namespace unroll::nodes::add
