// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/matrix_scan/matrix_scan_params.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

struct MatrixScanResult {
    at::Tensor h;    ///< (T,B,heads,n,n) state after each step
    at::Tensor last; ///< (B,heads,n,n) state after the last step walked; the initial state when T = 0
};

/// The recurrence of a state that is a matrix, multiplied from the right by one matrix a step; the MRU's (mru-lm,
/// model.py):
///
///     h_t = h_{t-1} m_t
///
/// m        (T,B,heads,n,n), n <= kMaxMatrixSize; up to 16 unrolled. Any strides; matrices not contiguous are copied.
/// initial  (B,heads,n,n), or absent: the identity.
/// mask     (T,B) bool or uint8, true = a real step, or absent. At a masked step the state is held; m gets no gradient
///          from it.
/// reverse  steps are walked from T-1 down to 0.
///
/// fp32 or fp64; on CUDA also bf16 with initial, last and the arithmetic in fp32. Both outputs carry gradients to m and
/// initial; second derivatives are refused. Backward, with g_t the gradient arriving at h_t, from the last step on: c_t
/// = g_t + c_{t+1} m_{t+1}^T, dm_t = h_{t-1}^T c_t: only m and h are kept, and nothing is inverted.
/// Bytes that must move for each element of m in fp32: 8 forward, 16 backward. Zero T, B or heads is allowed.
/// Throws c10::Error that names the argument, what was expected and what came.
/// The op is unroll::matrix_scan, its gradient unroll::matrix_scan_backward.
MatrixScanResult matrixScan(const at::Tensor& m, const std::optional<at::Tensor>& initial = std::nullopt,
                            const std::optional<at::Tensor>& mask = std::nullopt, bool reverse = false);

} // namespace unroll::kernels
