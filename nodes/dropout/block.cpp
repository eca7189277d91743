// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>

namespace unroll::nodes::dropout {

namespace {

class Dropout final : public Block {
public:
    explicit Dropout(const BlockSetup& setup) : Block(setup), m_rate(setup.real("rate")) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        at::Tensor x = only(inputs[0]);
        if (context.training && m_rate > 0)
            x = x * dropoutMask(context, x.sizes(), x, m_rate);
        return onlyOutput(context, x);
    }

private:
    double m_rate;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Dropout>(setup);
}

} // namespace unroll::nodes::dropout
