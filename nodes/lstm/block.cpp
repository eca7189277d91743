// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activations.h"
#include "nodes/shared/cell_walk.h"
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
        : GatedRecurrence(setup, {.gates = 4,
                                  .states = {"h", "c"},
                                  .shown = {"i", "f", "g", "o"},
                                  .kernel = isUsual(setup) ? Kernel::Cpu : Kernel::None,
                                  .fusedFirst = true}),
          m_activation(elementFunction(setup.text("activation"))),
          m_gate(elementFunction(setup.text("gate_activation"))),
          m_fuses(isUsual(setup))
    {
        if (setup.boolean("peepholes"))
            addOwnWeights(setup, "peephole");
        if (!setup.boolean("bias"))
            return;
        const at::NoGradGuard initial;
        for (const Direction& direction : directions()) {
            if (const auto steps = static_cast<double>(setup.integer("chrono")); steps > 0)
                setChronoBiases(direction, at::empty({units()}, setup.dtype).uniform_(1, steps - 1, setup.init).log_());
            direction.biasIh.narrow(0, units(), units()).add_(setup.real("forget_bias"));
        }
    }

    /// Keeps about 1 - 1 / spread of c and writes the rest: a unit that forgets over `spread` steps. logSpread [H].
    void setChronoBiases(const Direction& direction, const at::Tensor& logSpread)
    {
        direction.biasIh.narrow(0, 0, units()).copy_(logSpread.neg());
        direction.biasIh.narrow(0, units(), units()).copy_(logSpread);
        direction.biasHh.narrow(0, 0, 2 * units()).zero_();
    }

protected:
    static bool isUsual(const BlockSetup& setup)
    {
        return setup.text("activation") == "tanh" && setup.text("gate_activation") == "sigmoid" &&
               !setup.boolean("peepholes");
    }

    Walked walkByKernel(const Steps& steps, const Direction& direction) const override
    {
        const CellWalk walk = walkCell({.u = steps.inputs,
                                        .weight = direction.weightHh.unsqueeze(0),
                                        .cell = kernels::StepCell::Lstm,
                                        .reverse = steps.back},
                                       steps.state, steps.mask, steps.watched);
        if (!steps.watched)
            return {walk.states, walk.last, {}};
        const auto& a = walk.sums;
        return {walk.states, walk.last, {at::sigmoid(a[0]), at::sigmoid(a[1]), at::tanh(a[2]), at::sigmoid(a[3])}};
    }

    // On CPU in fp32 this is oneDNN's LSTM, and as fast as the kernel: 0.8 to 1.2 times, by sizes.
    std::optional<Fused> fused(const Sequence& all) const override
    {
        if (!m_fuses)
            return std::nullopt;
        auto [y, h, c] = at::lstm(all.x, all.state, all.weights, true, all.layers, 0, at::GradMode::is_enabled(),
                                  all.bidirectional, false);
        return Fused{y, {h, c}};
    }

    Step step(const at::Tensor& input, const Value& state, const Direction& direction,
              const Edits& edited) const override
    {
        const auto gates = at::addmm(input, state[0], direction.weightHh.t()).chunk(4, 1);
        const auto peepholes = direction.own.defined() ? direction.own.chunk(3) : std::vector<at::Tensor>();
        const auto gate = [&](std::size_t row, std::size_t peephole, const at::Tensor& cell) {
            return m_gate(peepholes.empty() ? gates[row] : at::addcmul(gates[row], peepholes[peephole], cell));
        };
        const at::Tensor i = edited("i", gate(0, 0, state[1])), f = edited("f", gate(1, 1, state[1]));
        const at::Tensor g = edited("g", m_activation(gates[2]));
        const at::Tensor c = edited("c", at::addcmul(f * state[1], i, g));
        const at::Tensor o = edited("o", gate(3, 2, c));
        return {{edited("h", o * m_activation(c)), c}, {i, f, g, o}};
    }

private:
    ElementFunction m_activation; // of the candidate and of the cell shown
    ElementFunction m_gate;       // of i, f and o
    bool m_fuses;                 // whether ATen has it
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Lstm>(setup);
}

} // namespace unroll::nodes::lstm
