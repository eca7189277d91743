// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace unroll::kernels {

/// Turns pairs of features, as rotary positions do (Su et al. 2021, arXiv:2104.09864): feature i of the first half with feature i of the second,
///
///     y[i] = cos[i] x[i] - sin[i] x[i + n/2],   y[i + n/2] = sin[i] x[i] + cos[i] x[i + n/2]
///
/// heads     (B,heads,K,n), n even, any strides; features not contiguous are copied
/// cos, sin  (B,K,n/2) or (1,K,n/2), of the same type; they get no gradient
///
/// The result is contiguous. Its gradient is turned back the same way, and has gradients of its own. Bytes that must move for each feature in
/// fp32: 8 forward, 8 backward. Throws c10::Error that names the argument, what was expected and what came.
/// The op is unroll::rotate, with `back` true for the other direction.
at::Tensor rotate(const at::Tensor& heads, const at::Tensor& cos, const at::Tensor& sin);

} // namespace unroll::kernels
