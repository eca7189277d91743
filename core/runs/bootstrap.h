// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace unroll {

/// Of at least one value.
double meanOf(std::span<const double> values);

struct Interval {
    double low = 0;
    double high = 0;

    bool operator==(const Interval&) const = default;
};

/// Up to so many values all resamples are counted, each multiset once with its weight; beyond, kBootstrapDraws of them
/// are drawn, the same ones every time.
inline constexpr std::size_t kExactBootstrap = 6;
inline constexpr std::size_t kBootstrapDraws = 10'000;

/// The 95 % percentile bootstrap interval of the mean of at least one value: the 0.025 and 0.975 quantiles of the means
/// of resamples, linear between neighbours (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13).
/// Of one value it is that value.
Interval bootstrapInterval(std::span<const double> values);

} // namespace unroll
