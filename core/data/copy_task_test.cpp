// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/copy_task.h"

#include "core/data/random.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace unroll {
namespace {

using testing::HasSubstr;

std::shared_ptr<const CopyTask> standard()
{
    return CopyTask::create({}).value();
}

std::string sequence(const CopyTask& task, const Batch& batch, const std::vector<int32_t>& field, int64_t b)
{
    std::vector<int32_t> tokens;
    for (int64_t t = 0; t < batch.steps; ++t)
        tokens.push_back(field[static_cast<size_t>(t * batch.sequences + b)]);
    return task.decode(tokens);
}

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

// Golden: these lines may never change, or old runs no longer repeat.
TEST(CopyTask, FirstItemsAreTheGoldenOnes)
{
    const auto task = standard();
    const Batch batch = task->batch(Split::Train, 0, 3, 0);
    EXPECT_EQ(sequence(*task, batch, batch.tokens, 0), "begdaabebg___________________|__________");
    EXPECT_EQ(sequence(*task, batch, batch.targets, 0), "______________________________begdaabebg");
    EXPECT_EQ(sequence(*task, batch, batch.tokens, 1), "fcfhbgdhga___________________|__________");
    EXPECT_EQ(sequence(*task, batch, batch.tokens, 2), "hegahcfhag___________________|__________");
    const Batch fixed = task->evaluationBatch(Split::Validation, 0, 2);
    EXPECT_EQ(sequence(*task, fixed, fixed.tokens, 0), "dbfafebcgf___________________|__________");
    EXPECT_EQ(sequence(*task, fixed, fixed.tokens, 1), "dahgggcbaf___________________|__________");
}

TEST(CopyTask, HasThePublishedForm)
{
    const auto task = CopyTask::create({.symbols = 5, .length = 3, .delay = 7, .evaluationSequences = 10}).value();
    EXPECT_EQ(task->steps(), 7 + 2 * 3);
    EXPECT_EQ(task->classes(), 7);
    EXPECT_FALSE(task->carriesState());
    const Batch batch = task->batch(Split::Train, 3, 5, 11);
    ASSERT_EQ(batch.tokens.size(), static_cast<size_t>(batch.steps * batch.sequences));
    for (int64_t b = 0; b < batch.sequences; ++b)
        for (int64_t t = 0; t < batch.steps; ++t) {
            const auto at = static_cast<size_t>(t * batch.sequences + b);
            const auto source = static_cast<size_t>((t - 10) * batch.sequences + b);
            if (t < 3)
                EXPECT_LT(batch.tokens[at], 5);
            else
                EXPECT_EQ(batch.tokens[at], t == 9 ? task->delimiter() : task->blank()) << "step " << t;
            EXPECT_EQ(batch.targets[at], t < 10 ? task->blank() : batch.tokens[source]) << "step " << t;
            EXPECT_EQ(batch.scored[at], t >= 10) << "step " << t;
        }
    EXPECT_TRUE(batch.mask.empty());
}

TEST(CopyTask, BaselineIsThePublishedFormula)
{
    EXPECT_DOUBLE_EQ(standard()->baseline()->loss, 10 * std::log(8.0) / (20 + 20));
    EXPECT_EQ(standard()->entropyFloor(Split::Validation), 0.0);
}

TEST(CopyTask, IsAPureFunctionOfSeedAndIndex)
{
    const auto task = standard();
    const Batch wide = task->batch(Split::Train, 1, 6, 5), late = task->batch(Split::Train, 3, 3, 5);
    EXPECT_EQ(sequence(*task, wide, wide.tokens, 3), sequence(*task, late, late.tokens, 0)); // both item 9
    EXPECT_EQ(wide, task->batch(Split::Train, 1, 6, 5));
    EXPECT_NE(wide, task->batch(Split::Train, 1, 6, 6));
    EXPECT_NE(wide, task->batch(Split::Train, 2, 6, 5));
}

TEST(CopyTask, ThreadsReadTheSame)
{
    const auto task = standard();
    std::vector<Batch> read(4);
    {
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < read.size(); ++i)
            threads.emplace_back([&, i] { read[i] = task->batch(Split::Train, 17, 33, 2); });
    }
    for (const Batch& batch : read)
        EXPECT_EQ(batch, read[0]);
}

