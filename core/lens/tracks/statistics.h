// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/features/features.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll::lenses::tracks {

/// How every unit goes with every feature.
struct Association {
    /// [features, units] fp64. Of a binary feature the area under the ROC curve of the unit's value as its score
    /// (Mann-Whitney's U over the pairs, ties count half): 1 the unit is higher wherever the feature is on, 0 lower,
    /// 0.5 neither. Of a number Pearson's r. NaN: not available, because the feature or the unit does not vary or the
    /// unit has values that are not numbers.
    at::Tensor scores;
    at::Tensor p; ///< [features, units], two-sided; NaN likewise
    at::Tensor q; ///< p adjusted by Benjamini and Hochberg (1995) over all pairs together
    /// Of each feature: what the best of all units reaches in 19 of 20 shuffles: an AUC of 0.5 or more, or |r|. NaN:
    /// not available.
    std::vector<double> chance;
    std::vector<std::string> reasons; ///< why a feature is not available; empty: it is
    std::vector<std::int64_t> known;  ///< steps at which a feature is known
    std::vector<double> on;           ///< share of these at which a binary one is on; NaN of a number
};

struct AssociationOptions {
    int shuffles = 100;       ///< 0: no chance level
    bool significance = true; ///< false: the scores alone; p and q are NaN
    std::uint64_t seed = 1;   ///< of the shuffles
    std::stop_token end = {};
};

/// `units`: [units, steps] fp64 on the CPU; the features have as many steps. Each feature is compared on the steps
/// where it is known.
Association associate(const at::Tensor& units, const std::vector<Feature>& features, const AssociationOptions& options);

/// Distance of a score from none, in units of |AUC - 0.5| x 2 or of |r|: 0..1.
double strengthOf(double score, bool binary);

/// Ranks from 1, equal values have the mean of theirs. `order`: of all steps, by value; only those with `place` >= 0
/// are ranked, and the rank of step i goes to ranks[place[i]].
void midranks(const double* values, const std::int64_t* order, const std::vector<std::int64_t>& place, double* ranks);

/// Two-sided p of a correlation r of `samples` independent pairs: Student's t with samples - 2 degrees of freedom, 1 at
/// least.
double correlationP(double r, double samples);

/// P-values that control the false discovery rate (Benjamini, Hochberg 1995): the smallest rate at which each is a
/// discovery. NaN is left out.
std::vector<double> adjusted(const std::vector<double>& p);

/// The regularised incomplete beta function I_x(a, b), 0 <= x <= 1, a, b > 0. To 1e-12, by its continued fraction (DLMF
/// 8.17.22).
double regularisedBeta(double x, double a, double b);

} // namespace unroll::lenses::tracks
