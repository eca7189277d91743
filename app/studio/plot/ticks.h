// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace unroll {

struct Tick {
    double value;
    QString label; ///< empty: a line without a label
};

/// Round values (1, 2, 5 times a power of ten) within low..high, about `wanted` of them, two at least, and never more
/// than twice as many.
std::vector<Tick> linearTicks(double low, double high, int wanted);

/// For an axis drawn in log10 of the value; low and high are values > 0. Labels at 1, 2, 5 where there is room, else at
/// powers of ten; where fewer than two of them lie in the range, round values as on a linear axis.
std::vector<Tick> logTicks(double low, double high, int wanted);

/// Seconds as durations: round in seconds, minutes, hours or days, labels like "30 s", "5 min", "1 h 30 min".
std::vector<Tick> timeTicks(double low, double high, int wanted);

/// Short text of a number for an axis whose greatest number is `largest`: "0.5", "1.25", "20k", "1e-5".
QString axisNumber(double value, double step, double largest);

} // namespace unroll
