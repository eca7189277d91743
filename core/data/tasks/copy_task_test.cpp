// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/copy_task.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    EXPECT_DOUBLE_EQ(standard()->baseline({})->loss, 10 * std::log(8.0) / (20 + 20));
    EXPECT_EQ(standard()->entropyFloor({Split::Validation}), 0.0);
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
    EXPECT_EQ(error.place, "character 3");
    EXPECT_THAT(error.message, HasSubstr("a b c d e f g h _ |"));
    EXPECT_EQ(task->alphabet().size(), 10u);
}

} // namespace
} // namespace unroll
