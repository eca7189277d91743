// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_batches.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <thread>

namespace unroll {
namespace {

// A text in which every token is its own place, so that a batch shows where it was cut.
std::vector<uint16_t> numbered(size_t size)
{
    std::vector<uint16_t> tokens(size);
    std::iota(tokens.begin(), tokens.end(), uint16_t{0});
    return tokens;
}

bool isReal(const Batch& batch, size_t at)
{
    return batch.mask.empty() || batch.mask[at] == 1;
}

bool isFresh(const Batch& batch, int64_t b)
{
    return !batch.fresh.empty() && batch.fresh[static_cast<size_t>(b)] == 1;
}

// Every target follows its input, and nothing is said at padding, nor, where streams are warmed up, before the first
// target.
void expectNextTokens(const Batch& batch, int32_t first = 0)
{
    ASSERT_EQ(batch.tokens.size(), static_cast<size_t>(batch.steps * batch.sequences));
    ASSERT_EQ(batch.targets.size(), batch.tokens.size());
    for (size_t i = 0; i < batch.tokens.size(); ++i) {
        const bool asks = isReal(batch, i) && batch.tokens[i] + 1 >= first;
        EXPECT_EQ(batch.targets[i], asks ? batch.tokens[i] + 1 : kIgnoredTarget);
    }
}

struct Case {
    ReadingOrder order;
    int64_t size, first, steps, batchSize;
};

class EveryTargetOnce : public testing::TestWithParam<Case> {};

TEST_P(EveryTargetOnce, InEvaluation)
{
    const auto [order, size, first, steps, batchSize] = GetParam();
    const std::vector<uint16_t> tokens = numbered(static_cast<size_t>(size));
    const TextBatches batches(tokens, {first, size - first, first - 1}, order, steps);
    std::map<int32_t, int> seen;
    const int64_t count = batches.evaluationCount(batchSize);
    for (int64_t index = 0; index < count; ++index) {
        const Batch batch = batches.evaluation(index, batchSize);
        expectNextTokens(batch, static_cast<int32_t>(first));
        for (const int32_t target : batch.targets)
            if (target != kIgnoredTarget)
                ++seen[target];
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(size - first));
    EXPECT_EQ(seen.begin()->first, first);
    for (const auto& [target, times] : seen)
        EXPECT_EQ(times, 1) << "target " << target;
}

INSTANTIATE_TEST_SUITE_P(
    Tilings, EveryTargetOnce,
    testing::Values(
        Case{ReadingOrder::Windows, 1000, 1, 64, 12}, Case{ReadingOrder::Streams, 1000, 1, 64, 12},
        Case{ReadingOrder::Windows, 1000, 900, 7, 3}, Case{ReadingOrder::Streams, 1000, 900, 7, 3},
        Case{ReadingOrder::Windows, 769, 1, 64, 12}, Case{ReadingOrder::Streams, 769, 1, 64, 12}, // an exact fit
        Case{ReadingOrder::Windows, 20, 10, 64, 5}, Case{ReadingOrder::Streams, 20, 10, 64, 5},   // shorter than T
        Case{ReadingOrder::Windows, 12, 11, 5, 9}, Case{ReadingOrder::Streams, 12, 11, 5, 9},     // a single target
        Case{ReadingOrder::Windows, 50, 1, 1, 100}, Case{ReadingOrder::Streams, 50, 1, 1, 100}));

TEST(TextStreams, GoOnWhereTheyStopped)
{
    const std::vector<uint16_t> tokens = numbered(1003);
    const TextBatches batches(tokens, {1, 1002}, ReadingOrder::Streams, 16);
    const int64_t perEpoch = 1002 / (5 * 16);
    for (int64_t step = 0; step < 3 * perEpoch; ++step) {
        const Batch batch = batches.training(step, 5, 42);
        expectNextTokens(batch);
        const bool first = step % perEpoch == 0;
        const Batch before = first ? batch : batches.training(step - 1, 5, 42);
        for (int64_t b = 0; b < 5; ++b) {
            EXPECT_EQ(isFresh(batch, b), first);
            if (!first) {
                EXPECT_EQ(batch.tokens[static_cast<size_t>(b)], before.targets[static_cast<size_t>(15 * 5 + b)]);
            }
        }
    }
}

TEST(TextStreams, AreEvenlySpacedAndStayInside)
{
    const std::vector<uint16_t> tokens = numbered(1003);
    const TextBatches batches(tokens, {1, 1002}, ReadingOrder::Streams, 16);
    const Batch batch = batches.training(0, 5, 9);
    for (size_t b = 1; b < 5; ++b)
        EXPECT_EQ(batch.tokens[b] - batch.tokens[b - 1], 12 * 16);
}

TEST(TextStreams, ComeToEveryTokenInTheEnd)
{
    const std::vector<uint16_t> tokens = numbered(100);
    const TextBatches batches(tokens, {1, 99}, ReadingOrder::Streams, 8);
    std::vector<bool> seen(100);
    for (int64_t step = 0; step < 400; ++step)
        for (const int32_t target : batches.training(step, 5, 3).targets)
            seen[static_cast<size_t>(target)] = true;
    EXPECT_EQ(std::count(seen.begin() + 1, seen.end(), false), 0);
}

TEST(TextWindows, AreSpreadOverTheWholePart)
{
    const std::vector<uint16_t> tokens = numbered(100);
    const TextBatches batches(tokens, {11, 80}, ReadingOrder::Windows, 8);
    std::vector<int> begins(100);
    for (int64_t step = 0; step < 500; ++step) {
        const Batch batch = batches.training(step, 10, 3);
        expectNextTokens(batch);
        for (int64_t b = 0; b < 10; ++b) {
            EXPECT_TRUE(isFresh(batch, b));
            ++begins[static_cast<size_t>(batch.tokens[static_cast<size_t>(b)])];
        }
    }
    for (size_t place = 0; place < 100; ++place) {
        const bool possible = place >= 10 && place <= 10 + 72; // 73 places for 5000 windows
        EXPECT_NEAR(begins[place], possible ? 5000.0 / 73 : 0, possible ? 40 : 0) << place;
    }
}

TEST(TextWindows, ShardsAgreeWithTheWhole)
{
    const std::vector<uint16_t> tokens = numbered(500);
    const TextBatches batches(tokens, {1, 499}, ReadingOrder::Windows, 8);
    const Batch whole = batches.training(1, 6, 5), shard = batches.training(3, 3, 5); // items 6..11 and 9..11
    for (int64_t t = 0; t < 8; ++t)
        for (int64_t b = 0; b < 3; ++b)
            EXPECT_EQ(whole.tokens[static_cast<size_t>(t * 6 + 3 + b)], shard.tokens[static_cast<size_t>(t * 3 + b)]);
}

TEST(TextBatches, ArePureInAnyOrderAndOnAnyThread)
{
    const std::vector<uint16_t> tokens = numbered(3000);
    for (const ReadingOrder order : {ReadingOrder::Streams, ReadingOrder::Windows}) {
        const TextBatches batches(tokens, {1, 2999}, order, 13);
        std::vector<Batch> forward;
        for (int64_t step = 0; step < 60; ++step)
            forward.push_back(batches.training(step, 7, 1));
        std::vector<std::jthread> threads;
        for (int64_t worker = 0; worker < 3; ++worker)
            threads.emplace_back([&, worker] {
                for (int64_t step = 59 - worker; step >= 0; step -= 3)
                    EXPECT_EQ(batches.training(step, 7, 1), forward[static_cast<size_t>(step)]);
            });
    }
}

TEST(TextBatches, FollowTheSeed)
{
    const std::vector<uint16_t> tokens = numbered(3000);
    const TextBatches streams(tokens, {1, 2999}, ReadingOrder::Streams, 13);
    const TextBatches windows(tokens, {1, 2999}, ReadingOrder::Windows, 13);
    EXPECT_NE(streams.training(0, 7, 1), streams.training(0, 7, 2));
    EXPECT_NE(windows.training(0, 7, 1), windows.training(0, 7, 2));
}

TEST(TextBatches, KnowWhatTheyHold)
{
    const std::vector<uint16_t> tokens = numbered(101);
    const TextBatches batches(tokens, {1, 100}, ReadingOrder::Streams, 20);
    EXPECT_TRUE(batches.holds(5));
    EXPECT_FALSE(batches.holds(6));
    EXPECT_FALSE(batches.holds(0));
    EXPECT_FALSE(batches.holds(int64_t{1} << 62));
    expectNextTokens(batches.training(7, 5, 0));
}

} // namespace
} // namespace unroll
