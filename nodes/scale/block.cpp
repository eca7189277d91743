// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/mul.h>

namespace unroll::nodes::scale {

namespace {

class Scale final : public Block {
public:
    explicit Scale(const BlockSetup& setup) : Block(setup), m_factor(setup.real("factor"))
    {
        if (setup.boolean("learned"))
            m_weight = addWeight(setup, "weight");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]);
        return onlyOutput(context, m_weight.defined() ? at::mul(x, m_weight) : at::mul(x, m_factor));
    }

private:
    double m_factor;
    at::Tensor m_weight; // [in]; undefined where the factor is fixed
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Scale>(setup);
}

} // namespace unroll::nodes::scale
