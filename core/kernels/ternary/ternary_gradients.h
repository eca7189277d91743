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

/// The gradients of the normalised rows, [N, in], and of the effective weight, [out, in], from that of the result, dy [N, out].
at::Tensor gradientOfTernaryRows(const at::Tensor& dy, const TernaryFactors& factors);
at::Tensor gradientOfTernaryWeight(const at::Tensor& dy, const TernaryFactors& factors);

} // namespace unroll::kernels
