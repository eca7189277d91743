// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gru_steps/gru_steps.h"
#include "nodes/shared/activations.h"
#include "nodes/shared/gated_recurrence.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/gru.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/sigmoid.h>

namespace unroll::nodes::gru {

namespace {

/// tanh and sigmoid, which the kernel and ATen have.
bool isUsual(const BlockSetup& setup)
{
    return setup.text("activation") == "tanh" && setup.text("gate_activation") == "sigmoid";
}

/// What the conventions share: the kernel has them all.
class Gru : public GatedRecurrence {
public:
    Gru(const BlockSetup& setup, kernels::GruConvention convention)
        : GatedRecurrence(setup, {.gates = 3,
                                  .states = {"h"},
                                  .shown = {"r", "z", "n"},
                                  .kernel = isUsual(setup) ? Kernel::CpuAndCuda : Kernel::None}),
          m_convention(convention),
          m_usual(isUsual(setup)),
          m_activation(elementFunction(setup.text("activation"))),
          m_gate(elementFunction(setup.text("gate_activation")))
    {}

protected:
    bool hasTheUsual() const { return m_usual; }
    at::Tensor candidate(const at::Tensor& sums) const { return m_activation(sums); }
    at::Tensor gate(const at::Tensor& sums) const { return m_gate(sums); }

    Walked walkByKernel(const Steps& steps, const Direction& direction) const final
    {
        const auto walked = kernels::gruSteps({.u = steps.inputs,
                                               .weight = direction.weightHh,
                                               .bias = insideBias(direction),
                                               .initial = steps.state[0],
                                               .mask = whereDefined(steps.mask),
                                               .convention = m_convention,
                                               .reverse = steps.back,
                                               .keeps = steps.watched || at::GradMode::is_enabled()});
        if (!steps.watched)
            return {{walked.h}, {walked.last}, {}};
        const auto kept = walked.kept.chunk(4, 2);
        return {{walked.h}, {walked.last}, {at::sigmoid(kept[0]), at::sigmoid(kept[1]), kept[2]}};
    }

    /// Of n, where r gates it.
    virtual std::optional<at::Tensor> insideBias(const Direction&) const { return std::nullopt; }

    kernels::GruConvention convention() const { return m_convention; }

private:
    kernels::GruConvention m_convention;
    bool m_usual;
    ElementFunction m_activation, m_gate;
};

/// The reset gate acts after the matrix product (cuDNN, torch.nn.GRU), so the two biases of n stay apart.
class ResetAfter final : public Gru {
public:
    explicit ResetAfter(const BlockSetup& setup) : Gru(setup, kernels::GruConvention::ResetAfter) {}

protected:
    std::optional<Fused> fused(const Sequence& all) const override
    {
        if (!hasTheUsual())
            return std::nullopt;
        auto [y, h] = at::gru(all.x, all.state[0], all.weights, true, all.layers, 0, at::GradMode::is_enabled(),
                              all.bidirectional, false);
        return Fused{y, {h}};
    }

    Step step(const at::Tensor& input, const Value& state, const Direction& direction,
              const Edits& edited) const override
    {
        const auto a = input.chunk(3, 1);
        const auto q = at::linear(state[0], direction.weightHh).chunk(3, 1);
        const at::Tensor r = edited("r", gate(a[0] + q[0])), z = edited("z", gate(a[1] + q[1]));
        const at::Tensor n = edited("n", candidate(at::addcmul(a[2], r, q[2] + *insideBias(direction))));
        return {{edited("h", at::lerp(n, state[0], z))}, {r, z, n}};
    }

    at::Tensor hoistedBias(const Direction& direction) const override
    {
        return direction.biasIh + at::constant_pad_nd(direction.biasHh.narrow(0, 0, 2 * units()), {0, units()});
    }

    std::optional<at::Tensor> insideBias(const Direction& direction) const override
    {
        return direction.biasHh.narrow(0, 2 * units(), units());
    }
};

/// The reset gate acts on the state that the matrix product reads (Cho et al. 2014). An open z keeps the state, or with
/// inverted z replaces it.
class ResetBefore final : public Gru {
public:
    using Gru::Gru;

protected:
    std::optional<Fused> fused(const Sequence&) const override { return std::nullopt; }

    Step step(const at::Tensor& input, const Value& state, const Direction& direction,
              const Edits& edited) const override
    {
        const at::Tensor& weight = direction.weightHh;
        const std::int64_t gates = 2 * units();
        const at::Tensor& h = state[0];
        const auto a = input.chunk(3, 1);
        const auto q = at::linear(h, weight.narrow(0, 0, gates)).chunk(2, 1);
        const at::Tensor r = edited("r", gate(a[0] + q[0])), z = edited("z", gate(a[1] + q[1]));
        const at::Tensor n = edited("n", candidate(at::addmm(a[2], r * h, weight.narrow(0, gates, units()).t())));
        const bool inverted = convention() == kernels::GruConvention::ResetBeforeInvertedZ;
        return {{edited("h", inverted ? at::lerp(h, n, z) : at::lerp(n, h, z))}, {r, z, n}};
    }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    const std::string& convention = setup.text("convention");
    if (convention == "reset_after")
        return std::make_unique<ResetAfter>(setup);
    return std::make_unique<ResetBefore>(setup, convention == "reset_before_inverted_z"
                                                    ? kernels::GruConvention::ResetBeforeInvertedZ
                                                    : kernels::GruConvention::ResetBefore);
}

} // namespace unroll::nodes::gru
