// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rnn_steps/rnn_steps.h"
#include "nodes/shared/gated_recurrence.h"
#include "nodes/shared/values.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rnn_relu.h>
#include <ATen/ops/rnn_tanh.h>
#include <ATen/ops/tanh.h>

namespace unroll::nodes::rnn {

namespace {

class Rnn final : public GatedRecurrence {
public:
    explicit Rnn(const BlockSetup& setup)
        : GatedRecurrence(setup, {.gates = 1, .states = {"h"}, .shown = {}, .kernel = Kernel::CpuAndCuda}),
          m_relu(setup.text("nonlinearity") == "relu")
    {}

protected:
    std::optional<Fused> fused(const Sequence& all) const override
    {
        const auto run = m_relu ? static_cast<Operation>(at::rnn_relu) : static_cast<Operation>(at::rnn_tanh);
        auto [y, h] = run(all.x, all.state[0], all.weights, true, all.layers, 0, at::GradMode::is_enabled(),
                          all.bidirectional, false);
        return Fused{y, {h}};
    }

    Walked walkByKernel(const Steps& steps, const Direction& direction) const override
    {
        using enum kernels::RnnActivation;
        auto [h, last] = kernels::rnnSteps({.u = steps.inputs,
                                            .weight = direction.weightHh,
                                            .initial = steps.state[0],
                                            .mask = whereDefined(steps.mask),
                                            .activation = m_relu ? Relu : Tanh,
                                            .reverse = steps.back});
        return {{h}, {last}, {}};
    }

    Step step(const at::Tensor& input, const Value& state, const Direction& direction,
              const Edits& edited) const override
    {
        const at::Tensor sum = at::addmm(input, state[0], direction.weightHh.t());
        return {{edited("h", m_relu ? at::relu(sum) : at::tanh(sum))}, {}};
    }

private:
    // With biases, without dropout, time first.
    using Operation = std::tuple<at::Tensor, at::Tensor> (*)(const at::Tensor&, const at::Tensor&, at::TensorList, bool,
                                                             std::int64_t, double, bool, bool, bool);
    bool m_relu;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Rnn>(setup);
}

} // namespace unroll::nodes::rnn
