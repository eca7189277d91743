// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/cell_walk.h"
#include "nodes/shared/gated_recurrence.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

namespace unroll::nodes::janet {

namespace {

class Janet final : public GatedRecurrence {
public:
    explicit Janet(const BlockSetup& setup)
        : GatedRecurrence(setup, {.gates = 2, .states = {"h"}, .shown = {"f", "i", "g"}, .kernel = Kernel::Cpu}),
          m_beta(setup.real("beta"))
    {
        const auto steps = static_cast<double>(setup.integer("chrono"));
        if (!setup.boolean("bias") || steps == 0)
            return;
        const at::NoGradGuard initial;
        for (const Direction& direction : directions()) {
            direction.biasIh.narrow(0, 0, units())
                .copy_(at::empty({units()}, setup.dtype).uniform_(1, steps - 1, setup.init).log_());
            direction.biasIh.narrow(0, units(), units()).zero_();
            direction.biasHh.zero_();
        }
    }

protected:
    std::optional<Fused> fused(const Sequence&) const override { return std::nullopt; }

    Walked walkByKernel(const Steps& steps, const Direction& direction) const override
    {
        const CellWalk walk = walkCell({.u = steps.inputs,
                                        .weight = direction.weightHh.unsqueeze(0),
                                        .cell = kernels::StepCell::Janet,
                                        .beta = m_beta,
                                        .reverse = steps.back},
                                       steps.state, steps.mask, steps.watched);
        if (!steps.watched)
            return {walk.states, walk.last, {}};
        const at::Tensor &f = walk.sums[0], &g = walk.sums[1];
        return {walk.states, walk.last, {at::sigmoid(f), at::sigmoid(m_beta - f), at::tanh(g)}};
    }

    Step step(const at::Tensor& input, const Value& state, const Direction& direction,
              const Edits& edited) const override
    {
        const auto sums = at::addmm(input, state[0], direction.weightHh.t()).chunk(2, 1);
        const at::Tensor f = edited("f", at::sigmoid(sums[0]));
        const at::Tensor i = edited("i", at::sigmoid(m_beta - sums[0])); // 1 - σ(s - β)
        const at::Tensor g = edited("g", at::tanh(sums[1]));
        return {{edited("h", at::addcmul(f * state[0], i, g))}, {f, i, g}};
    }

private:
    double m_beta;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Janet>(setup);
}

} // namespace unroll::nodes::janet
