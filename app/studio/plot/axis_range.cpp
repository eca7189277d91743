// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/axis_range.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

/// Labels of six digits still differ, and no sum of two ends overflows.
bool canBeDrawn(const AxisRange& axis)
{
    const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
    if (!(axis.high - axis.low > 1e-7 * largest) || largest > 1e15)
        return false;
    return !axis.log || axis.low >= 1e-30;
}

} // namespace

double AxisRange::mapped(double value) const
{
    return log ? std::log10(value) : value;
}

double AxisRange::shareOf(double value) const
{
    return (mapped(value) - mapped(low)) / (mapped(high) - mapped(low));
}

double AxisRange::valueAt(double share) const
{
    const double at = mapped(low) + share * (mapped(high) - mapped(low));
    return log ? std::pow(10.0, at) : at;
}

AxisRange AxisRange::between(double fromShare, double toShare) const
{
    AxisRange wanted = *this;
    wanted.low = valueAt(fromShare);
    wanted.high = valueAt(toShare);
    return canBeDrawn(wanted) ? wanted : *this;
}

std::pair<double, double> padded(double low, double high)
{
    const double pad = high > low ? 0.06 * (high - low) : std::max(0.05 * std::abs(high), 1e-9);
    return {low >= 0 ? std::max(0.0, low - pad) : low - pad, high + pad};
}

AxisRange AxisRange::zoomed(double aboutShare, double factor) const
{
    return between(aboutShare - aboutShare / factor, aboutShare + (1 - aboutShare) / factor);
}

} // namespace unroll
