// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>

namespace unroll::nodes::multiplicative_dense {

namespace {

class MultiplicativeDense final : public Block {
public:
    explicit MultiplicativeDense(const BlockSetup& setup)
        : Block(setup), m_modules(addWeight(setup, "weight_modules")), m_weight(addWeight(setup, "weight"))
    {
        if (setup.boolean("bias"))
            m_bias = addWeight(setup, "bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]);
        if (x.size(0) * x.size(1) >= m_weight.size(0)) // making the matrix is less work than multiplying each x by D
            return onlyOutput(context, product(context, x, (m_modules.unsqueeze(1) * m_weight).flatten(0, 1), m_bias));
        const at::Tensor y = product(context, x.unsqueeze(2) * m_modules, m_weight).flatten(2);
        return onlyOutput(context, m_bias.defined() ? y + m_bias : y);
    }

private:
    at::Tensor m_modules; // [num_modules, in]: D
    at::Tensor m_weight;  // [width / num_modules, in]: E
    at::Tensor m_bias;    // [width], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<MultiplicativeDense>(setup);
}

} // namespace unroll::nodes::multiplicative_dense
