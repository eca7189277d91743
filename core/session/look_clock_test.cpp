// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/look_clock.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace unroll {
namespace {

TEST(LookClock, TakesItsShareOfTimeAndNoMore)
{
    for (const double share : {0.01, 0.05, 0.5})
        for (const double cost : {0.001, 0.02, 3.0}) {
            LookClock clock;
            double now = 0, spent = 0;
            for (int update = 0; update < 200'000; ++update) {
                now += 0.007;
                if (!clock.isDue(now, share))
                    continue;
                const double began = now;
                now += cost;
                spent += cost;
                clock.took(began, cost);
            }
            EXPECT_LE(spent, share * now + cost) << share << " " << cost;
            const double most = std::min(share, cost / (cost + 0.007)); // one an update at most
            EXPECT_GE(spent, 0.4 * most * now - 2 * cost) << share << " " << cost;
        }
}

TEST(LookClock, SavesNothingUp)
{
    LookClock clock;
    clock.took(0, 1);
    EXPECT_FALSE(clock.isDue(19.9, 0.05));
    EXPECT_TRUE(clock.isDue(3600, 0.05));
    clock.took(3600, 1);
    EXPECT_FALSE(clock.isDue(3610, 0.05)) << "an hour without a look does not pay for many at once";
}

TEST(LookClock, IsDueAtOnceBeforeItIsMeasured)
{
    EXPECT_TRUE(LookClock().isDue(0, 0.05));
    EXPECT_FALSE(LookClock().isDue(1e9, 0));
    EXPECT_FALSE(LookClock().isDue(1e9, -1));
    EXPECT_EQ(LookClock().perMinute(), 0);
}

TEST(LookClock, KnowsItsRate)
{
    LookClock clock;
    for (int i = 0; i < 20; ++i)
        clock.took(2.0 * i, 0.1);
    EXPECT_NEAR(clock.perMinute(), 30, 1e-9);
}

} // namespace
} // namespace unroll
