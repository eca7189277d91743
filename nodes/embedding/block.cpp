// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/embedding.h>

namespace unroll::nodes::embedding {

namespace {

class Embedding final : public Block {
public:
    explicit Embedding(const BlockSetup& setup)
        : Block(setup), m_sharesTable(setup.boolean("share_table")), m_weight(addWeight(setup, "weight"))
    {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        std::vector<Value> outputs = onlyOutput(context, at::embedding(m_weight, only(inputs[0])));
        outputs.push_back(m_sharesTable ? Value{m_weight} : Value{});
        return outputs;
    }

private:
    bool m_sharesTable;
    at::Tensor m_weight; // [classes, width]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Embedding>(setup);
}

} // namespace unroll::nodes::embedding
