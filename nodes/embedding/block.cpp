// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/embedding.h>

namespace unroll::nodes::embedding {

namespace {

class Embedding final : public Block {
public:
    explicit Embedding(const BlockSetup& setup) : Block(setup), m_weight(addWeight(setup, "weight")) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, at::embedding(m_weight, only(inputs[0])));
    }

private:
    at::Tensor m_weight; // [classes, width]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Embedding>(setup);
}

} // namespace unroll::nodes::embedding
