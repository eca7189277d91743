// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/signed_number.h"

#include <gtest/gtest.h>

#include <limits>

namespace unroll {
namespace {

TEST(SignedNumber, HasASignUnlessItIsZero)
{
    EXPECT_EQ(signedNumber(0.1234, 2), "+0.12");
    EXPECT_EQ(signedNumber(-3e-5, 3), "-3e-05");
    EXPECT_EQ(signedNumber(-0.0004, 3), "-0.0004");
    EXPECT_EQ(signedNumber(0.0, 3), "0");
    EXPECT_EQ(signedNumber(-0.0, 3), "0");
    EXPECT_EQ(signedNumber(std::numeric_limits<double>::infinity(), 3), "+inf");
}

TEST(FixedNumber, OfWhatRoundsToZeroHasNoSign)
{
    EXPECT_EQ(fixedNumber(-0.12, 2), "-0.12");
    EXPECT_EQ(fixedNumber(-0.004, 2), "0.00");
    EXPECT_EQ(fixedNumber(-0.005001, 2), "-0.01");
    EXPECT_EQ(fixedNumber(-0.0, 4), "0.0000");
    EXPECT_EQ(fixedNumber(-0.4, 0), "0");
    EXPECT_EQ(fixedNumber(-10.0, 0), "-10");
    EXPECT_EQ(fixedNumber(-std::numeric_limits<double>::infinity(), 2), "-inf");
}

} // namespace
} // namespace unroll
