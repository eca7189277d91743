// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/column_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

/// Two passes: the sum of squares of numbers far from zero would lose what lies between them.
ColumnScale standardised(const std::string& name, std::span<const double> values)
{
    double sum = 0, squares = 0, count = 0;
    for (const double value : values)
        if (!std::isnan(value)) {
            sum += value;
            ++count;
        }
    const double mean = count > 0 ? sum / count : 0;
    for (const double value : values)
        if (!std::isnan(value))
            squares += (value - mean) * (value - mean);
    return {name, mean, count > 0 ? std::sqrt(squares / count) : 1};
}

ColumnScale stretched(const std::string& name, std::span<const double> values)
{
    double least = std::numeric_limits<double>::infinity(), greatest = -least;
    for (const double value : values)
        if (!std::isnan(value)) {
            least = std::min(least, value);
            greatest = std::max(greatest, value);
        }
    return least <= greatest ? ColumnScale{name, least, greatest - least} : ColumnScale{name, 0, 1};
}

} // namespace

ColumnScale scaleOf(const std::string& name, std::span<const double> values, Normalisation normalisation)
{
    if (normalisation == Normalisation::None)
        return {name, 0, 1};
    ColumnScale made = normalisation == Normalisation::Standard ? standardised(name, values) : stretched(name, values);
    // Equal numbers may come out a rounding apart from their mean.
    if (!(made.scale > 1e-12 * std::max(1.0, std::abs(made.shift))) || !std::isfinite(made.scale))
        made.scale = 1;
    return made;
}

} // namespace unroll
