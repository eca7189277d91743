// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/ternary/ternary_params.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace unroll::kernels {

/// How the gradient of ternary weights is formed. With G the gradient of the effective weight a q:
enum class TernaryGradient {
    StraightThrough, ///< dW = G, as if the weight had not been rounded
    Keras,           ///< dW = a G + sum(G * q) sign(W) / N: through the scale a = mean |W| too, as Keras-MML forms it
};

struct TernaryForm {
    TernaryGradient gradient = TernaryGradient::StraightThrough;
    std::int64_t scales = 1; ///< the weight's rows are so many equal parts, each with a scale of its own
    double epsilon = 1e-8;   ///< of the norm
};

/// Rows as a ternary layer reads them.
struct TernaryRows {
    at::Tensor codes;      ///< int8 [..., in], -127 to 127; of a row with a number that is not finite: nothing
    at::Tensor step;       ///< [..., 1], of a code: largest / 127. NaN where a number of the row is not finite
    at::Tensor inverseRms; ///< [..., 1]
};

/// A weight at two bits each.
struct TernaryWeight {
    at::Tensor packed; ///< uint8 [ceil(out / 16), ceil(in / 16), 64], laid out as ternary_params.h says
    at::Tensor scale;  ///< a, [scales]
    std::int64_t out = 0, in = 0;
};

/// The ternary dense layer (BitNet b1.58's BitLinear; DenseMML of Keras-MML), with gradients to x, gain, weight and
/// bias:
///
///     n = x gain / sqrt(mean(x^2) + epsilon)
///     s = 127 / max(max |n|, 1e-5) for each row,  x_q = round(n s) / s      int8 activations
///     a = max(mean |W|, 1e-5),  q = clamp(round(W / a), -1, 1)              one scale for each part of the weight
///     y = x_q (a q)^T + bias
///
/// x       [..., in], any strides; no rows are allowed, no inputs are not.
/// gain    [in]
/// weight  [out, in], out a multiple of form.scales
/// bias    [out], or absent
///
/// fp32. The product is one of the integers x_q s and q: exact up to 2^23 inputs, scaled and biased in the same pass;
/// so rows are the same bits alone and among others. Rounding is half to even. The gradient goes straight through the
/// rounding of the activations, and is fp32. Kept for the backward pass: x, a byte for each of its numbers, two bits a
/// weight. Not finite numbers in a row make its output NaN. Second derivatives are refused. On CUDA the integers and
/// their sums are those of the CPU; rows, weights and products are made by kernels of ours, the gradients' products by
/// torch. Throws c10::Error that names the argument, what was expected and what came. The op is unroll::ternary_dense,
/// made of ternary_pack and ternary_layer (ternary_rows and ternary_product in one pass), and of ternary_unpack and
/// ternary_norm_backward. Sources: Ma et al. 2024, arXiv:2402.17764; Zhu et al. 2024, arXiv:2406.02528.
at::Tensor ternaryDense(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& weight,
                        const std::optional<at::Tensor>& bias, const TernaryForm& form = {});

// The parts, without gradient: for weights that stay as they are over many calls.

TernaryRows ternaryRows(const at::Tensor& x, const at::Tensor& gain, double epsilon);
TernaryWeight packTernary(const at::Tensor& weight, std::int64_t scales = 1);
at::Tensor unpackTernary(const TernaryWeight& weight); ///< the effective weight a q, [out, in]
at::Tensor ternaryProduct(const TernaryRows& rows, const TernaryWeight& weight, const std::optional<at::Tensor>& bias);

/// Rows and their product, in one pass.
struct TernaryPass {
    at::Tensor y;
    TernaryRows rows;
};

TernaryPass ternaryLayer(const at::Tensor& x, const at::Tensor& gain, const TernaryWeight& weight,
                         const std::optional<at::Tensor>& bias, double epsilon);

/// From the gradient of the effective weight to that of the weight, as the form says. Any device and floating type;
/// scale [scales] or [scales, 1]. The effective weight is asked for by the Keras form alone.
at::Tensor ternaryWeightGradient(const at::Tensor& gradient, const at::Tensor& effective, const at::Tensor& scale,
                                 const at::Tensor& weight, const TernaryForm& form);

} // namespace unroll::kernels
