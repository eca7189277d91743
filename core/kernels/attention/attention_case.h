// SPDX-License-Identifier: GPL-3.0-or-later
// The definition in torch's ops, in any type: what tests and the accuracy table compare with.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>

#include <cmath>
#include <limits>

namespace unroll::kernels::test {

struct Turned {
    at::Tensor cos, sin; ///< (1, steps, features / 2)
};

/// By angles that fall from pair to pair.
inline Turned turnedBy(std::int64_t steps, std::int64_t features, at::ScalarType type)
{
    const at::Tensor angles =
        at::arange(steps, at::kDouble).view({1, steps, 1}) / at::arange(1, features / 2 + 1, at::kDouble);
    return {angles.cos().to(type), angles.sin().to(type)};
}

/// x (B,H,T,n), each pair (i, i + n/2) turned.
inline at::Tensor turnedPairs(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin)
{
    const std::int64_t half = x.size(3) / 2;
    const at::Tensor a = x.narrow(3, 0, half), b = x.narrow(3, half, half);
    return at::cat({a * cos - b * sin, a * sin + b * cos}, 3);
}

inline at::Tensor attentionByDefinition(const at::Tensor& qkv, std::int64_t heads, const at::Tensor& cos,
                                        const at::Tensor& sin)
{
    const auto parts = qkv.permute({1, 0, 2}).chunk(3, 2); // (B,T,width)
    const auto head = [&](const at::Tensor& part) { return part.unflatten(2, {heads, -1}).transpose(1, 2); };
    at::Tensor q = head(parts[0]), k = head(parts[1]);
    if (cos.defined()) {
        q = turnedPairs(q, cos, sin);
        k = turnedPairs(k, cos, sin);
    }
    const at::Tensor scores = at::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(q.size(3)));
    const at::Tensor later = at::ones({q.size(2), q.size(2)}, at::kBool).triu(1);
    const at::Tensor weights = scores.masked_fill(later, -std::numeric_limits<double>::infinity()).softmax(-1);
    return at::matmul(weights, head(parts[2])).permute({2, 0, 1, 3}).flatten(2);
}

} // namespace unroll::kernels::test
