// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

namespace unroll::nodes::linear {

namespace {

class Linear final : public Block {
public:
    explicit Linear(const BlockSetup& setup) : Block(setup)
    {
        m_weight = addWeight(setup, "weight");
        if (setup.boolean("bias"))
            m_bias = addWeight(setup, "bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, product(context, only(inputs[0]), m_weight, m_bias));
    }

private:
    at::Tensor m_weight; // [width, in]
    at::Tensor m_bias;   // [width], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Linear>(setup);
}

} // namespace unroll::nodes::linear
