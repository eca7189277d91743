// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_recurrence.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/gru.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

namespace unroll::nodes::gru {

namespace {

/// The reset gate acts after the matrix product (cuDNN, torch.nn.GRU), so the two biases of n stay apart.
class ResetAfter final : public GatedRecurrence {
public:
    explicit ResetAfter(const BlockSetup& setup)
        : GatedRecurrence(setup, {.gates = 3, .states = {"h"}, .shown = {"r", "z", "n"}})
    {}

protected:
    std::optional<Fused> fused(const Sequence& all) const override
    {
        auto [y, h] = at::gru(all.x, all.state[0], all.weights, true, all.layers, 0, at::GradMode::is_enabled(),
                              all.bidirectional, false);
        return Fused{y, {h}};
    }

    Step step(const at::Tensor& input, const Value& state, const Direction& direction) const override
    {
        const auto a = input.chunk(3, 1);
        const auto q = at::linear(state[0], direction.weightHh, direction.biasHh).chunk(3, 1);
        const at::Tensor r = at::sigmoid(a[0] + q[0]), z = at::sigmoid(a[1] + q[1]);
        const at::Tensor n = at::tanh(at::addcmul(a[2], r, q[2]));
        return {{at::lerp(n, state[0], z)}, {r, z, n}};
    }

    at::Tensor hoistedBias(const Direction& direction) const override { return direction.biasIh; }
};

/// The reset gate acts on the state that the matrix product reads (Cho et al. 2014). An open z keeps the state, or with
/// `inverted` replaces it.
class ResetBefore final : public GatedRecurrence {
public:
    ResetBefore(const BlockSetup& setup, bool inverted)
        : GatedRecurrence(setup, {.gates = 3, .states = {"h"}, .shown = {"r", "z", "n"}}), m_inverted(inverted)
    {}

protected:
    std::optional<Fused> fused(const Sequence&) const override { return std::nullopt; }

    Step step(const at::Tensor& input, const Value& state, const Direction& direction) const override
    {
        const at::Tensor& weight = direction.weightHh;
        const std::int64_t gates = 2 * units();
        const at::Tensor& h = state[0];
        const auto a = input.chunk(3, 1);
        const auto q = at::linear(h, weight.narrow(0, 0, gates)).chunk(2, 1);
        const at::Tensor r = at::sigmoid(a[0] + q[0]), z = at::sigmoid(a[1] + q[1]);
        const at::Tensor n = at::tanh(at::addmm(a[2], r * h, weight.narrow(0, gates, units()).t()));
        return {{m_inverted ? at::lerp(h, n, z) : at::lerp(n, h, z)}, {r, z, n}};
    }

private:
    bool m_inverted;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    const std::string& convention = setup.text("convention");
    if (convention == "reset_after")
        return std::make_unique<ResetAfter>(setup);
    return std::make_unique<ResetBefore>(setup, convention == "reset_before_inverted_z");
}

} // namespace unroll::nodes::gru
