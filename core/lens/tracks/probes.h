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

/// The units at the steps that probes are fitted on, turned so that they go without each other: what the probes of all
/// features share.
class ProbeBasis {
public:
    /// X [n, units] fp64, n >= 1. O(n units^2 + units^3), once.
    explicit ProbeBasis(const at::Tensor& x);

    /// Ridge regression of each column of Y [n, features]: the least of |y - X w - b|^2 + penalty |w|^2, penalty > 0.
    /// Exact.
    std::vector<LinearProbe> ridge(const at::Tensor& y, double penalty = 1) const;
    /// Logistic regression of each: the least of |w|^2 / 2 + sum_i log(1 + exp(-(2 y_i - 1)(x_i w + b))), y 0 or 1,
    /// both among them. Newton's method with steps by conjugate gradients, of all features together, halving those that
    /// do not descend, until no derivative exceeds 1e-9.
    std::vector<LinearProbe> logistic(const at::Tensor& y) const;

private:
    struct Fit;
    struct Solving;
    std::vector<LinearProbe> turnedBack(const at::Tensor& weights) const;
    at::Tensor newtonStep(const at::Tensor& curvature, const at::Tensor& gradient, const at::Tensor& exactness) const;
    void improve(Fit& fit) const;

    at::Tensor m_mean;        ///< [units]
    at::Tensor m_axes;        ///< [units, units], a column each
    at::Tensor m_x;           ///< [n, units + 1]: along the axes, about the mean; 1
    at::Tensor m_turned;      ///< [units + 1, n]
    at::Tensor m_small;       ///< m_x in single precision
    at::Tensor m_smallTurned; ///< m_turned likewise
    at::Tensor m_sizes;       ///< [1, units + 1] sums of squares of its columns
    at::Tensor m_penalty;     ///< [1, units + 1]: 1, and 0 for the bias
};

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
