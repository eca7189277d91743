// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/masked_output.h"
#include "nodes/shared/product.h"
#include "nodes/shared/state_space.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zeros.h>

#include <utility>

namespace unroll::nodes::s5 {

namespace {

constexpr double kLargestReal = -1e-4; // that clip_eigs allows

class S5 final : public Block {
public:
    explicit S5(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_states(setup.integer("state_size")),
          m_scale(setup.boolean("conj_sym") ? 2 : 1),
          m_bilinear(setup.text("discretization") == "bilinear"),
          m_clips(setup.boolean("clip_eigs"))
    {
        m_re = addWeight(setup, "Lambda_re");
        m_im = addWeight("Lambda_im", frequencies(setup.integer("blocks")).to(setup.dtype));
        m_step = addWeight(setup, "log_step");
        m_b = addWeight(setup, "B");
        m_c = addWeight(setup, "C");
        m_d = addWeight(setup, "D");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const auto [lambda, gamma] =
            discretized(m_clips ? m_re.clamp_max(kLargestReal) : m_re, m_im, m_step.exp(), m_bilinear);
        ComplexStates states = complexStates(context, lambda, entering(context, x, gamma), inputs[1], mask);
        const at::Tensor y = leaving(context, states.h) + m_d * x;
        return {{m_masked.of(y, mask)}, std::move(states.last)};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const auto options = m_re.options().requires_grad(false);
        return {at::zeros({sequences, m_states}, options), at::zeros({sequences, m_states}, options)};
    }

private:
    /// Of `blocks` matrices HiPPO-N side by side; where a mode stands for a conjugate pair, those above the real axis.
    at::Tensor frequencies(std::int64_t blocks) const
    {
        const std::int64_t modes = m_states / blocks;
        return hippoFrequencies(m_scale * modes).narrow(0, (m_scale - 1) * modes, modes).repeat({blocks});
    }

    /// γ B x, real and imaginary part in turn, [T, B, N, 2]: one real product whose outputs lie in pairs.
    at::Tensor entering(const PassContext& context, const at::Tensor& x, const at::Tensor& gamma) const
    {
        const at::Tensor rows = at::view_as_real(gamma.unsqueeze(-1) * at::view_as_complex(m_b)); // [N, in, 2]
        return product(context, x, rows.transpose(1, 2).flatten(0, 1)).unflatten(-1, {m_states, 2});
    }

    /// Re(C h) of all modes: one real product over the pairs.
    at::Tensor leaving(const PassContext& context, const at::Tensor& h) const
    {
        const at::Tensor pairs = at::stack({m_c.select(2, 0), -m_c.select(2, 1)}, 2).flatten(1);
        return product(context, h.flatten(2), pairs * m_scale);
    }

    MaskedOutput m_masked;
    std::int64_t m_states, m_scale;
    bool m_bilinear, m_clips;
    at::Tensor m_re, m_im, m_step; // [N]
    at::Tensor m_b;                // [N, in, 2]
    at::Tensor m_c;                // [in, N, 2]
    at::Tensor m_d;                // [in]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<S5>(setup);
}

} // namespace unroll::nodes::s5
