// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/history.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::delay {

namespace {

/// The state is the last x, and where there is an initial value a column more, 1 for a sequence that has started: zeros
/// stand for one that has not.
class Delay final : public Block {
public:
    explicit Delay(const BlockSetup& setup)
        : Block(setup),
          m_width(setup.dimension("input_size")),
          m_initial(setup.real("initial_value")),
          m_dtype(setup.dtype)
    {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        if (!x.defined())
            return {onlyOutput(context, masked(held(inputs[1].front()).unsqueeze(0), mask)).front(), inputs[1]};
        const at::Tensor state = inputs[1].empty() ? initialState(x.size(1)).front().to(x.device()) : inputs[1].front();
        const History history(x, held(state).unsqueeze(1), mask);
        return {onlyOutput(context, masked(history.before(1), mask)).front(),
                {after(state, history.last().squeeze(1), mask)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_width + (m_initial == 0 ? 0 : 1)}, m_dtype)};
    }

private:
    /// What stands before the next step, [B, width]; to the last bit what came in.
    at::Tensor held(const at::Tensor& state) const
    {
        if (m_initial == 0)
            return state;
        return state.narrow(1, 0, m_width) + (1 - state.narrow(1, m_width, 1)) * m_initial;
    }

    at::Tensor after(const at::Tensor& state, const at::Tensor& last, const at::Tensor& mask) const
    {
        if (m_initial == 0)
            return last;
        const at::Tensor begun = at::cat({last, at::ones({last.size(0), 1}, last.options().requires_grad(false))}, 1);
        return mask.defined() ? at::where(mask.any(0).unsqueeze(1), begun, state) : begun;
    }

    static at::Tensor masked(const at::Tensor& y, const at::Tensor& mask)
    {
        return mask.defined() ? at::where(mask.unsqueeze(-1), y, 0) : y;
    }

    std::int64_t m_width;
    double m_initial;
    at::ScalarType m_dtype;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Delay>(setup);
}

} // namespace unroll::nodes::delay
