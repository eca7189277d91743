// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/touch/touch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::Contains;

/// Of a reading whose steps all ask.
TouchData touched(std::int64_t steps, double meanAfter)
{
    TouchData data;
    data.edits = "lstm.h[3] = 0";
    data.steps = data.asking = steps;
    data.firstChanged = 0;
    data.lossUnit = "nats/token";
    data.meanBefore = 1.936;
    data.meanAfter = meanAfter;
    return data;
}

TEST(TouchFigure, WritesHugeLossesInFewDigits)
{
    EXPECT_THAT(touched(96, 4.3175).figure().findings,
                Contains("The mean loss over 96 steps rises from 1.9360 to 4.3175 nats/token (+2.4; +229 in all)."));
    EXPECT_THAT(touched(96, 1.1368e29).figure().findings,
                Contains("The mean loss over 96 steps rises from 1.9360 to 1.137e+29 nats/token "
                         "(+1.1e+29; +1.1e+31 in all)."));
}

TEST(TouchFigure, SaysThatALossStaysWhereItsDigitsDo)
{
    EXPECT_THAT(touched(100, 1.936 - 1.25e-6).figure().findings,
                Contains("The mean loss over 100 steps stays at 1.9360 nats/token (-1.2e-06; -0.00012 in all)."));
}

} // namespace
} // namespace unroll
