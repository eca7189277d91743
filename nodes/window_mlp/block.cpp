// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/history.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::window_mlp {

namespace {

class WindowMlp final : public Block {
public:
    explicit WindowMlp(const BlockSetup& setup)
        : Block(setup),
          m_in(setup.dimension("input_size")),
          m_window(setup.integer("window")),
          m_activation(setup.text("activation")),
          m_hiddenWeight(addWeight(setup, "hidden.weight")),
          m_hiddenBias(addWeight(setup, "hidden.bias")),
          m_outputWeight(addWeight(setup, "output.weight")),
          m_outputBias(addWeight(setup, "output.bias"))
    {
        if (setup.boolean("direct"))
            m_direct = addWeight(setup, "direct.weight");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const Value state = inputs[1].empty() ? initialState(x.size(1)) : inputs[1];
        const History history(x, state.front().unflatten(1, {-1, m_in}), mask);
        std::vector<at::Tensor> read;
        for (std::int64_t back = 0; back < m_window; ++back)
            read.push_back(history.before(back));
        const at::Tensor seen = at::cat(read, -1);
        const at::Tensor h = context.edited("h", activated(product(context, seen, m_hiddenWeight, m_hiddenBias)));
        if (context.wants("h"))
            context.show("h", h.detach());
        at::Tensor y = product(context, h, m_outputWeight, m_outputBias);
        if (m_direct.defined())
            y = y + product(context, seen, m_direct);
        if (mask.defined())
            y = at::where(mask.unsqueeze(-1), y, 0);
        return {onlyOutput(context, y).front(), {history.last().flatten(1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const auto options = m_hiddenWeight.options().requires_grad(false);
        return {at::zeros({sequences, (m_window - 1) * m_in}, options)};
    }

private:
    at::Tensor activated(const at::Tensor& sums) const
    {
        if (m_activation == "tanh")
            return at::tanh(sums);
        return m_activation == "relu" ? at::relu(sums) : at::gelu(sums);
    }

    std::int64_t m_in, m_window;
    std::string m_activation;
    at::Tensor m_hiddenWeight, m_hiddenBias; // [hidden, window in]: what multiplies x_t, then x_{t-1}, ...; [hidden]
    at::Tensor m_outputWeight, m_outputBias; // [width, hidden], [width]
    at::Tensor m_direct;                     // [width, window in], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<WindowMlp>(setup);
}

} // namespace unroll::nodes::window_mlp
