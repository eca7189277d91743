// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/ops/addcmul.h>
#include <ATen/ops/sigmoid.h>

namespace unroll::nodes::gate {

namespace {

class Gate final : public Block {
public:
    explicit Gate(const BlockSetup& setup)
        : Block(setup), m_weight(addWeight(setup, "weight")), m_weightC(addWeight(setup, "weight_c"))
    {
        if (setup.boolean("bias"))
            m_bias = addWeight(setup, "bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor a = product(context, only(inputs[0]), m_weight, m_bias);
        return onlyOutput(context, at::sigmoid(at::addcmul(a, m_weightC, only(inputs[1]))));
    }

private:
    at::Tensor m_weight;  // [width, in]
    at::Tensor m_weightC; // [width]
    at::Tensor m_bias;    // [width], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Gate>(setup);
}

} // namespace unroll::nodes::gate
