// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every generated task, and what each of them asks for.
#include "core/data/tasks/adding_task.h"
#include "core/data/tasks/copy_task.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/parity_task.h"
#include "core/data/tasks/recall_task.h"
#include "core/data/tasks/vector_copy_task.h"
#include "core/data/tasks/word_problem_task.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>

namespace unroll {
namespace {

template <class T>
std::shared_ptr<const Dataset> made(Result<std::shared_ptr<const T>> task)
{
    return task.value();
}

/// Each with 101 sequences to evaluate.
std::map<std::string, std::shared_ptr<const Dataset>> tasks()
{
    return {
        {"copy", made(CopyTask::create({.evaluationSequences = 101}))},
        {"parity", made(ParityTask::create({.shortest = 20, .evaluationSequences = 101}))},
        {"word_problem", made(WordProblemTask::create({.group = "a5", .evaluationSequences = 101}))},
        {"counting",
         made(CountingTask::create(
             {.longest = 5000, .validationShortest = 5001, .validationLongest = 6000, .evaluationSequences = 101}))},
        {"recall", made(RecallTask::create({.evaluationSequences = 101}))},
        {"adding", made(AddingTask::create({.evaluationSequences = 101}))},
        {"vector_copy", made(VectorCopyTask::create({.evaluationSequences = 101}))}};
}

/// Column b of all that a batch holds, as bytes: NaN equals NaN here.
std::string column(const Batch& batch, int64_t b)
{
    std::string bytes;
    const auto add = [&](const auto& values) {
        const size_t cells = static_cast<size_t>(batch.steps * batch.sequences);
        const size_t channels = values.size() / cells;
        for (int64_t t = 0; t < batch.steps && channels > 0; ++t)
            bytes.append(
                reinterpret_cast<const char*>(&values[static_cast<size_t>(t * batch.sequences + b) * channels]),
                channels * sizeof(values[0]));
    };
    add(batch.tokens);
    add(batch.targets);
    add(batch.features);
    add(batch.values);
    add(batch.scored);
    const std::vector<uint8_t> real(static_cast<size_t>(batch.steps * batch.sequences), 1);
    add(batch.mask.empty() ? real : batch.mask);
    return bytes;
}

/// Steps that belong to sequence b.
int64_t realSteps(const Batch& batch, int64_t b)
{
    int64_t real = 0;
    for (int64_t t = 0; t < batch.steps; ++t)
        real += batch.mask.empty() ? 1 : batch.mask[static_cast<size_t>(t * batch.sequences + b)];
    return real;
}

class EveryTask : public testing::TestWithParam<std::string> {
protected:
    std::shared_ptr<const Dataset> task = tasks().at(GetParam());
};

TEST_P(EveryTask, IsAPureFunctionOfSeedAndIndex)
{
    const Batch wide = task->batch(Split::Train, 1, 6, 5), late = task->batch(Split::Train, 3, 3, 5);
    EXPECT_EQ(column(wide, 3), column(late, 0)); // both item 9
    EXPECT_NE(column(wide, 3), column(wide, 4));
    EXPECT_NE(column(wide, 3), column(task->batch(Split::Train, 1, 6, 6), 3));
    EXPECT_EQ(wide.fresh, std::vector<uint8_t>(6, 1));
}

TEST_P(EveryTask, ThreadsReadTheSame)
{
    std::vector<std::string> read(4);
    {
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < read.size(); ++i)
            threads.emplace_back([&, i] { read[i] = column(task->batch(Split::Train, 17, 3, 2), 1); });
    }
    for (const std::string& one : read)
        EXPECT_EQ(one, read[0]);
}

TEST_P(EveryTask, EvaluationHoldsEverySequenceOnce)
{
    for (const Split split : {Split::Train, Split::Validation}) {
        std::vector<std::string> whole, tiled;
        const Batch all = task->evaluationBatch(split, 0, 101);
        for (int64_t b = 0; b < 101; ++b)
            whole.push_back(column(all, b));
        EXPECT_EQ(task->batchesInSplit(split, 7), 15);
        for (int64_t i = 0; i < 15; ++i) {
            const Batch batch = task->evaluationBatch(split, i, 7);
            for (int64_t b = 0; b < 7; ++b)
                if (realSteps(batch, b) > 0)
                    tiled.push_back(column(batch, b));
        }
        EXPECT_EQ(whole, tiled);
    }
}

TEST_P(EveryTask, PaddingAsksForNothing)
{
    for (const Split split : {Split::Train, Split::Validation}) {
        const Batch last = task->evaluationBatch(split, 14, 7); // sequences 98 .. 100 and four that are none
        ASSERT_FALSE(last.mask.empty());
        for (size_t i = 0; i < last.mask.size(); ++i) {
            if (last.mask[i] != 0)
                continue;
            EXPECT_TRUE(last.targets.empty() || (last.targets[i] == kIgnoredTarget && last.scored[i] == 0));
            const size_t channels = last.values.size() / last.mask.size();
            for (size_t c = 0; c < channels; ++c)
                EXPECT_TRUE(std::isnan(last.values[i * channels + c]));
        }
        EXPECT_GT(last.scoredTargets(), 0);
    }
}

TEST_P(EveryTask, ValidationSharesNothingWithTraining)
{
    std::set<std::string> training;
    const auto add = [&](const Batch& batch) {
        for (int64_t b = 0; b < batch.sequences; ++b)
            training.insert(column(batch, b));
    };
    if (GetParam() == "counting")
        return; // n alone is drawn, and validation has others
    for (uint64_t seed = 0; seed < 10; ++seed)
        add(task->batch(Split::Train, 0, 100, seed));
    EXPECT_GT(training.size(), 990u);
    add(task->evaluationBatch(Split::Train, 0, 101));
    const Batch fixed = task->evaluationBatch(Split::Validation, 0, 101);
    for (int64_t b = 0; b < 101; ++b)
        EXPECT_FALSE(training.contains(column(fixed, b)));
}

TEST_P(EveryTask, WordsComeBack)
{
    const std::vector<std::string> labels = task->alphabet();
    ASSERT_EQ(std::ssize(labels), task->classes());
    EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), labels.size());
    if (labels.empty()) {
        EXPECT_EQ(task->encode("1").error().place, "prompt");
        return;
    }
    std::vector<int32_t> tokens;
    for (int32_t i = 0; i < std::ssize(labels); ++i) {
        EXPECT_EQ(labels[static_cast<size_t>(i)].size(), labels[0].size());
        tokens.push_back(i);
    }
    EXPECT_EQ(task->encode(task->decode(tokens)).value(), tokens);
    EXPECT_EQ(task->encode("").value(), std::vector<int32_t>());
    EXPECT_EQ(task->encode("?").error().place, "prompt, byte 0");
}

