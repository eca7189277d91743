// SPDX-License-Identifier: GPL-3.0-or-later
// The definition in torch's ops, in any type: what tests and the accuracy table compare with.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>

namespace unroll::kernels::test {

/// I - 2 v v^T / v^T v with v the first unit vector and what the numbers [..., n] add to it; I of v = 0.
inline at::Tensor reflection(const at::Tensor& numbers)
{
    const at::Tensor one = at::eye(numbers.size(-1), numbers.options().requires_grad(false)), v = numbers + one[0];
    const at::Tensor square = v.square().sum(-1, true);
    return one - v.unsqueeze(-1) * v.unsqueeze(-2) * (2 / (square + square.eq(0))).unsqueeze(-1);
}

/// Two of them, of numbers [..., 2 n].
inline at::Tensor twoReflections(const at::Tensor& numbers)
{
    const std::int64_t n = numbers.size(-1) / 2;
    return at::matmul(reflection(numbers.narrow(-1, 0, n)), reflection(numbers.narrow(-1, n, n)));
}

} // namespace unroll::kernels::test
