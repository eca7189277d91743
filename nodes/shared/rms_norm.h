// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace unroll::nodes {

/// 1 / sqrt(mean(x^2) + epsilon) over the last dimension, which stays with size 1.
at::Tensor inverseRms(const at::Tensor& x, double epsilon);

/// x * inverseRms(x) * gain (no gain where it is undefined). A row of zeros gives zeros with a finite gradient, 1 /
/// sqrt(epsilon) of the one that comes. Source: Zhang, Sennrich 2019.
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& gain, double epsilon);

struct RmsNormGradient {
    at::Tensor x;
    at::Tensor gain; ///< undefined where there is no gain
};

/// The gradient of rmsNorm: with xhat = x * scale and g = gain * dy, dx = scale * (g - xhat * mean(g * xhat)), dgain =
/// sum(dy * xhat).
RmsNormGradient rmsNormBackward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& scale,
                                const at::Tensor& gain);

} // namespace unroll::nodes
