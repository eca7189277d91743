// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

double halfLifeOf(double factor)
{
    if (factor <= 0)
        return 0;
    return factor >= 1 ? std::numeric_limits<double>::infinity() : std::log(0.5) / std::log(factor);
}

double distanceFromOrthogonal(const std::vector<double>& singular)
{
    double squares = 0;
    for (const double value : singular)
        squares += std::pow(value * value - 1, 2);
    return std::sqrt(squares / static_cast<double>(singular.size()));
}

bool MatrixTrack::invertible() const
{
    const auto isFull = [this](double rank) { return std::isnan(rank) || rank == static_cast<double>(size()); };
    return rows == columns && std::all_of(heads.begin(), heads.end(), [&](const Head& head) {
               return std::all_of(head.rank.begin(), head.rank.end(), isFull);
           });
}

double Spectrum::radius() const
{
    double most = 0;
    for (const std::complex<double>& value : eigenvalues)
        most = std::max(most, std::abs(value));
    return most;
}

} // namespace unroll
