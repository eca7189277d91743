// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/features/features.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <stop_token>
#include <vector>

namespace unroll::lenses::tracks {

/// A linear function of the units: X weights + bias.
struct LinearProbe {
    at::Tensor weights; ///< [units] fp64
    double bias = 0;
};

/// Ridge regression: the least of |y - X w - b|^2 + penalty |w|^2. X [n, units], y [n], fp64; n >= 1, penalty > 0.
/// Exact, by Cholesky.
LinearProbe ridgeProbe(const at::Tensor& x, const at::Tensor& y, double penalty = 1);

/// Logistic regression: the least of |w|^2 / 2 + sum_i log(1 + exp(-(2 y_i - 1)(x_i w + b))), y 0 or 1, both among
/// them. Newton's method with torch's Cholesky factors, halving steps that do not descend, until no derivative exceeds
/// 1e-7.
LinearProbe logisticProbe(const at::Tensor& x, const at::Tensor& y);

/// How well a linear function of all units of a layer tells a feature that it has not been fitted on.
struct ProbeScore {
    double score = 0; ///< on the second half: share of steps told right, or R^2 (below 0: worse than the mean)
    double base = 0;  ///< the same of who always says what is most frequent in the first half; 0 of R^2
};

/// Of each feature; nothing where it does not vary in one of the halves, or is known at too few steps. `units` [units,
/// steps] fp64, all of them numbers. Fitted on the first half of the steps at which the feature is known, units
/// standardised by that half, scored on the second.
std::vector<std::optional<ProbeScore>> probeScores(const at::Tensor& units, const std::vector<Feature>& features,
                                                   const std::stop_token& end);

} // namespace unroll::lenses::tracks
