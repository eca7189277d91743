// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/depthwise.h"
#include "nodes/shared/history.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::causal_conv {

namespace {

class CausalConv final : public Block {
public:
    explicit CausalConv(const BlockSetup& setup)
        : Block(setup),
          m_in(setup.dimension("input_size")),
          m_kernel(setup.integer("kernel_size")),
          m_dilation(setup.integer("dilation")),
          m_depthwise(setup.boolean("depthwise")),
          m_weight(addWeight(setup, "weight"))
    {
        if (setup.boolean("bias"))
            m_bias = addWeight(setup, "bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const Value state = inputs[1].empty() ? initialState(x.size(1)) : inputs[1];
        const History history(x, state.front().unflatten(1, {-1, m_in}), mask);
        std::vector<at::Tensor> read;
        for (std::int64_t tap = 0; tap < m_kernel; ++tap)
            read.push_back(history.before(tap * m_dilation));
        at::Tensor y =
            m_depthwise ? depthwise(read, m_weight, m_bias) : product(context, at::cat(read, -1), m_weight, m_bias);
        if (mask.defined())
            y = at::where(mask.unsqueeze(-1), y, 0);
        return {onlyOutput(context, y).front(), {history.last().flatten(1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const auto options = m_weight.options().requires_grad(false);
        return {at::zeros({sequences, (m_kernel - 1) * m_dilation * m_in}, options)};
    }

private:
    std::int64_t m_in, m_kernel, m_dilation;
    bool m_depthwise;
    // [width, kernel_size in], depthwise [width, kernel_size]: what multiplies x_t, then the step read before it, ...
    at::Tensor m_weight;
    at::Tensor m_bias; // [width], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<CausalConv>(setup);
}

} // namespace unroll::nodes::causal_conv
