// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/cat.h>

namespace unroll::nodes::concat {

namespace {

class Concat final : public Block {
public:
    explicit Concat(const BlockSetup& setup) : Block(setup) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, at::cat({only(inputs[0]), only(inputs[1])}, -1));
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Concat>(setup);
}

} // namespace unroll::nodes::concat
