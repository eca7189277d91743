// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

namespace unroll::kernels {

/// Real and imaginary parts in turn, each times the scale of its column: y[..., i, 0] = scale[i] re[..., i], y[..., i, 1] = scale[i] im[..., i].
///
/// re, im  [..., N], any strides
/// scale   [N], or undefined: 1
///
/// The result is [..., N, 2], contiguous. With gradients to all three; that of the scale is summed row after row, on any number of threads the
/// same. Second derivatives are refused. Bytes that must move for each pair in fp32: 16 forward, 24 backward.
/// Throws c10::Error that names the argument, what was expected and what came.
/// The op is unroll::join_pairs, its gradient unroll::join_pairs_backward.
at::Tensor joinPairs(const at::Tensor& re, const at::Tensor& im, const at::Tensor& scale = {});

/// The other way: pairs [..., N, 2] as two tensors [..., N], contiguous. With gradients. The op is unroll::split_pairs.
std::pair<at::Tensor, at::Tensor> splitPairs(const at::Tensor& pairs);

} // namespace unroll::kernels
