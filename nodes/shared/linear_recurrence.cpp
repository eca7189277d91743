// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/linear_recurrence.h"

#include "nodes/shared/state_space.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/polar.h>
#include <ATen/ops/zeros.h>

#include <utility>

namespace unroll::nodes {

LinearRecurrence::LinearRecurrence(const BlockSetup& setup)
    : Block(setup), m_states(setup.integer("state_size")), m_masked(setup)
{
    m_nu = addWeight(setup, "nu_log");
    m_theta = addWeight(setup, "theta_log");
    if (setup.text("gamma") == "free")
        m_gamma = addWeight("gamma_log", initialGamma());
}

/// ln √(1 - |λ|²) of the moduli drawn.
at::Tensor LinearRecurrence::initialGamma() const
{
    const at::NoGradGuard values;
    return logGamma();
}

/// 1 - |λ|² = 1 - exp(-2 exp ν), with all its digits where |λ| is near 1.
at::Tensor LinearRecurrence::logGamma() const
{
    return (m_nu.exp() * -2).expm1().neg().log() / 2;
}

at::Tensor LinearRecurrence::lambda() const
{
    return at::polar(m_nu.exp().neg().exp(), m_theta.exp());
}

std::vector<Value> LinearRecurrence::forward(const std::vector<Value>& inputs, const PassContext& context)
{
    const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
    const at::Tensor gamma = (m_gamma.defined() ? m_gamma : logGamma()).exp();
    ComplexStates states = complexStates(context, lambda(), entering(context, x, gamma), inputs[1], mask);
    at::Tensor y = leaving(context, states.h);
    if (m_skip.weight.defined())
        y = y + (m_skip.weight.dim() == 1 ? m_skip.weight * x : applied(context, m_skip, x));
    return {{m_masked.of(y, mask)}, std::move(states.last)};
}

Value LinearRecurrence::initialState(std::int64_t sequences) const
{
    const auto options = m_nu.options().requires_grad(false);
    return {at::zeros({sequences, m_states}, options), at::zeros({sequences, m_states}, options)};
}

} // namespace unroll::nodes
