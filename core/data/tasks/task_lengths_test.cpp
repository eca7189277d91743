// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks with validation sequences of a length that is asked for.
#include "core/data/tasks/adding_task.h"
#include "core/data/tasks/copy_task.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/dyck_task.h"
#include "core/data/tasks/induction_task.h"
#include "core/data/tasks/irregular_task.h"
#include "core/data/tasks/modular_arithmetic_task.h"
#include "core/data/tasks/parity_task.h"
#include "core/data/tasks/recall_task.h"
#include "core/data/tasks/vector_copy_task.h"
#include "core/data/tasks/word_problem_task.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace unroll {
namespace {

/// Each sequence is as long as asked, or by at most `off` steps longer or shorter, and asks for something.
void expectLengths(const GeneratedTask& task, int64_t off, std::initializer_list<int64_t> lengths)
{
    for (const int64_t length : lengths) {
        const auto sized = task.ofLength(length);
        ASSERT_NE(sized, nullptr) << task.describe() << ", " << length;
        EXPECT_EQ(sized->classes(), task.classes());
        EXPECT_EQ(sized->alphabet(), task.alphabet());
        EXPECT_EQ(sized->numbers().inputs, task.numbers().inputs);
        for (const int64_t number : {0, 1, 17}) {
            const Batch batch = sized->stretch(Split::Validation, number, 100'000);
            EXPECT_LE(std::abs(batch.steps - length), off) << task.describe() << ", " << length;
            EXPECT_GT(batch.scoredTargets(), 0) << task.describe() << ", " << length;
        }
    }
}

TEST(TaskLengths, AreThoseThatAreAskedFor)
{
    expectLengths(*ParityTask::create({}).value(), 0, {1, 12, 40, 96, 300, 512});
    expectLengths(*ParityTask::create({.published = true}).value(), 0, {1, 12, 96});
    expectLengths(*AddingTask::create({}).value(), 0, {2, 33, 512});
    expectLengths(*IrregularTask::create({}).value(), 0, {1, 33, 512});
    expectLengths(*InductionTask::create({}).value(), 0, {3, 64, 511});
    expectLengths(*RecallTask::create({}).value(), 0, {16, 63, 512});
    expectLengths(*CopyTask::create({}).value(), 0, {21, 40, 512});
    expectLengths(*VectorCopyTask::create({}).value(), 0, {40, 48, 77, 512});
    expectLengths(*WordProblemTask::create({}).value(), 0, {1, 16, 200});
    expectLengths(*WordProblemTask::create({.specialTokens = true}).value(), 0, {2, 16, 200});
}

TEST(TaskLengths, AreTheNearestThatTheFormHas)
{
    expectLengths(*CountingTask::create({}).value(), 1, {3, 20, 21, 500});
    expectLengths(*DyckTask::create({}).value(), 1, {3, 20, 21, 500});
    expectLengths(*ModularArithmeticTask::create({}).value(), 1, {1, 20, 21, 500});
    expectLengths(*ModularArithmeticTask::create({.brackets = true}).value(), 1, {1, 20, 21, 500});
}

TEST(TaskLengths, AreNoneWhereTheFormHasNoRoom)
{
    EXPECT_EQ(CopyTask::create({}).value()->ofLength(20), nullptr) << "10 symbols, a delay of 1, and again";
    EXPECT_EQ(VectorCopyTask::create({}).value()->ofLength(39), nullptr);
    EXPECT_EQ(RecallTask::create({}).value()->ofLength(15), nullptr) << "4 pairs, and their keys again";
    EXPECT_EQ(InductionTask::create({}).value()->ofLength(2), nullptr);
    EXPECT_EQ(AddingTask::create({}).value()->ofLength(1), nullptr);
}

} // namespace
} // namespace unroll
