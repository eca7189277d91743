// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/windows.h"

#include <algorithm>
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

/// Every item once, in the order of its stream, from a state that knows what came before; whatever the batch size.
TEST(Windows, EvaluationInStreamsWarmsUpAndAsksForEveryItemOnce)
{
    struct Case {
        int64_t count, steps, before, streams;
    };
    for (const auto& [count, steps, before, streams] :
         {Case{40, 64, 160, 1}, Case{8191, 64, 5000, 1}, Case{8192, 64, 5000, 2}, Case{120'000, 64, 1'000'000, 29},
          Case{120'000, 64, 0, 29}, Case{120'000, 64, 100, 29}, Case{1'000'000, 7, 0, 32}, Case{100'000, 9999, 5, 2},
          Case{1, 16, 0, 1}, Case{17, 16, 3, 1}}) {
        SCOPED_TRACE(testing::Message() << count << " items, " << steps << " steps, " << before << " before");
        const Windows windows(count, ReadingOrder::Streams, steps, before);
        const int64_t batches = windows.evaluationCount(1);
        EXPECT_EQ(batches, windows.evaluationCount(16));
        std::vector<int> asked(static_cast<size_t>(count));
        std::vector<int64_t> next;
        for (int64_t i = 0; i < batches; ++i) {
            const BatchPlaces places = windows.evaluation(i, 1);
            EXPECT_EQ(starts(places), starts(windows.evaluation(i, 16)));
            EXPECT_EQ(places.fresh, i == 0);
            ASSERT_EQ(std::ssize(places.sequences), streams);
            for (size_t b = 0; b < places.sequences.size(); ++b) {
                const Stretch& stretch = places.sequences[b];
                if (i == 0) {
                    next.push_back(stretch.from);
                    EXPECT_EQ(stretch.asked - stretch.from, std::min<int64_t>(1024, before + stretch.asked));
                }
                EXPECT_EQ(stretch.from, next[b]) << "it goes on where it was";
                next[b] += steps;
                for (int64_t item = stretch.from; item < stretch.from + windows.lengthOf(stretch); ++item)
                    if (stretch.asks(item))
                        ++asked.at(static_cast<size_t>(item));
            }
        }
        EXPECT_EQ(std::count(asked.begin(), asked.end(), 1), count);
        for (const int64_t some : {int64_t{1}, windows.warmUp(), windows.warmUp() + 1, batches}) {
            int64_t items = 0;
            for (const Stretch& stretch : windows.evaluated(some, 1))
                items += stretch.end - stretch.from;
            int64_t told = 0;
            for (int64_t i = 0; i < std::min(some, batches); ++i)
                for (const Stretch& stretch : windows.evaluation(i, 1).sequences)
                    told += std::max<int64_t>(0, stretch.from + windows.lengthOf(stretch) -
                                                     std::max(stretch.from, stretch.asked));
            EXPECT_EQ(items, told);
        }
    }
}

TEST(Windows, SayHowEvaluationReads)
{
    const auto words = [](int64_t count, ReadingOrder order, int64_t before) {
        return Windows(count, order, 64, before).evaluationText("row");
    };
    EXPECT_EQ(words(40, ReadingOrder::Streams, 160), "as one stream, warmed up on the 160 rows before");
    EXPECT_EQ(words(40, ReadingOrder::Streams, 0), "as one stream from a zero state");
    EXPECT_EQ(words(40'960, ReadingOrder::Streams, 5000),
              "as 10 streams of 4,096 rows, each warmed up on the 1,024 rows before it");
    EXPECT_EQ(words(40'960, ReadingOrder::Streams, 0),
              "as 10 streams of 4,096 rows, each warmed up on the 1,024 rows before it, the first from a zero state");
    EXPECT_EQ(words(40, ReadingOrder::Windows, 160), "in windows of 64 steps, each from a zero state");
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
