// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/tracks/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace unroll::lenses::tracks {

namespace {

/// The continued fraction of I_x(a, b) by Lentz's method; converges fast for x below (a + 1) / (a + b + 2).
double betaFraction(double x, double a, double b)
{
    constexpr double tiny = 1e-300;
    const auto kept = [](double value) { return std::abs(value) < tiny ? tiny : value; };
    double c = 1, d = 1 / kept(1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m <= 10'000; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / kept(1 + even * d);
        c = kept(1 + even / c);
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / kept(1 + odd * d);
        c = kept(1 + odd / c);
        const double change = d * c;
        h *= change;
        if (std::abs(change - 1) < 1e-15)
            break;
    }
    return h;
}

} // namespace

double regularisedBeta(double x, double a, double b)
{
    if (!(x > 0))
        return x <= 0 ? 0 : x;
    if (x >= 1)
        return 1;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * betaFraction(x, a, b) / a : 1 - front * betaFraction(1 - x, b, a) / b;
}

/// With t = r sqrt(d / (1 - r^2)), d degrees of freedom, the two tails are I_{d / (d + t^2)}(d / 2, 1 / 2), and d / (d
/// + t^2) = 1 - r^2.
double correlationP(double r, double samples)
{
    const double degrees = std::max(samples - 2, 1.0);
    return regularisedBeta(std::max((1 - r) * (1 + r), 0.0), degrees / 2, 0.5);
}

std::vector<double> adjusted(const std::vector<double>& p)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (!std::isnan(p[i]))
            order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    std::vector<double> q(p.size(), std::numeric_limits<double>::quiet_NaN());
    double least = 1;
    for (std::size_t rank = order.size(); rank > 0; --rank) {
        const std::size_t i = order[rank - 1];
        least = std::min(least, p[i] * static_cast<double>(order.size()) / static_cast<double>(rank));
        q[i] = least;
    }
    return q;
}

double strengthOf(double score, bool binary)
{
    return binary ? std::abs(2 * score - 1) : std::abs(score);
}

void midranks(const double* values, const std::int64_t* order, const std::vector<std::int64_t>& place, double* ranks)
{
    std::vector<std::int64_t> equal; // places of the steps with one value
    double value = 0, before = 0;    // how many are smaller
    const auto give = [&] {
        const double rank = before + (static_cast<double>(equal.size()) + 1) / 2;
        for (const std::int64_t at : equal)
            ranks[at] = rank;
        before += static_cast<double>(equal.size());
        equal.clear();
    };
    for (std::size_t i = 0; i < place.size(); ++i) {
        const std::int64_t step = order[i];
        if (place[static_cast<std::size_t>(step)] < 0)
            continue;
        if (!equal.empty() && values[step] != value)
            give();
        value = values[step];
        equal.push_back(place[static_cast<std::size_t>(step)]);
    }
    give();
}

} // namespace unroll::lenses::tracks
