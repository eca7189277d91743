// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

std::vector<int64_t> starts(const BatchPlaces& places)
{
    std::vector<int64_t> from;
    for (const Stretch& stretch : places.sequences)
        from.push_back(stretch.from);
    return from;
}

/// Texts and tables are cut by these; a run that goes on after an update must find its batches where they were.
TEST(Windows, LieWhereTheyAlwaysLay)
{
    const Windows windows(1000, ReadingOrder::Windows, 16), streams(1000, ReadingOrder::Streams, 16);
    EXPECT_THAT(starts(windows.training(3, 4, 42)), ::testing::ElementsAre(609, 427, 172, 476));
    EXPECT_THAT(starts(streams.training(0, 4, 42)), ::testing::ElementsAre(15, 255, 495, 735));
    EXPECT_THAT(starts(streams.training(15, 4, 42)), ::testing::ElementsAre(20, 260, 500, 740));
    EXPECT_TRUE(streams.training(15, 4, 42).fresh && !streams.training(16, 4, 42).fresh);
}

TEST(Windows, AStretchEndsWhereItsPartDoes)
{
    const Windows windows(20, ReadingOrder::Windows, 16);
    EXPECT_EQ(windows.lengthOf({0, 20}), 16);
    EXPECT_EQ(windows.lengthOf({16, 20}), 4);
    EXPECT_EQ(windows.lengthOf({32, 20}), 0);
    EXPECT_EQ(windows.lengthOf({0, 5}), 5);
}

} // namespace
} // namespace unroll
