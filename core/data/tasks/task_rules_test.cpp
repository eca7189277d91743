// SPDX-License-Identifier: GPL-3.0-or-later
// What each task asks for.
#include "core/data/tasks/adding_task.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/irregular_task.h"
#include "core/data/tasks/parity_task.h"
#include "core/data/tasks/recall_task.h"
#include "core/data/tasks/task_test.h"
#include "core/data/tasks/vector_copy_task.h"
#include "core/data/tasks/word_problem_task.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace unroll {
namespace {

// Golden, in this and the following tests: drawn by a second implementation of the generator and the task. They may
// never change, or old runs no longer repeat.
TEST(ParityTask, FirstItemsAreTheGoldenOnes)
{
    const auto task = ParityTask::create({}).value();
    const Batch batch = task->batch(Split::Train, 0, 3, 0);
    const char* golden[] = {"1010011011010011011011", "01100011001111101000000101010001111101",
                            "0000100101101101010000101000000111001"};
    const int odd[] = {1, 1, 0};
    for (int64_t b = 0; b < 3; ++b) {
        const Read read = sequence(batch, b);
        EXPECT_EQ(task->decode(read.tokens), golden[b]);
        EXPECT_EQ(read.targets.back(), odd[b]);
        EXPECT_EQ(std::count(read.targets.begin(), read.targets.end(), kIgnoredTarget), std::ssize(read.targets) - 1);
    }
    const Read fixed = sequence(task->evaluationBatch(Split::Validation, 0, 1), 0);
    EXPECT_EQ(fixed.tokens.size(), 67u);
    EXPECT_EQ(fixed.targets.back(), 0);
}

TEST(ParityTask, CountsOnesAtEveryStepWhereAsked)
{
    const auto task = ParityTask::create({.everyStep = true}).value();
    const Batch batch = task->evaluationBatch(Split::Validation, 0, 50);
    EXPECT_EQ(batch.steps, 256);
    for (int64_t b = 0; b < 50; ++b) {
        const Read read = sequence(batch, b);
        EXPECT_TRUE(read.tokens.size() >= 40 && read.tokens.size() <= 256) << read.tokens.size();
        int ones = 0;
        for (size_t t = 0; t < read.tokens.size(); ++t) {
            ones += read.tokens[t];
            EXPECT_EQ(read.targets[t], ones % 2);
        }
    }
}

TEST(WordProblemTask, FirstItemsAreTheGoldenOnes)
{
    const auto s3 = WordProblemTask::create({.length = 6}).value();
    const Read read = sequence(s3->batch(Split::Train, 0, 1, 0), 0);
    EXPECT_EQ(s3->decode(read.tokens), "213 312 321 123 132 312");
    EXPECT_EQ(s3->decode(read.targets), "213 321 123 123 132 213");
    const auto a5 = WordProblemTask::create({.group = "a5", .length = 4}).value();
    const Read second = sequence(a5->batch(Split::Train, 0, 2, 0), 1);
    EXPECT_EQ(a5->decode(second.tokens), "24531 41325 35421 51342");
    EXPECT_EQ(a5->decode(second.targets), "24531 32541 51423 35421");
    EXPECT_DOUBLE_EQ(a5->baseline({})->loss, std::log(60.0));
    EXPECT_EQ(s3->evaluationBatch(Split::Validation, 0, 2).steps, 128);
}

// The second implementation drew these as well.
TEST(ParityTask, PublishedFormCountsThePlaceOfTheAnswer)
{
    const auto task = ParityTask::create({.published = true}).value();
    EXPECT_EQ(task->classes(), 3);
    const Batch batch = task->batch(Split::Train, 0, 2000, 0);
    EXPECT_EQ(batch.steps, 39);
    size_t shortest = 39, longest = 0;
    for (int64_t b = 0; b < 2000; ++b) {
        const Read read = sequence(batch, b);
        const auto n = static_cast<int>(read.tokens.size()) + 1;
        const int sum = std::accumulate(read.tokens.begin(), read.tokens.end(), 0);
        EXPECT_EQ(read.targets.back(), (sum - n + 1) % 2 + 1);
        EXPECT_EQ(std::count(read.targets.begin(), read.targets.end(), kIgnoredTarget), n - 2);
        EXPECT_TRUE(std::all_of(read.tokens.begin(), read.tokens.end(), [](int x) { return x == 1 || x == 2; }));
        shortest = std::min(shortest, read.tokens.size());
        longest = std::max(longest, read.tokens.size());
    }
    EXPECT_EQ(shortest, 2u);
    EXPECT_EQ(longest, 39u);
    EXPECT_EQ(task->evaluationBatch(Split::Validation, 0, 1).steps, 255);
    EXPECT_EQ(task->decode(sequence(batch, 0).tokens), "212112212212112212212");
    EXPECT_EQ(ParityTask::create({.shortest = 1, .published = true}).error().place, "shortest");
}

TEST(CountingTask, FirstItemsAreTheGoldenOnes)
{
    const auto task = CountingTask::create({}).value();
    const Batch batch = task->batch(Split::Train, 0, 3, 0);
    const int n[] = {20, 5, 1};
    for (int64_t b = 0; b < 3; ++b) {
        const Read read = sequence(batch, b);
        const std::string as(static_cast<size_t>(n[b]), 'a'), bs(static_cast<size_t>(n[b]), 'b');
        EXPECT_EQ(task->decode(read.tokens), "<" + as + bs);
        EXPECT_EQ(task->decode(read.targets), as + bs + ">");
        for (int t = 0; t <= 2 * n[b]; ++t)
            EXPECT_EQ(read.scored[static_cast<size_t>(t)], t > n[b]);
    }
}

// The best loss there is comes from telling n by the uniform law and everything else with certainty.
TEST(CountingTask, FloorIsWhatTheBestGuesserPays)
{
    const auto task = CountingTask::create({.evaluationSequences = 300}).value();
    const Batch batch = task->evaluationBatch(Split::Validation, 0, 300);
    double nats = 0;
    for (int64_t b = 0; b < 300; ++b) {
        const auto n = static_cast<int64_t>(sequence(batch, b).tokens.size() - 1) / 2;
        for (int64_t read = 1; read <= n; ++read) // after `read` times a: is this all?
            if (read >= 21) {
                const double end = 1.0 / static_cast<double>(60 - read + 1);
                nats -= read == n ? std::log(end) : std::log(1 - end);
            }
    }
    EXPECT_NEAR(*task->entropyFloor({Split::Validation}), nats / static_cast<double>(batch.scoredTargets()), 1e-12);
    const Batch slice = task->evaluationBatch(Split::Validation, 0, 7);
    EXPECT_DOUBLE_EQ(*task->entropyFloor({Split::Validation, 7, 1}),
                     7 * std::log(40.0) / static_cast<double>(slice.scoredTargets()));
    EXPECT_DOUBLE_EQ(*task->entropyExpected(Split::Validation), std::log(40.0) / 82)
        << "of validation's lengths, 21 to 60";
    EXPECT_DOUBLE_EQ(*task->entropyExpected(Split::Train), std::log(20.0) / 22);
}

TEST(RecallTask, FirstItemsAreTheGoldenOnes)
{
    const auto task = RecallTask::create({.vocabulary = 16, .pairs = 3, .length = 16}).value();
    const Read read = sequence(task->batch(Split::Train, 0, 1, 0), 0);
    EXPECT_EQ(read.tokens, (std::vector<int32_t>{3, 8, 4, 12, 7, 15, 3, 0, 7, 0, 0, 0, 4, 0, 0, 0}));
    for (int t = 0; t < 16; ++t)
        EXPECT_EQ(read.targets[static_cast<size_t>(t)], t == 6 ? 8 : t == 8 ? 15 : t == 12 ? 12 : kIgnoredTarget);
    const auto standard = RecallTask::create({}).value();
    const Read quick = sequence(standard->batch(Split::Train, 0, 1, 0), 0);
    const std::map<int, int> asked{{8, 236}, {16, 194}, {22, 255}, {34, 199}};
    for (int t = 0; t < 64; ++t)
        EXPECT_EQ(quick.targets[static_cast<size_t>(t)], asked.contains(t) ? asked.at(t) : kIgnoredTarget);
    EXPECT_EQ(standard->decode(quick.tokens).substr(0, 20), "k117 v109 k100 v128 ");
}

TEST(RecallTask, EveryKeyComesBackOnceAndEarlyOnesMostly)
{
    const auto task = RecallTask::create({}).value();
    std::map<int, int> places;
    const Batch batch = task->batch(Split::Train, 0, 2000, 3);
    for (int64_t b = 0; b < 2000; ++b) {
        const Read read = sequence(batch, b);
        std::map<int32_t, int32_t> pairs;
        for (size_t i = 0; i < 8; i += 2) {
            EXPECT_TRUE(read.tokens[i] > 0 && read.tokens[i] < 128 && read.tokens[i + 1] >= 128);
            pairs.emplace(read.tokens[i], read.tokens[i + 1]);
        }
        ASSERT_EQ(pairs.size(), 4u);
        int asked = 0;
        for (size_t t = 8; t < 64; ++t) {
            if (read.tokens[t] == 0) {
                EXPECT_EQ(read.targets[t], kIgnoredTarget);
                continue;
            }
            EXPECT_EQ(read.targets[t], pairs.at(read.tokens[t]));
            ++places[static_cast<int>(t)];
            ++asked;
        }
        EXPECT_EQ(asked, 4);
    }
    EXPECT_GT(places[8], 1200); // weight 1 of 4: nearly always among the four
    EXPECT_LT(places[62], 250);
    EXPECT_GT(places[62], 0);
}

TEST(AddingTask, FirstItemIsTheGoldenOne)
{
    const auto task = AddingTask::create({}).value();
    const Batch batch = task->batch(Split::Train, 0, 1, 0);
    EXPECT_EQ(batch.features[0], 0.550112783908844f);
    EXPECT_EQ(batch.features[2], 0.2332022786140442f);
    for (size_t t = 0; t < 100; ++t) {
        EXPECT_EQ(batch.features[2 * t + 1], t == 21 || t == 84 ? 1 : 0);
        EXPECT_EQ(std::isnan(batch.values[t]), t < 99);
    }
    EXPECT_FLOAT_EQ(batch.values[99], 0.2822701930999756f);
    EXPECT_FLOAT_EQ(batch.features[2 * 21] + batch.features[2 * 84], batch.values[99]);
}

TEST(AddingTask, BaselineIsTheVarianceOfTheSum)
{
    const auto task = AddingTask::create({}).value();
    const Batch batch = task->batch(Split::Train, 0, 5000, 0);
    double error = 0;
    for (size_t b = 0; b < 5000; ++b) {
        const double sum = batch.values[99 * 5000 + b];
        error += (sum - 1) * (sum - 1) / 5000;
    }
    EXPECT_NEAR(error, task->baseline({})->loss, 0.01);
}

TEST(IrregularTask, FirstItemIsTheGoldenOne)
{
    const auto task = IrregularTask::create({}).value();
    const Batch batch = task->batch(Split::Train, 0, 1, 0);
    const float gaps[] = {0.9653170108795166f, 1.111335277557373f, 0.8125131726264954f};
    const float values[] = {0.921f, 0.55f, 0.152f}; // a period of 11.884, from a phase of 0.233 turns on
    EXPECT_EQ(batch.features[0], 0.994f);
    for (size_t t = 0; t < 3; ++t) {
        EXPECT_EQ(batch.features[2 * t + 1], gaps[t]) << t;
        EXPECT_EQ(batch.values[t], values[t]) << t;
    }
    for (size_t t = 1; t < 40; ++t)
        EXPECT_EQ(batch.features[2 * t], batch.values[t - 1]) << "what was asked for is read next";
}

TEST(IrregularTask, EvenStepsAreASineAndUnevenOnesAreWithinTheirBounds)
{
    const Batch even = IrregularTask::create({.unevenness = 0}).value()->batch(Split::Train, 0, 1, 4);
    const double turn = (even.values[2] + even.values[0]) / even.values[1]; // 2 cos(2 pi / period)
    ASSERT_GT(std::abs(even.values[1]), 0.2);
    for (size_t t = 1; t + 1 < 40; ++t) {
        EXPECT_EQ(even.features[2 * t + 1], 1);
        EXPECT_NEAR(even.values[t + 1] + even.values[t - 1], turn * even.values[t], 0.015) << t;
    }
    const Batch uneven = IrregularTask::create({.unevenness = 0.5}).value()->batch(Split::Train, 0, 100, 4);
    double sum = 0;
    for (size_t i = 0; i < 4000; ++i) {
        const float gap = uneven.features[2 * i + 1];
        EXPECT_TRUE(gap >= 0.5f && gap < 1.5f) << gap;
        sum += gap;
    }
    EXPECT_NEAR(sum / 4000, 1, 0.02);
}

TEST(IrregularTask, BaselineIsTheValueBefore)
{
    const auto task = IrregularTask::create({}).value();
    const Batch batch = task->batch(Split::Train, 0, 2000, 0);
    double error = 0;
    for (size_t i = 0; i < batch.values.size(); ++i) {
        const double off = batch.values[i] - batch.features[2 * i];
        error += off * off / static_cast<double>(batch.values.size());
    }
    EXPECT_NEAR(error, task->baseline({})->loss, 0.03);
}

TEST(VectorCopyTask, FirstItemIsTheGoldenOne)
{
    const auto task = VectorCopyTask::create({}).value();
    const Batch batch = task->batch(Split::Train, 0, 1, 0);
    ASSERT_EQ(batch.steps, 48);
    std::string first;
    for (size_t i = 0; i < 7; ++i)
        first += batch.features[i] > 0 ? '1' : '0';
    EXPECT_EQ(first, "0110111");
    for (size_t t = 0; t < 48; ++t) {
        EXPECT_EQ(batch.features[8 * t + 7], t == 28 ? 1 : 0);
        for (size_t bit = 0; bit < 7; ++bit) {
            const float asked = batch.values[7 * t + bit];
            EXPECT_TRUE(t < 28 ? std::isnan(asked) : asked == batch.features[8 * (t - 28) + bit]);
            EXPECT_TRUE(t < 20 || batch.features[8 * t + bit] == 0);
        }
    }
}

TEST(GeneratedTasks, RefuseWhatMakesNoTask)
{
    EXPECT_EQ(ParityTask::create({.shortest = 0}).error().place, "shortest");
    EXPECT_EQ(ParityTask::create({.shortest = 41}).error().place, "longest");
    EXPECT_EQ(ParityTask::create({.validationLongest = 39}).error().place, "validation_longest");
    EXPECT_EQ(WordProblemTask::create({.group = "s6"}).error().place, "group");
    EXPECT_EQ(WordProblemTask::create({.length = 0}).error().place, "length");
    EXPECT_EQ(CountingTask::create({.longest = 0}).error().place, "longest");
    EXPECT_EQ(CountingTask::create({.longest = int64_t{1} << 62}).error().place, "longest");
    EXPECT_EQ(RecallTask::create({.vocabulary = 7}).error().place, "vocabulary");
    EXPECT_EQ(RecallTask::create({.vocabulary = 16, .pairs = 5}).error().place, "pairs");
    EXPECT_EQ(RecallTask::create({.pairs = 4, .length = 15}).error().place, "length");
    EXPECT_EQ(AddingTask::create({.length = 1}).error().place, "length");
    EXPECT_EQ(IrregularTask::create({.length = 0}).error().place, "length");
    EXPECT_EQ(IrregularTask::create({.unevenness = 1.5}).error().place, "unevenness");
    EXPECT_EQ(IrregularTask::create({.unevenness = std::nan("")}).error().place, "unevenness");
    EXPECT_EQ(VectorCopyTask::create({.bits = 0}).error().place, "bits");
    EXPECT_EQ(VectorCopyTask::create({.evaluationSequences = 0}).error().place, "evaluation_sequences");
}

} // namespace
} // namespace unroll
