// SPDX-License-Identifier: GPL-3.0-or-later
// AMX multiplies integers of 8 bits as bf16 numbers, which hold them exactly; the scales go along the depth. Three
// products of parts instead of the six that two factors of floats take.
#include "core/kernels/ternary/ternary_gradients.h"

#include "core/linalg/amx/split_product.h"
#include "core/linalg/products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

/// One factor is small integers: three products instead of six, which gain from few rows on.
constexpr std::int64_t kFewestRows = 16;

bool isByAmx(const at::Tensor& dy, const at::Tensor& other)
{
    return linalg::multipliesByAmx(dy, other, kFewestRows);
}

at::Tensor asRows(const at::Tensor& codes)
{
    return codes.reshape({-1, codes.size(-1)}).to(at::kFloat);
}

} // namespace

at::Tensor gradientOfTernaryRows(const at::Tensor& dy, const TernaryFactors& factors)
{
    const TernaryWeight& weight = factors.weight;
    if (!isByAmx(dy, weight.scale)) {
        const at::Tensor unpacked = unpackTernary(weight);
        return linalg::gradientOfRows(dy, unpacked, linalg::multiplierForRows(dy, unpacked));
    }
    const at::Tensor q = unpackTernary({weight.packed, at::ones_like(weight.scale), weight.out, weight.in});
    const at::Tensor scale = weight.scale.repeat_interleave(weight.out / weight.scale.size(0));
    return linalg::splitProduct(dy, q, {.scale = scale, .rightIsBf16 = true});
}

at::Tensor gradientOfTernaryWeight(const at::Tensor& dy, const TernaryFactors& factors, at::Tensor* bias)
{
    const at::Tensor step = factors.step.reshape({-1, 1});
    if (!isByAmx(dy, step)) {
        const at::Tensor rows = asRows(factors.codes).mul_(step);
        return linalg::gradientOfWeight(dy, rows, linalg::multiplierForWeight(dy, rows), bias);
    }
    return linalg::splitProduct(dy.t(), asRows(factors.codes),
                                {.scale = step.view(-1), .leftSums = bias, .rightIsBf16 = true});
}

} // namespace unroll::kernels
