// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/far_numbers.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace unroll {

namespace {

constexpr int64_t kFewest = 4; // others: below, nothing is far from them

/// Numbers that programs write for a missing one.
bool isSentinel(double value)
{
    constexpr double kSentinels[] = {-99,  -99.9, -99.99, -999,   -999.9, -999.99, -9999, -9999.9, -9999.99, -99999,
                                     999,  9999,  999.9,  9999.9, 99999,  -6999,   -7999, 32767,   -32768,   65535,
                                     -888, -8888, 999.99, 99.99,  -1e20,  1e20,    1e36,  -1e30,   1e30,     -1e36};
    return std::find(std::begin(kSentinels), std::end(kSentinels), value) != std::end(kSentinels);
}

} // namespace

FarNumbers farNumbers(const std::vector<double>& values, int sign)
{
    constexpr size_t kMost = 3;
    constexpr double kFar = 5; // times the range of the others, where the number itself tells nothing
    FarNumbers found, made;
    for (double bound = std::numeric_limits<double>::infinity(); found.values.size() < kMost;) {
        double end = -std::numeric_limits<double>::infinity();
        int64_t times = 0;
        ColumnSpread others;
        for (const double value : values)
            if (const double key = sign * value; key < bound) { // NaN is not
                times = key > end ? 1 : times + (key == end);
                end = std::max(end, key);
            }
        for (const double value : values)
            if (sign * value < end) {
                others.least = others.count == 0 ? value : std::min(others.least, value);
                others.greatest = others.count == 0 ? value : std::max(others.greatest, value);
                ++others.count;
            }
        const bool known = isSentinel(sign * end);
        if (times == 0 || (!known && times < 2) || others.count < kFewest)
            break;
        found.values.push_back(sign * end);
        found.times += times;
        found.others = others;
        const double distance = end - (sign > 0 ? others.greatest : -others.least);
        const bool varies = others.range() > 0 && others.count > 2 * found.times;
        if (distance > others.range() && (known || (varies && distance > kFar * others.range())))
            made = found;
        bound = end;
    }
    return made;
}

} // namespace unroll
