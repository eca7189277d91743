// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/waves.h"

#include "core/data/random.h"

#include <cmath>
#include <numbers>

namespace unroll {

namespace {

constexpr int64_t kRows = 6000;
constexpr uint64_t kPurpose = 0x7761766573; // "waves"
constexpr double kNoise = 0.1;

struct Sine {
    double period, amplitude;
};
constexpr Sine kSines[] = {{9.7, 0.5}, {23.3, 1.0}, {61.9, 0.7}};

/// Nearly Gaussian: the sum of twelve uniform numbers (Irwin, Hall) has variance 1. No logarithm, so every machine
/// draws the same.
double noise(Random& random)
{
    double sum = -6;
    for (int i = 0; i < 12; ++i)
        sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
    return sum;
}

} // namespace

NumberTable makeWaves()
{
    NumberTable table{"the built-in waves", kRows, {{"wave", {}}}, {}};
    std::vector<double>& values = table.columns.front().values;
    values.reserve(kRows);
    Random random(0, kPurpose);
    for (int64_t row = 0; row < kRows; ++row) {
        double value = kNoise * noise(random);
        for (const Sine& sine : kSines)
            value += sine.amplitude * std::sin(2 * std::numbers::pi * static_cast<double>(row) / sine.period);
        values.push_back(std::round(value * 1000) / 1000); // a last bit of libm's sine vanishes in it
    }
    return table;
}

} // namespace unroll
