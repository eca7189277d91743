// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/history.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::delay {

namespace {

/// The state is x less the initial value, so that zeros stand for a sequence that has not begun.
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
            return {onlyOutput(context, masked(restored(inputs[1].front().unsqueeze(0)), mask)).front(), inputs[1]};
        const Value state = inputs[1].empty() ? Value{initialState(x.size(1)).front().to(x.device())} : inputs[1];
        const History history(x, restored(state.front()).unsqueeze(1), mask);
        const at::Tensor last = history.last().squeeze(1);
        return {onlyOutput(context, masked(history.before(1), mask)).front(),
                {m_initial == 0 ? last : last - m_initial}};
    }

    Value initialState(std::int64_t sequences) const override { return {at::zeros({sequences, m_width}, m_dtype)}; }

private:
    at::Tensor restored(const at::Tensor& state) const { return m_initial == 0 ? state : state + m_initial; }

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