TEST_P(EveryTask, KnowsItsBounds)
{
    EXPECT_FALSE(task->carriesState());
    EXPECT_FALSE(task->accepts(0));
    EXPECT_FALSE(task->accepts(int64_t{1} << 62));
    EXPECT_TRUE(task->accepts(1));
    EXPECT_EQ(task->tokensIn(Split::Train), std::nullopt);
    EXPECT_NE(task->describe(), "");
}

INSTANTIATE_TEST_SUITE_P(Tasks, EveryTask,
                         testing::Values("copy", "parity", "word_problem", "counting", "recall", "adding",
                                         "vector_copy"),
                         [](const auto& each) { return each.param; });

struct Read {
    std::vector<int32_t> tokens, targets, scored;
};

/// Sequence b without its padding.
Read sequence(const Batch& batch, int64_t b)
{
    Read read;
    for (int64_t t = 0; t < realSteps(batch, b); ++t) {
        const auto at = static_cast<size_t>(t * batch.sequences + b);
        read.tokens.push_back(batch.tokens[at]);
        read.targets.push_back(batch.targets[at]);
        read.scored.push_back(batch.scored[at]);
    }
    return read;
}

// Golden, in this and the following tests: drawn by a second implementation of the generator and the task. They may never change, or old runs
// no longer repeat.
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

TEST(FiniteGroup, HasTheAxiomsOfAGroup)
{
    for (const auto& [name, order] : std::map<std::string, int64_t>{{"z2", 2},
                                                                    {"z60", 60},
                                                                    {"s2", 2},
                                                                    {"s3", 6},
                                                                    {"s4", 24},
                                                                    {"s5", 120},
                                                                    {"a3", 3},
                                                                    {"a4", 12},
                                                                    {"a5", 60}}) {
        const FiniteGroup group = FiniteGroup::named(name).value();
        ASSERT_EQ(group.order(), order) << name;
        for (int64_t a = 0; a < order; ++a) {
            EXPECT_EQ(group.product(0, a), a);
            EXPECT_EQ(group.product(a, 0), a);
            std::set<int64_t> row;
            for (int64_t b = 0; b < order; ++b) {
                row.insert(group.product(a, b));
                const int64_t c = (7 * a + 11 * b + 3) % order;
                EXPECT_EQ(group.product(group.product(a, b), c), group.product(a, group.product(b, c))) << name;
            }
            EXPECT_EQ(std::ssize(row), order); // every equation a x = b has one solution
        }
    }
    const FiniteGroup s3 = FiniteGroup::named("s3").value();
    EXPECT_NE(s3.product(1, 2), s3.product(2, 1)); // it is not abelian
    for (const char* name : {"", "z", "z1", "z121", "s6", "a2", "a6", "q8", "s3x", "s-3", "3"})
        EXPECT_FALSE(FiniteGroup::named(name)) << name;
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
    EXPECT_DOUBLE_EQ(a5->baseline()->loss, std::log(60.0));
    EXPECT_EQ(s3->evaluationBatch(Split::Validation, 0, 2).steps, 128);
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
    EXPECT_NEAR(*task->entropyFloor(Split::Validation), nats / static_cast<double>(batch.scoredTargets()), 1e-12);
    EXPECT_DOUBLE_EQ(*task->entropyExpected(), std::log(20.0) / 22);
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
    EXPECT_NEAR(error, task->baseline()->loss, 0.01);
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
    EXPECT_EQ(VectorCopyTask::create({.bits = 0}).error().place, "bits");
    EXPECT_EQ(VectorCopyTask::create({.evaluationSequences = 0}).error().place, "evaluation_sequences");
}

} // namespace
} // namespace unroll
