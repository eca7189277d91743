// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/column_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

/// Sums of any doubles neither overflow nor vanish in it.
using Wide = long double;

/// Two passes: the sum of squares of numbers far from zero would lose what lies between them.
ColumnScale standardised(const std::string& name, std::span<const double> values)
{
    Wide sum = 0, squares = 0, count = 0;
    for (const double value : values)
        if (!std::isnan(value)) {
            sum += value;
            ++count;
        }
    const Wide mean = count > 0 ? sum / count : 0;
    for (const double value : values)
        if (!std::isnan(value))
            squares += (value - mean) * (value - mean);
    return {name, static_cast<double>(mean), count > 0 ? static_cast<double>(std::sqrt(squares / count)) : 1};
}

} // namespace

ColumnSpread spreadOf(std::span<const double> values)
{
    ColumnSpread spread;
    for (const double value : values)
        if (!std::isnan(value)) {
            spread.least = spread.count == 0 ? value : std::min(spread.least, value);
            spread.greatest = spread.count == 0 ? value : std::max(spread.greatest, value);
            ++spread.count;
        }
    return spread;
}

double ColumnSpread::size() const
{
    return std::max(std::abs(least), std::abs(greatest));
}

double ColumnSpread::range() const
{
    const Wide range = static_cast<Wide>(greatest) - least;
    return static_cast<double>(std::min<Wide>(range, std::numeric_limits<double>::max()));
}

bool ColumnSpread::isConstant() const
{
    constexpr double kRoundings = 8; // of sums that ought to be equal
    return count == 0 || range() <= kRoundings * std::numeric_limits<double>::epsilon() * size();
}

double ColumnSpread::levels(double epsilon) const
{
    return range() / std::max(epsilon * size(), std::numeric_limits<double>::denorm_min());
}

ColumnScale scaleOf(const std::string& name, std::span<const double> values, Normalisation normalisation)
{
    const ColumnSpread spread = spreadOf(values);
    if (normalisation == Normalisation::None || spread.count == 0)
        return {name, 0, 1};
    if (spread.isConstant()) // what differs by roundings alone is distinguished by none of them
        return {name, spread.least, spread.least == spread.greatest ? 1 : spread.size()};
    return normalisation == Normalisation::MinMax ? ColumnScale{name, spread.least, spread.range()}
                                                  : standardised(name, values);
}

} // namespace unroll
