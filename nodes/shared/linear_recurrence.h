// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"
#include "nodes/shared/dense_layer.h"
#include "nodes/shared/masked_output.h"

namespace unroll::nodes {

/// The linear recurrence of the LRU, for blocks that differ in how they make their products:
///
///     λ = exp(-exp(ν) + i exp(θ))    h_t = λ ∘ h_{t-1} + γ ∘ (B x_t)    y_t = Re(C h_t) + D x_t
///
/// Weights: nu_log, theta_log, and gamma_log unless γ = √(1 - |λ|²) by the parameter `gamma`. The state is h in two
/// tensors, its real and its imaginary part. Source: Orvieto et al. 2023, arXiv:2303.06349.
class LinearRecurrence : public Block {
public:
    /// Inputs x [T, B, in], state, mask; outputs y and state.
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override;
    Value initialState(std::int64_t sequences) const final;

protected:
    explicit LinearRecurrence(const BlockSetup& setup);

    /// γ B x, real and imaginary part in turn: [T, B, N, 2]. `gamma` is [N].
    virtual at::Tensor entering(const PassContext& context, const at::Tensor& x, const at::Tensor& gamma) const = 0;
    /// Re(C h) of h [T, B, N, 2].
    virtual at::Tensor leaving(const PassContext& context, const at::Tensor& h) const = 0;

    std::int64_t m_states;
    DenseLayer m_skip; ///< D: a vector [units], a layer [units, in], or undefined

private:
    at::Tensor initialGamma() const;
    at::Tensor logGamma() const;
    at::Tensor lambda() const;

    MaskedOutput m_masked;
    at::Tensor m_nu, m_theta, m_gamma; // [N]; gamma undefined where it follows nu
};

} // namespace unroll::nodes
