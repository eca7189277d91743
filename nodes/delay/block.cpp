// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/history.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::delay {

namespace {

/// The state is the last x, and where there is an initial value also 1 for a sequence that has begun: zeros stand for one that has not.
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
            return {onlyOutput(context, masked(held(inputs[1]).unsqueeze(0), mask)).front(), inputs[1]};
        const Value state = inputs[1].empty() ? initialStateOn(x) : inputs[1];
        const History history(x, held(state).unsqueeze(1), mask);
        return {onlyOutput(context, masked(history.before(1), mask)).front(),
                after(state, history.last().squeeze(1), mask)};
    }

    Value initialState(std::int64_t sequences) const override
    {
        Value state = {at::zeros({sequences, m_width}, m_dtype)};
        if (m_initial != 0)
            state.push_back(state.front());
        return state;
    }

private:
    Value initialStateOn(const at::Tensor& x) const
    {
        Value state = initialState(x.size(1));
        for (at::Tensor& part : state)
            part = part.to(x.device());
        return state;
    }

    /// What stands before the next step, [B, width]; to the last bit what came in.
    at::Tensor held(const Value& state) const
    {
        return m_initial == 0 ? state.front() : state[0] + (1 - state[1]) * m_initial;
    }

    Value after(const Value& state, const at::Tensor& last, const at::Tensor& mask) const
    {
        if (m_initial == 0)
            return {last};
        if (!mask.defined())
            return {last, at::ones_like(last)};
        const at::Tensor began = mask.any(0).unsqueeze(1);
        return {at::where(began, last, state[0]), at::where(began, 1, state[1])};
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
