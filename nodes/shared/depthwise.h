// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/addcmul.h>

#include <cstdint>
#include <vector>

namespace unroll::nodes {

/// Σ_k w_k ∘ read_k + b: each feature has a kernel of its own. `read`: tensors [T, B, width]; `weight` [width, taps];
/// `bias` [width], or undefined.
inline at::Tensor depthwise(const std::vector<at::Tensor>& read, const at::Tensor& weight, const at::Tensor& bias)
{
    at::Tensor y =
        bias.defined() ? at::addcmul(bias, read.front(), weight.select(1, 0)) : read.front() * weight.select(1, 0);
    for (std::size_t k = 1; k < read.size(); ++k)
        y = at::addcmul(y, read[k], weight.select(1, static_cast<std::int64_t>(k)));
    return y;
}

} // namespace unroll::nodes
