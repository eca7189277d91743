// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace unroll::nodes {

/// Factors of h_t = lambda h_{t-1} + gamma b_t, complex.
struct Discretized {
    at::Tensor lambda, gamma;
};

/// Of modes dh/dt = A h + b, A = re + i im, at steps of dt; the three are real and broadcast. Zero-order hold:
/// lambda = exp(dt A), gamma = (exp(dt A) - 1) / A, dt where A is 0; gradients likewise. Bilinear:
/// lambda = (1 + dt A / 2) / (1 - dt A / 2), gamma = dt / (1 - dt A / 2).
Discretized discretized(const at::Tensor& re, const at::Tensor& im, const at::Tensor& dt, bool bilinear);

/// Imaginary parts of the eigenvalues of HiPPO-N [size, size], the normal part of HiPPO-LegS, in rising order, fp64;
/// all real parts are -1/2. Gu et al. 2022, arXiv:2206.11893.
at::Tensor hippoFrequencies(std::int64_t size);

/// What a block over complex modes has of its states.
struct ComplexStates {
    at::Tensor h; ///< [T, B, N, 2], real and imaginary part
    Value last;   ///< real and imaginary part, [B, N] each
};

/// h_t = lambda h_{t-1} + b_t with b [T, B, N, 2], lambda [N] complex; `state` as `last`, or empty: zeros; `mask` [T,
/// B], or undefined. Shows the signal "h", and takes what an editor makes of it. Without keepsState `last` is empty.
ComplexStates complexStates(const PassContext& context, const at::Tensor& lambda, const at::Tensor& b,
                            const Value& state, const at::Tensor& mask);

} // namespace unroll::nodes
