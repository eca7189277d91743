// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_recurrence.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

namespace unroll::nodes::lstm {

namespace {

class Lstm final : public GatedRecurrence {
public:
    explicit Lstm(const BlockSetup& setup)
        : GatedRecurrence(setup, {.gates = 4, .states = {"h", "c"}, .shown = {"i", "f", "g", "o"}})
    {
        const at::NoGradGuard initial;
        if (const auto steps = static_cast<double>(setup.integer("chrono")); steps > 0)
            setChronoBiases(at::empty({units()}, setup.dtype).uniform_(1, steps - 1, setup.init).log_());
        inputBias().narrow(0, units(), units()).add_(setup.real("forget_bias"));
    }

    /// Keeps about 1 - 1 / spread of c and writes the rest: a unit that forgets over `spread` steps. logSpread [H].
    void setChronoBiases(const at::Tensor& logSpread)
    {
        inputBias().narrow(0, 0, units()).copy_(logSpread.neg());
        inputBias().narrow(0, units(), units()).copy_(logSpread);
        recurrentBias().narrow(0, 0, 2 * units()).zero_();
    }

protected:
    // On CPU in fp32 this is oneDNN's LSTM.
    Fused fused(const at::Tensor& x, const Value& state, const std::vector<at::Tensor>& weights) const override
    {
        const std::vector<at::Tensor> initial = {state[0].unsqueeze(0), state[1].unsqueeze(0)};
        auto [y, h, c] = at::lstm(x, initial, weights, true, 1, 0, at::GradMode::is_enabled(), false, false);
        return {{y, {h.squeeze(0), c.squeeze(0)}}};
    }

    Step step(const at::Tensor& input, const Value& state) const override
    {
        const auto gates = at::addmm(input, state[0], recurrentWeight().t()).chunk(4, 1);
        const at::Tensor i = at::sigmoid(gates[0]), f = at::sigmoid(gates[1]);
        const at::Tensor g = at::tanh(gates[2]), o = at::sigmoid(gates[3]);
        const at::Tensor c = at::addcmul(f * state[1], i, g);
        return {{o * at::tanh(c), c}, {i, f, g, o}};
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Lstm>(setup);
}

} // namespace unroll::nodes::lstm
