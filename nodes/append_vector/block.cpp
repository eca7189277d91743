// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/cat.h>

namespace unroll::nodes::append_vector {

namespace {

class AppendVector final : public Block {
public:
    explicit AppendVector(const BlockSetup& setup) : Block(setup) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), v = only(inputs[1]);
        return onlyOutput(context, at::cat({x, v.unsqueeze(0).expand({x.size(0), -1, -1})}, -1));
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<AppendVector>(setup);
}

} // namespace unroll::nodes::append_vector
