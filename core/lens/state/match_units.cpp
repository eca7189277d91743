// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/match_units.h"

#include "core/base/assignment.h"
#include "core/lens/state/unit_order.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace unroll {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The values of each unit less their mean and divided by their length, [units][steps]; NaN throughout where that is no
/// number.
std::vector<double> directionsOf(const HeatCells& cells)
{
    const auto steps = static_cast<std::size_t>(cells.steps);
    const std::vector<UnitRange> ranges = unitRanges(cells, UnitScale::Standardised);
    std::vector<double> rows(static_cast<std::size_t>(cells.width) * steps);
    for (std::int64_t unit = 0; unit < cells.width; ++unit) {
        double* row = rows.data() + static_cast<std::size_t>(unit) * steps;
        double squares = 0;
        for (std::size_t t = 0; t < steps; ++t) {
            row[t] = static_cast<double>(cells.at(static_cast<std::int64_t>(t), unit)) -
                     ranges[static_cast<std::size_t>(unit)].centre;
            squares += row[t] * row[t];
        }
        const double centre = ranges[static_cast<std::size_t>(unit)].centre;
        const double least = 1e-12 * std::abs(centre) * std::sqrt(static_cast<double>(steps)); // rounding of the mean
        const double length = std::sqrt(squares);
        const bool changes = std::isfinite(length) && length > least;
        for (std::size_t t = 0; t < steps; ++t)
            row[t] = changes ? row[t] / length : kNone;
    }
    return rows;
}

/// r of every two units, [first][second].
std::vector<double> correlations(const HeatCells& first, const HeatCells& second)
{
    const auto steps = static_cast<std::size_t>(first.steps);
    const std::vector<double> a = directionsOf(first), b = directionsOf(second);
    std::vector<double> r;
    r.reserve(static_cast<std::size_t>(first.width * second.width));
    for (std::size_t i = 0; i < static_cast<std::size_t>(first.width); ++i)
        for (std::size_t j = 0; j < static_cast<std::size_t>(second.width); ++j) {
            double sum = 0;
            for (std::size_t t = 0; t < steps; ++t)
                sum += a[i * steps + t] * b[j * steps + t];
            r.push_back(std::isfinite(sum) ? std::clamp(sum, -1.0, 1.0) : kNone);
        }
    return r;
}

std::vector<UnitPair> paired(const HeatCells& first, const HeatCells& second)
{
    const std::vector<double> r = correlations(first, second);
    std::vector<double> cost(r.size());
    std::transform(r.begin(), r.end(), cost.begin(),
                   [](double each) { return std::isnan(each) ? 0 : -std::abs(each); });
    const std::vector<std::int64_t> columns = cheapestPairs(cost, first.width, second.width);
    std::vector<UnitPair> pairs;
    for (std::size_t unit = 0; unit < columns.size(); ++unit)
        if (columns[unit] >= 0)
            pairs.push_back(
                {static_cast<std::int64_t>(unit), columns[unit],
                 r[unit * static_cast<std::size_t>(second.width) + static_cast<std::size_t>(columns[unit])]});
    return pairs;
}

} // namespace

Result<std::vector<UnitPair>> matchUnits(const HeatCells& first, const HeatCells& second)
{
    if (first.heads > 0 || second.heads > 0)
        return fail("rows of attention are steps, not units, so that there is nothing to match");
    if (first.steps != second.steps)
        return fail(fmt::format("units are matched over one reading, and the sides read {} and {} steps", first.steps,
                                second.steps));
    if (first.steps < 3)
        return fail("units are matched over three steps at least");
    if (std::max(first.width, second.width) > kMostSimilar)
        return fail(fmt::format("units are matched up to {} a side", kMostSimilar));
    return paired(first, second);
}

double medianSize(const std::vector<UnitPair>& pairs)
{
    std::vector<double> sizes;
    for (const UnitPair& pair : pairs)
        if (std::isfinite(pair.r))
            sizes.push_back(std::abs(pair.r));
    if (sizes.empty())
        return kNone;
    std::sort(sizes.begin(), sizes.end());
    const std::size_t middle = sizes.size() / 2;
    return sizes.size() % 2 == 1 ? sizes[middle] : (sizes[middle - 1] + sizes[middle]) / 2;
}

double chanceSize(const HeatCells& first, const HeatCells& second)
{
    HeatCells moved = second;
    const std::int64_t half = second.steps / 2;
    for (std::int64_t t = 0; t < second.steps; ++t)
        std::copy_n(second.values.begin() + static_cast<std::ptrdiff_t>((t + half) % second.steps * second.width),
                    static_cast<std::size_t>(second.width),
                    moved.values.begin() + static_cast<std::ptrdiff_t>(t * second.width));
    return medianSize(paired(first, moved));
}

} // namespace unroll
