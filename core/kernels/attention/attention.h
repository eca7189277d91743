// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace unroll::kernels {

/// Causal attention of all heads (Vaswani et al. 2017, arXiv:1706.03762), each over its own n = width / heads features:
///
///     y[t] = sum over j <= t of w[t][j] v[j],   w[t] = softmax over j <= t of q[t] . k[j] / sqrt(n)
///
/// qkv       (T,B,3 width): queries, keys, values, each of all heads side by side; what one product with the input
///           gives. Any strides; features not contiguous are copied
/// cos, sin  (1,T,n/2), n even, of the same type: queries and keys are turned by these angles first (rope_inl.h), or
///           undefined. No gradient
///
/// The result is (T,B,width). fp32 or fp64 on the CPU. A head is one thread's work and everything of it stays in that
/// core's caches while they hold about 10 T n numbers, so it is meant for windows of up to some thousand steps. Only
/// qkv is kept for the gradient, which works the weights out again; second derivatives are refused. Bytes that must
/// move for each feature of a step in fp32: 16 forward, 28 backward. Throws c10::Error that names the argument, what
/// was expected and what came. The op is unroll::causal_attention, its gradient unroll::causal_attention_backward.
at::Tensor causalAttention(const at::Tensor& qkv, std::int64_t heads, const at::Tensor& cos = {},
                           const at::Tensor& sin = {});

} // namespace unroll::kernels
