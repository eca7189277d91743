// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/values.h"

namespace unroll::nodes::rms_norm {

namespace {

class RmsNormBlock final : public Block {
public:
    explicit RmsNormBlock(const BlockSetup& setup) : Block(setup), m_epsilon(setup.real("epsilon"))
    {
        if (setup.boolean("gain"))
            m_weight = addWeight(setup, "weight");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        return onlyOutput(context, rmsNorm(only(inputs[0]), m_weight, m_epsilon));
    }

private:
    double m_epsilon;
    at::Tensor m_weight; // [width], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<RmsNormBlock>(setup);
}

} // namespace unroll::nodes::rms_norm
