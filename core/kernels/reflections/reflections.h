// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace unroll::kernels {

inline constexpr std::int64_t kMaxReflectedRows = 64;

/// One rotation of n rows made of each 2 n numbers: two Householder reflections multiplied out,
///
///     M = (I - 2 v v^T / v^T v) (I - 2 w w^T / w^T w)
///     v = e + numbers[..n],   w = e + numbers[n..],   e the first unit vector
///
/// numbers [..., 2 n], n = 1 to kMaxReflectedRows; the result is [..., n, n], orthogonal with determinant 1, and I
/// where all numbers are 0. Where v or w is zero it is NaN. Only the numbers are kept for the gradient; second
/// derivatives are refused. Bytes that must move for each matrix in fp32: 4 (n² + 2 n) forward, 4 (n² + 4 n) backward.
/// Throws c10::Error that names the argument, what was expected and what came.
/// The op is unroll::reflections, its gradient unroll::reflections_backward.
at::Tensor reflections(const at::Tensor& numbers);

} // namespace unroll::kernels
