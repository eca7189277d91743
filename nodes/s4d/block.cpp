// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/masked_output.h"
#include "nodes/shared/state_space.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zeros.h>

#include <numbers>
#include <utility>

namespace unroll::nodes::s4d {

namespace {

/// Imaginary parts that the modes of a feature begin with, rising, fp64.
at::Tensor initialFrequencies(const std::string& rule, std::int64_t modes)
{
    if (rule == "legs")
        return hippoFrequencies(2 * modes).narrow(0, modes, modes);
    const at::Tensor n = at::arange(modes, at::kDouble);
    if (rule == "lin")
        return n * std::numbers::pi;
    const auto size = static_cast<double>(2 * modes); // of the paper's state: conjugates are counted
    return ((2 * n + 1).reciprocal() * size - 1) * (size / std::numbers::pi);
}

class S4d final : public Block {
public:
    explicit S4d(const BlockSetup& setup)
        : Block(setup),
          m_masked(setup),
          m_features(setup.dimension("input_size")),
          m_modes(setup.integer("state_size")),
          m_bilinear(setup.text("discretization") == "bilinear")
    {
        m_step = addWeight(setup, "kernel.log_dt");
        m_logRe = addWeight(setup, "kernel.log_A_real");
        const at::Tensor frequencies = initialFrequencies(setup.text("init"), m_modes);
        m_im = addWeight("kernel.A_imag", frequencies.to(setup.dtype).repeat({m_features, 1}));
        m_c = addWeight(setup, "kernel.C");
        m_d = addWeight(setup, "D");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const auto [lambda, gamma] = discretized(-m_logRe.exp(), m_im, m_step.exp().unsqueeze(1), m_bilinear);
        ComplexStates states =
            complexStates(context, lambda.flatten(),
                          (x.unsqueeze(-1).unsqueeze(-1) * at::view_as_real(gamma)).flatten(2, 3), inputs[1], mask);
        const at::Tensor y = leaving(states.h) + m_d * x;
        return {{m_masked.of(y, mask)}, std::move(states.last)};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const auto options = m_d.options().requires_grad(false);
        const std::int64_t states = m_features * m_modes;
        return {at::zeros({sequences, states}, options), at::zeros({sequences, states}, options)};
    }

private:
    /// 2 Re(C h), summed over the modes of each feature.
    at::Tensor leaving(const at::Tensor& h) const
    {
        const at::Tensor pairs = at::stack({m_c.select(2, 0), -m_c.select(2, 1)}, 2) * 2; // [features, modes, 2]
        return (h.unflatten(2, {m_features, m_modes}) * pairs).sum({-2, -1});
    }

    MaskedOutput m_masked;
    std::int64_t m_features, m_modes;
    bool m_bilinear;
    at::Tensor m_step;        // [features]
    at::Tensor m_logRe, m_im; // [features, modes]
    at::Tensor m_c;           // [features, modes, 2]
    at::Tensor m_d;           // [features]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<S4d>(setup);
}

} // namespace unroll::nodes::s4d
