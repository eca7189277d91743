// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace unroll {

/// From values to places on paper.
struct Scale {
    double low = 0, high = 1; ///< values at both ends, low < high; both positive where it is logarithmic
    double from = 0, to = 1;  ///< their places
    bool log = false;

    /// The place of a value; also beyond the ends. Not finite where the value is not, or is not positive on a
    /// logarithmic scale.
    double at(double value) const;
    /// Whether the value has a place between the ends.
    bool holds(double value) const;
};

struct AxisTick {
    double value = 0;
    std::string label; ///< empty: a line alone
};

/// Multiples of 1, 2 or 5 times a power of ten between low and high, about as many as wanted. None where low < high
/// does not hold.
std::vector<AxisTick> axisTicks(double low, double high, int wanted);
/// The same of whole numbers, for places of rows, columns and steps.
std::vector<AxisTick> wholeTicks(double low, double high, int wanted);
/// Powers of ten, and where there are few of them 2 and 5 times these.
std::vector<AxisTick> logAxisTicks(double low, double high, int wanted);

/// The value with the decimals that steps of `step` need; very large and very small ones as 2×10⁻⁴. The sign is a minus
/// sign.
std::string axisNumber(double value, double step);
/// The least of 1, 1.2, 1.6, 2, 3, 4, 6, 8 and 10 times a power of ten that is not below the value; 1 for what is not
/// positive.
double roundedUp(double value);

} // namespace unroll
