// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace unroll::format {
namespace {

/// By its definition, in double.
double valueOfHalf(std::uint16_t bits)
{
    const int exponent = (bits >> 10) & 0x1f, mantissa = bits & 0x3ff;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 0x1f)
        return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
    return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

TEST(Half, EveryHalfIsReadAsItIsDefinedAndComesBack)
{
    for (int i = 0; i < 0x10000; ++i) {
        const auto bits = static_cast<std::uint16_t>(i);
        const double value = valueOfHalf(bits);
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(fromHalf(bits)));
            EXPECT_TRUE(std::isnan(fromHalf(halfOf(fromHalf(bits)))));
            continue;
        }
        ASSERT_EQ(fromHalf(bits), value) << i;
        ASSERT_EQ(std::signbit(fromHalf(bits)), std::signbit(value)) << i;
        ASSERT_EQ(halfOf(fromHalf(bits)), bits) << i;
    }
}

/// Between two neighbours: below the middle the lower one, above it the upper one, in the middle the even one.
TEST(Half, RoundsToTheNearestAndToEven)
{
    for (int i = 0; i < 0x7bff; ++i) {
        const auto low = static_cast<std::uint16_t>(i), high = static_cast<std::uint16_t>(i + 1);
        const auto middle = static_cast<float>((valueOfHalf(low) + valueOfHalf(high)) / 2);
        const std::uint16_t even = i % 2 == 0 ? low : high;
        ASSERT_EQ(halfOf(middle), even) << i;
        ASSERT_EQ(halfOf(std::nextafterf(middle, 0)), low) << i;
        ASSERT_EQ(halfOf(std::nextafterf(middle, 1e9f)), high) << i;
        ASSERT_EQ(halfOf(-middle), even | 0x8000) << i;
    }
    EXPECT_EQ(halfOf(65519.996f), 0x7bff);
    EXPECT_EQ(halfOf(65520.f), 0x7c00);
    EXPECT_EQ(halfOf(1e30f), 0x7c00);
    EXPECT_EQ(halfOf(-std::numeric_limits<float>::infinity()), 0xfc00);
    EXPECT_EQ(halfOf(1e-30f), 0);
    EXPECT_EQ(halfOf(-1e-30f), 0x8000);
}

} // namespace
} // namespace unroll::format
