// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/diag_scan/diag_scan_params.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

struct DiagScanResult {
    at::Tensor h;    ///< (T,B,d) state after each step
    at::Tensor last; ///< (B,d) state after the last step walked; the initial state when T = 0
};

/// The linear recurrence with a diagonal transition, real or complex; the LRU's (Orvieto et al. 2023, "Resurrecting
/// Recurrent Neural Networks for Long Sequences", eq. 4) with a = lambda and b = gamma * B x:
///
///     h_t = a_t * h_{t-1} + b_t
///
/// a        (T,B,d): one a step; or (d): the same at every step, of the type of the states.
/// b        (T,B,d). Any strides, of a too; rows not contiguous are copied.
/// initial  (B,d), or absent: zeros.
/// mask     (T,B) bool or uint8, true = a real step, or absent. At a masked step the state is held; a and b get no
///          gradient from it.
/// reverse  steps are walked from T-1 down to 0.
///
/// fp32, fp64, complex64 or complex128; on CUDA also bf16 with initial, last and an a of (d) in fp32. Both outputs
/// carry gradients to a, b and initial (complex ones as torch defines them: conjugate Wirtinger derivatives); second
/// derivatives are refused. A gradient of an a of (d) is summed in a fixed order. Only a and h are kept for the
/// backward pass. Zero T, B or d is allowed. Throws c10::Error that names the argument, what was expected and what
/// came. The op is unroll::diag_scan, its gradient unroll::diag_scan_backward.
DiagScanResult diagScan(const at::Tensor& a, const at::Tensor& b, const std::optional<at::Tensor>& initial,
                        const std::optional<at::Tensor>& mask, bool reverse = false);

} // namespace unroll::kernels
