// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/gated_recurrence.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/gru.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

#include <cassert>

namespace unroll::nodes::gru {

namespace {

/// The reset gate acts after the matrix product (cuDNN, torch.nn.GRU), so the two biases of n stay apart.
class Gru final : public GatedRecurrence {
public:
    explicit Gru(const BlockSetup& setup)
        : GatedRecurrence(setup, {.gates = 3, .states = {"h"}, .shown = {"r", "z", "n"}})
    {
        assert(setup.text("convention") == "reset_after" && "the spec refuses the others");
    }

protected:
    std::pair<at::Tensor, Value> fused(const at::Tensor& x, const Value& state,
                                       const std::vector<at::Tensor>& weights) const override
    {
        auto [y, h] = at::gru(x, state[0].unsqueeze(0), weights, true, 1, 0, at::GradMode::is_enabled(), false, false);
        return {y, {h.squeeze(0)}};
    }

    Step step(const at::Tensor& input, const Value& state) const override
    {
        const auto a = input.chunk(3, 1);
        const auto q = at::linear(state[0], recurrentWeight(), recurrentBias()).chunk(3, 1);
        const at::Tensor r = at::sigmoid(a[0] + q[0]), z = at::sigmoid(a[1] + q[1]);
        const at::Tensor n = at::tanh(at::addcmul(a[2], r, q[2]));
        return {{at::lerp(n, state[0], z)}, {r, z, n}};
    }

    at::Tensor hoistedBias() const override { return inputBias(); }
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Gru>(setup);
}

} // namespace unroll::nodes::gru
