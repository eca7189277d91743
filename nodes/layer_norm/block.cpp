// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/layer_norm.h>

namespace unroll::nodes::layer_norm {

namespace {

class LayerNorm final : public Block {
public:
    explicit LayerNorm(const BlockSetup& setup)
        : Block(setup), m_width(setup.dimension("input_size")), m_epsilon(setup.real("epsilon"))
    {
        if (setup.boolean("gain"))
            m_weight = addWeight(setup, "weight");
        if (setup.boolean("bias"))
            m_bias = addWeight(setup, "bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, at::layer_norm(only(inputs[0]), {m_width}, whereDefined(m_weight),
                                                  whereDefined(m_bias), m_epsilon));
    }

private:
    std::int64_t m_width;
    double m_epsilon;
    at::Tensor m_weight; // [width], or undefined
    at::Tensor m_bias;   // [width], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<LayerNorm>(setup);
}

} // namespace unroll::nodes::layer_norm
