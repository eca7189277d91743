// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/batch_columns.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

/// Every entry names its step, its sequence and its place among the numbers there.
Batch numbered(std::int64_t steps, std::int64_t sequences)
{
    Batch batch;
    batch.steps = steps;
    batch.sequences = sequences;
    for (std::int64_t t = 0; t < steps; ++t)
        for (std::int64_t b = 0; b < sequences; ++b) {
            batch.tokens.push_back(static_cast<std::int32_t>(10 * t + b));
            batch.targets.push_back(static_cast<std::int32_t>(100 + 10 * t + b));
            for (int i = 0; i < 3; ++i)
                batch.features.push_back(static_cast<float>(100 * t + 10 * b + i));
            batch.values.push_back(static_cast<float>(b));
            batch.mask.push_back(static_cast<std::uint8_t>(b % 2));
        }
    for (std::int64_t b = 0; b < sequences; ++b)
        batch.fresh.push_back(static_cast<std::uint8_t>(b));
    return batch;
}

TEST(BatchColumns, AreThoseSequencesAtEveryStep)
{
    const Batch part = columnsOf(numbered(2, 5), 1, 3);
    EXPECT_EQ(part.steps, 2);
    EXPECT_EQ(part.sequences, 3);
    EXPECT_EQ(part.tokens, (std::vector<std::int32_t>{1, 2, 3, 11, 12, 13}));
    EXPECT_EQ(part.targets, (std::vector<std::int32_t>{101, 102, 103, 111, 112, 113}));
    EXPECT_EQ(part.values, (std::vector<float>{1, 2, 3, 1, 2, 3}));
    EXPECT_EQ(part.mask, (std::vector<std::uint8_t>{1, 0, 1, 1, 0, 1}));
    EXPECT_TRUE(part.scored.empty());
    EXPECT_EQ(part.fresh, (std::vector<std::uint8_t>{1, 2, 3}));
    ASSERT_EQ(part.features.size(), 18u);
    EXPECT_EQ(part.features[0], 10);
    EXPECT_EQ(part.features[17], 132);
}

TEST(BatchColumns, OfAllSequencesAreTheBatch)
{
    const Batch whole = numbered(3, 4);
    EXPECT_EQ(columnsOf(whole, 0, 4), whole);
    const Batch one = numbered(1, 1);
    EXPECT_EQ(columnsOf(one, 0, 1), one);
}

TEST(BatchColumns, MayBeNone)
{
    const Batch none = columnsOf(numbered(2, 1), 1, 0);
    EXPECT_EQ(none.sequences, 0);
    EXPECT_TRUE(none.tokens.empty());
    EXPECT_FALSE(none.asks());
}

} // namespace
} // namespace unroll
