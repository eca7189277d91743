// SPDX-License-Identifier: GPL-3.0-or-later
// AMX multiplies integers of 8 bits as bf16 numbers, which hold them exactly; the scales go along the depth. Three products of parts instead of the
// six that two factors of floats take.
#include "core/kernels/ternary/ternary_gradients.h"

#include "core/kernels/common/dense_product.h"
#include "core/kernels/common/split_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

bool isSplit(const at::Tensor& dy, const at::Tensor& other)
{
    return isPlainAndLarge(dy, other) && hasSplitProducts();
}

at::Tensor asRows(const at::Tensor& codes)
{
    return codes.reshape({-1, codes.size(-1)}).to(at::kFloat);
}

} // namespace

at::Tensor gradientOfTernaryRows(const at::Tensor& dy, const TernaryFactors& factors)
{
    const TernaryWeight& weight = factors.weight;
    if (!isSplit(dy, weight.scale))
        return gradientOfRows(dy, unpackTernary(weight));
    const at::Tensor q = unpackTernary({weight.packed, at::ones_like(weight.scale), weight.out, weight.in});
    const at::Tensor scale = weight.scale.repeat_interleave(weight.out / weight.scale.size(0));
    return splitProduct(dy, q, {.scale = scale, .rightIsBf16 = true});
}

at::Tensor gradientOfTernaryWeight(const at::Tensor& dy, const TernaryFactors& factors, at::Tensor* bias)
{
    const at::Tensor step = factors.step.reshape({-1, 1});
    if (!isSplit(dy, step)) {
        const at::Tensor rows = asRows(factors.codes).mul_(step);
        return gradientOfWeight(dy, rows, libraryForWeights(dy, rows), bias);
    }
    return splitProduct(dy.t(), asRows(factors.codes), {.scale = step.view(-1), .leftSums = bias, .rightIsBf16 = true});
}

} // namespace unroll::kernels
