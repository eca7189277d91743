// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace unroll::nodes {

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

/// The ternary dense layer (BitNet b1.58's BitLinear; DenseMML of Keras-MML):
///
///     n = rmsNorm(x) * gain                                        with the form's epsilon
///     s = 127 / max(max |n|, 1e-5) for each row,  x_q = round(n s) / s      int8 activations
///     a = max(mean |W|, 1e-5),  q = clamp(round(W / a), -1, 1)              one scale for each part of the weight
///     y = x_q (a q)^T + bias
///
/// x [..., in], gain [in], weight [out, in], bias [out] or undefined; rounding half to even. The gradient goes straight
/// through the rounding of the activations. The weight is quantised once a call. Sources: Ma et al. 2024,
/// arXiv:2402.17764; Zhu et al. 2024, arXiv:2406.02528.
at::Tensor ternaryDense(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& weight, const at::Tensor& bias,
                        TernaryForm form = {});

/// What the layer reads of x: the integers x_q s, -127 to 127, without gradient.
at::Tensor ternaryInputCodes(const at::Tensor& x, const at::Tensor& gain, double epsilon = TernaryForm().epsilon);

} // namespace unroll::nodes