TEST(CopyTask, EvaluationHoldsEverySequenceOnce)
{
    const auto task = CopyTask::create({.evaluationSequences = 101}).value();
    std::multiset<std::string> whole, small;
    for (const int64_t batchSize : {101, 7}) {
        for (int64_t i = 0; i < task->batchesInSplit(Split::Validation, batchSize); ++i) {
            const Batch batch = task->evaluationBatch(Split::Validation, i, batchSize);
            for (int64_t b = 0; b < batchSize; ++b) {
                const bool real = batch.targets[static_cast<size_t>(b)] != kIgnoredTarget;
                if (real)
                    (batchSize == 7 ? small : whole).insert(sequence(*task, batch, batch.tokens, b));
                else
                    EXPECT_EQ(batch.mask[static_cast<size_t>(b)] + batch.scored[static_cast<size_t>(b)], 0);
            }
        }
    }
    EXPECT_EQ(whole.size(), 101u);
    EXPECT_EQ(whole, small);
}

TEST(CopyTask, ValidationSharesNothingWithTraining)
{
    const auto task = standard();
    std::set<std::string> training;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        const Batch batch = task->batch(Split::Train, 0, 500, seed);
        for (int64_t b = 0; b < 500; ++b)
            training.insert(sequence(*task, batch, batch.tokens, b));
    }
    const Batch fixed = task->evaluationBatch(Split::Validation, 0, 1000);
    for (int64_t b = 0; b < 1000; ++b)
        EXPECT_FALSE(training.contains(sequence(*task, fixed, fixed.tokens, b)));
}

TEST(CopyTask, ShowsHowItsPartsBegin)
{
    const auto task = CopyTask::create({.length = 3, .delay = 4, .evaluationSequences = 2}).value();
    EXPECT_EQ(task->tokensIn(Split::Train), std::nullopt);
    EXPECT_EQ(task->tokensIn(Split::Validation), 20);
    const Batch both = task->evaluationBatch(Split::Validation, 0, 2);
    const std::string all = sequence(*task, both, both.tokens, 0) + sequence(*task, both, both.tokens, 1);
    EXPECT_EQ(task->decode(task->beginning(Split::Validation, 100)), all);
    EXPECT_EQ(task->decode(task->beginning(Split::Validation, 13)), all.substr(0, 13)); // within the second
    EXPECT_EQ(task->beginning(Split::Train, 13).size(), 13u);
}

TEST(CopyTask, RefusesWhatMakesNoTask)
{
    EXPECT_EQ(CopyTask::create({.symbols = 1}).error().place, "symbols");
    EXPECT_EQ(CopyTask::create({.symbols = 53}).error().place, "symbols");
    EXPECT_EQ(CopyTask::create({.length = 0}).error().place, "length");
    EXPECT_EQ(CopyTask::create({.delay = 0}).error().place, "delay");
    EXPECT_EQ(CopyTask::create({.delay = int64_t{1} << 62}).error().place, "delay");
    EXPECT_EQ(CopyTask::create({.evaluationSequences = 0}).error().place, "evaluation_sequences");
    EXPECT_FALSE(standard()->accepts(0));
    EXPECT_FALSE(standard()->accepts(int64_t{1} << 62));
    EXPECT_TRUE(standard()->accepts(1));
}

TEST(CopyTask, ReadsAndWritesPrompts)
{
    const auto task = standard();
    const std::string prompt = "abchgfed_|";
    EXPECT_EQ(task->decode(task->encode(prompt).value()), prompt);
    const Result<std::vector<int32_t>> refused = task->encode("abz");
    ASSERT_FALSE(refused);
    const Error& error = refused.error();
    EXPECT_EQ(error.place, "prompt, byte 2");
    EXPECT_THAT(error.message, HasSubstr("a to h"));
    EXPECT_EQ(task->alphabet().size(), 10u);
}

} // namespace
} // namespace unroll
