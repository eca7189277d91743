// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/delta_scan/delta_scan_params.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

struct DeltaScanResult {
    at::Tensor y;    ///< (T,B,heads,m) what is read at each step
    at::Tensor u;    ///< (T,B,heads,m) what each step found in the state along z, before it wrote
    at::Tensor last; ///< (B,heads,n,m) state after the last step walked; the initial state when T = 0
};

/// The recurrence of a state that takes away what it holds before it stores: the delta rule and its general form, a
/// diagonal plus a product of rank one.
///
///     u_t = S_{t-1}^T z_t
///     S_t = diag(w_t) S_{t-1} + b_t u_t^T + k_t v_t^T        S (n,m)
///     y_t = S_t^T q_t
///
/// S is the transposed of the papers' states. The delta rule of DeltaNet (Schlag et al. 2021, arXiv:2102.11174, eq. 24;
/// Yang et al. 2024, arXiv:2406.06484) with writing strength beta has b = k, z = -beta k and v scaled by beta; Gated
/// DeltaNet (Yang et al. 2025, arXiv:2412.06464, eq. 10) has a factor w of each head besides, and z = -w beta k;
/// DeltaProduct (Siems et al. 2025, arXiv:2502.10297) takes several such steps a token. RWKV-7 (Peng et al. 2025,
/// arXiv:2503.14456, eq. 18) has w of each key, z = -kappa and b = a kappa. beta up to 2 makes eigenvalues down to -1.
///
/// q, k, z  (T,B,heads,n)
/// v        (T,B,heads,m). Any strides; rows not contiguous are copied.
/// b        (T,B,heads,n), or absent: k, which costs less.
/// w        (T,B,heads,n): a factor for each key; (T,B,heads): one for all keys of a head; or absent: 1. Any sign, 0
///          included.
/// initial  (B,heads,n,m), or absent: zeros.
/// mask     (T,B) bool or uint8, true = a real step, or absent. At a masked step the state is held, y and u are 0, and
///          nothing gets a gradient from it.
/// reverse  steps are walked from T-1 down to 0.
///
/// fp32 or fp64; on CUDA also bf16 with states and the arithmetic in fp32, and up to 256 keys and values of a head. All
/// outputs carry gradients to all of q, k, v, z, b, w and initial; second derivatives are refused.
///
/// Step by step: one walk over the state both stores and reads, for this step's y and for the next step's u. The
/// backward pass keeps the arguments and u. With u a state's rows know nothing of each other, so it makes the states
/// again without a sum, from one before every 16 steps.
///
/// Zero T, B or heads is allowed. Throws c10::Error that names the argument, what was expected and what came. The op is
/// unroll::delta_scan, its gradient unroll::delta_scan_backward.
DeltaScanResult deltaScan(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& z,
                          const std::optional<at::Tensor>& b = std::nullopt,
                          const std::optional<at::Tensor>& w = std::nullopt,
                          const std::optional<at::Tensor>& initial = std::nullopt,
                          const std::optional<at::Tensor>& mask = std::nullopt, bool reverse = false);

} // namespace unroll::kernels
