// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/permutation.h"

#include <gtest/gtest.h>
#include <vector>

namespace unroll {
namespace {

TEST(Permutation, HoldsEachNumberOnce)
{
    for (const uint64_t size : {1u, 2u, 3u, 4u, 5u, 36u, 64u, 65u, 1000u, 4096u, 4097u}) {
        const Permutation order(Random(3, 1, size), size);
        std::vector<int> seen(size);
        for (uint64_t place = 0; place < size; ++place)
            ++seen.at(order(place));
        EXPECT_EQ(seen, std::vector<int>(size, 1)) << size;
    }
}

TEST(Permutation, PutsAnyNumberAnywhere)
{
    constexpr uint64_t size = 6;
    constexpr int keys = 12'000;
    for (const uint64_t place : {0u, 5u}) {
        std::vector<int> count(size);
        for (uint64_t key = 0; key < keys; ++key)
            ++count[Permutation(Random(key), size)(place)];
        for (const int c : count)
            EXPECT_NEAR(c, 2000, 164); // 4 standard deviations
    }
}

TEST(Permutation, ReachesAsFarAs2To62)
{
    const uint64_t size = uint64_t{1} << 62;
    const Permutation order(Random(1), size);
    for (const uint64_t place : {uint64_t{0}, uint64_t{1}, size / 2, size - 1}) {
        EXPECT_LT(order(place), size);
        EXPECT_NE(order(place), place);
    }
}

} // namespace
} // namespace unroll
