// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/ops/zeros.h>

namespace unroll::nodes::one_hot {

namespace {

class OneHot final : public Block {
public:
    explicit OneHot(const BlockSetup& setup) : Block(setup), m_classes(setup.dimension("classes")), m_dtype(setup.dtype)
    {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor tokens = only(inputs[0]);
        const auto options = at::TensorOptions(m_dtype).device(tokens.device());
        return onlyOutput(
            context,
            at::zeros({tokens.size(0), tokens.size(1), m_classes}, options).scatter_(-1, tokens.unsqueeze(-1), 1));
    }

private:
    std::int64_t m_classes;
    at::ScalarType m_dtype;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<OneHot>(setup);
}

} // namespace unroll::nodes::one_hot
