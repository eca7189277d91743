// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/polar.h>
#include <ATen/ops/real.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes::lru {

namespace {

class Lru final : public Block {
public:
    explicit Lru(const BlockSetup& setup) : Block(setup), m_states(setup.integer("state_size"))
    {
        m_nu = addWeight(setup, "nu_log");
        m_theta = addWeight(setup, "theta_log");
        if (setup.text("gamma") == "free")
            m_gamma = addWeight("gamma_log", initialGamma());
        m_bRe = addWeight(setup, "B_re");
        m_bIm = addWeight(setup, "B_im");
        m_cRe = addWeight(setup, "C_re");
        m_cIm = addWeight(setup, "C_im");
        if (setup.text("skip") != "none")
            m_d = addWeight(setup, "D");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const auto result = kernels::diagScan(lambda(), entering(context, x), complexState(inputs[1]),
                                              whereDefined(mask), /*reverse=*/false);
        const at::Tensor h = at::view_as_real(result.h).flatten(2); // [T, B, 2 N], real and imaginary in turn
        if (context.wants("h"))
            context.show("h", h.detach());
        at::Tensor y = leaving(context, h, x);
        if (mask.defined())
            y = at::where(mask.unsqueeze(-1), y, 0);
        return {{y}, {at::real(result.last).contiguous(), at::imag(result.last).contiguous()}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const auto options = m_nu.options().requires_grad(false);
        return {at::zeros({sequences, m_states}, options), at::zeros({sequences, m_states}, options)};
    }

private:
    /// ln √(1 - |λ|²) of the moduli drawn.
    at::Tensor initialGamma() const
    {
        const at::NoGradGuard values;
        return logGamma();
    }

    /// 1 - |λ|² = 1 - exp(-2 exp ν), with all its digits where |λ| is near 1.
    at::Tensor logGamma() const { return (m_nu.exp() * -2).expm1().neg().log() / 2; }

    at::Tensor lambda() const { return at::polar(m_nu.exp().neg().exp(), m_theta.exp()); }

    static std::optional<at::Tensor> complexState(const Value& state)
    {
        return state.empty() ? std::nullopt : std::optional(at::complex(state[0], state[1]));
    }

    /// γ B x, [T, B, N]: one real product whose outputs lie in pairs.
    at::Tensor entering(const PassContext& context, const at::Tensor& x) const
    {
        const at::Tensor gamma = (m_gamma.defined() ? m_gamma : logGamma()).exp().unsqueeze(-1);
        const at::Tensor pairs = at::stack({m_bRe * gamma, m_bIm * gamma}, 1).flatten(0, 1);
        return at::view_as_complex(product(context, x, pairs).unflatten(-1, {m_states, 2}));
    }

    /// Re(C h) + D x
    at::Tensor leaving(const PassContext& context, const at::Tensor& h, const at::Tensor& x) const
    {
        const at::Tensor y = product(context, h, at::stack({m_cRe, -m_cIm}, 2).flatten(1));
        if (!m_d.defined())
            return y;
        return y + (m_d.dim() == 1 ? m_d * x : product(context, x, m_d));
    }

    std::int64_t m_states;
    at::Tensor m_nu, m_theta, m_gamma; // [N]; gamma undefined where it follows nu
    at::Tensor m_bRe, m_bIm;           // [N, in]
    at::Tensor m_cRe, m_cIm;           // [units, N]
    at::Tensor m_d;                    // [units], [units, in], or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Lru>(setup);
}

} // namespace unroll::nodes::lru
