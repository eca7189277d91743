// SPDX-License-Identifier: GPL-3.0-or-later
// The two products of a ternary layer's gradients, whose one factor is floats and whose other one is small integers.
#pragma once

#include "core/kernels/ternary/ternary.h"

namespace unroll::kernels {

/// What the forward pass read of the weight and of its rows [N, in].
struct TernaryFactors {
    TernaryWeight weight;
    at::Tensor codes, step;
};

/// From the gradient of the result, dy [N, out], those of the normalised rows, [N, in], and of the effective weight,
/// [out, in], the latter with that of the bias, the sum of dy's rows, where `bias` is given.
at::Tensor gradientOfTernaryRows(const at::Tensor& dy, const TernaryFactors& factors);
at::Tensor gradientOfTernaryWeight(const at::Tensor& dy, const TernaryFactors& factors, at::Tensor* bias);

} // namespace unroll::kernels
