// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/random.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace unroll {
namespace {

TEST(Random, GivesThePublishedNumbers)
{
    Random random(std::array<uint64_t, 4>{1, 2, 3, 4}); // xoshiro256++ from this state
    for (const uint64_t expected : {41943041u, 58720359u})
        EXPECT_EQ(random.next(), expected);
    EXPECT_EQ(random.next(), 3588806011781223u);
    EXPECT_EQ(random.next(), 3591011842654386u);
    EXPECT_EQ(random.next(), 9228616714210784205u);
    uint64_t state = 1234567; // first outputs of the published SplitMix64 from this state
    EXPECT_EQ(splitMix64(state), 6457827717110365317u);
    EXPECT_EQ(splitMix64(state), 3203168211198807973u);
    EXPECT_EQ(splitMix64(state), 9817491932198370423u);
}

TEST(Random, DrawsEveryResidueAboutEquallyOften)
{
    Random random(7, 8, 9);
    std::vector<int> count(10);
    for (int i = 0; i < 100'000; ++i)
        ++count[random.below(10)];
    for (const int c : count)
        EXPECT_NEAR(c, 10'000, 400); // 4 standard deviations
}

TEST(Random, KeysDoNotCollide)
{
    std::set<uint64_t> first;
    for (uint64_t seed = 0; seed < 20; ++seed)
        for (uint64_t purpose = 0; purpose < 20; ++purpose)
            for (uint64_t index = 0; index < 20; ++index)
                first.insert(Random(seed, purpose, index).next());
    EXPECT_EQ(first.size(), 8000u);
}

TEST(Random, ReachesBothEnds)
{
    Random random(1);
    std::set<int64_t> seen;
    for (int i = 0; i < 200; ++i)
        seen.insert(random.between(-2, 3));
    EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2, 3}));
    for (int i = 0; i < 1000; ++i) {
        const float unit = random.unit();
        EXPECT_TRUE(unit >= 0 && unit < 1) << unit;
    }
}

} // namespace
} // namespace unroll
