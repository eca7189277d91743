// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/touch/touch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::Contains;

TEST(TouchFigure, WritesHugeLossesInFewDigits)
{
    TouchData data;
    data.edits = "lstm.h[3] = 1e+30";
    data.steps = data.asking = 96;
    data.firstChanged = 0;
    data.lossUnit = "nats/token";
    data.meanBefore = 1.936;
    data.meanAfter = 4.3175;
    EXPECT_THAT(data.figure().findings,
                Contains("The mean loss over 96 steps rises from 1.9360 to 4.3175 nats/token (+2.4; +229 in all)."));
    data.meanAfter = 1.1368e29;
    EXPECT_THAT(data.figure().findings,
                Contains("The mean loss over 96 steps rises from 1.9360 to 1.137e+29 nats/token "
                         "(+1.1e+29; +1.1e+31 in all)."));
}

TEST(TouchFigure, SaysThatALossStaysWhereItsDigitsDo)
{
    TouchData data;
    data.edits = "lstm.h[3] = 0";
    data.steps = data.asking = 100;
    data.firstChanged = 0;
    data.lossUnit = "nats/token";
    data.meanBefore = 1.936;
    data.meanAfter = 1.936 - 1.25e-6;
    EXPECT_THAT(data.figure().findings,
                Contains("The mean loss over 100 steps stays at 1.9360 nats/token (-1.2e-06; -0.00012 in all)."));
}

} // namespace
} // namespace unroll
