// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every generated task.
#include "core/data/tasks/adding_task.h"
#include "core/data/tasks/copy_task.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/dyck_task.h"
#include "core/data/tasks/induction_task.h"
#include "core/data/tasks/irregular_task.h"
#include "core/data/tasks/modular_arithmetic_task.h"
#include "core/data/tasks/parity_task.h"
#include "core/data/tasks/recall_task.h"
#include "core/data/tasks/task_test.h"
#include "core/data/tasks/vector_copy_task.h"
#include "core/data/tasks/word_problem_task.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
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
        {"counting_three", made(CountingTask::create({.longest = 5000,
                                                      .validationShortest = 5001,
                                                      .validationLongest = 6000,
                                                      .evaluationSequences = 101,
                                                      .letters = 3}))},
        {"selective_copy", made(CopyTask::create({.evaluationSequences = 101, .selective = true}))},
        {"induction", made(InductionTask::create({.evaluationSequences = 101}))},
        {"modular_arithmetic", made(ModularArithmeticTask::create({.shortest = 20, .evaluationSequences = 101}))},
        {"bracketed_arithmetic",
         made(ModularArithmeticTask::create({.shortest = 20, .evaluationSequences = 101, .brackets = true}))},
        {"dyck", made(DyckTask::create({.shortest = 20, .evaluationSequences = 101}))},
        {"recall", made(RecallTask::create({.evaluationSequences = 101}))},
        {"adding", made(AddingTask::create({.evaluationSequences = 101}))},
        {"irregular", made(IrregularTask::create({.evaluationSequences = 101}))},
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
    for (const Split split : {Split::Train, Split::Validation, Split::Test}) {
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
    if (GetParam().starts_with("counting"))
        return; // n alone is drawn, and validation has others
    for (uint64_t seed = 0; seed < 10; ++seed)
        add(task->batch(Split::Train, 0, 100, seed));
    EXPECT_GT(training.size(), 990u);
    add(task->evaluationBatch(Split::Train, 0, 101));
    const Batch fixed = task->evaluationBatch(Split::Validation, 0, 101);
    for (int64_t b = 0; b < 101; ++b)
        EXPECT_FALSE(training.contains(column(fixed, b)));
    add(fixed);
    const Batch test = task->evaluationBatch(Split::Test, 0, 101);
    EXPECT_EQ(test.steps, fixed.steps) << "it is of validation's kind";
    for (int64_t b = 0; b < 101; ++b)
        EXPECT_FALSE(training.contains(column(test, b)));
}

TEST_P(EveryTask, AllIsItsPartsOneAfterTheOther)
{
    const Portion all{Split::All, 50, 0};
    EXPECT_EQ(task->batchesIn(all), 9);
    const auto expectSame = [&](int64_t index, Split split, int64_t there) {
        const Batch one = task->evaluationBatch(Split::All, index, 50), other = task->evaluationBatch(split, there, 50);
        EXPECT_EQ(one.mask, other.mask);
        EXPECT_EQ(one.scoredTargets(), other.scoredTargets());
        EXPECT_EQ(column(one, 0), column(other, 0));
    };
    expectSame(1, Split::Train, 1);
    expectSame(3, Split::Validation, 0);
    expectSame(8, Split::Test, 2);
}

TEST_P(EveryTask, WordsComeBack)
{
    const std::vector<std::string> labels = task->alphabet();
    ASSERT_EQ(std::ssize(labels), task->classes());
    EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), labels.size());
    EXPECT_EQ(task->encode("").value(), std::vector<int32_t>()) << "of numbers too";
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
    EXPECT_EQ(task->encode("?").error().place, "character 1");
    EXPECT_EQ(task->encode(labels[0] + "é").error().place,
              fmt::format("character {}", labels[0].size() + 1)); // labels are ASCII
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
                         testing::Values("copy", "selective_copy", "parity", "word_problem", "counting",
                                         "counting_three", "dyck", "induction", "modular_arithmetic",
                                         "bracketed_arithmetic", "recall", "adding", "irregular", "vector_copy"),
                         [](const auto& each) { return each.param; });

} // namespace
} // namespace unroll
