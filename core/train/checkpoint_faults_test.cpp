// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever call fails while checkpoints are written, or wherever the program is killed: the newest whole one and the
// best are there.
#include "core/format/failing_calls.h"
#include "core/runs/run_checkpoints.h"
#include "core/train/checkpoint.h"
#include "tests/support/short_runs.h"

#include <cerrno>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using format::FailingCalls;
using testing::BuiltRun;

struct Evaluated {
    std::int64_t step;
    std::int64_t best; ///< step of the best evaluation so far
    double loss;       ///< and its loss
};

constexpr Evaluated kRun[] = {{1, 1, 0.9}, {2, 1, 0.9}, {3, 3, 0.5}, {4, 3, 0.5}, {5, 3, 0.5},
                              {6, 3, 0.5}, {7, 7, 0.4}, {7, 7, 0.4}, {8, 7, 0.4}};

Result<void> write(RunCheckpoints& checkpoints, const BuiltRun& run, const Evaluated& evaluated)
{
    RunProgress progress;
    progress.step = evaluated.step;
    progress.bestStep = evaluated.best;
    progress.bestValidationLoss = evaluated.loss;
    auto folder = checkpoints.begin(evaluated.step);
    if (!folder)
        return tl::unexpected(folder.error());
    if (auto written = writeCheckpoint(folder->string(), *run.model, *run.trainer, progress); !written)
        return written;
    return checkpoints.finish(evaluated.step, 2);
}

/// As a run writes them. Gives the newest and the best of those whose writer said that they are there.
std::pair<std::int64_t, std::int64_t> writeAll(const std::filesystem::path& folder, const BuiltRun& run)
{
    RunCheckpoints checkpoints(folder);
    std::pair<std::int64_t, std::int64_t> said{0, 0};
    for (const Evaluated& evaluated : kRun) {
        if (!write(checkpoints, run, evaluated)) {
            checkpoints.discard(evaluated.step);
            continue;
        }
        said.first = evaluated.step;
        if (evaluated.best == evaluated.step)
            said.second = evaluated.step;
    }
    return said;
}

class CheckpointFaults : public ::testing::TestWithParam<FailingCalls::Mode> {};

TEST_P(CheckpointFaults, LoseNeitherTheNewestNorTheBest)
{
    const BuiltRun run(testing::tinyExperiment());
    int n = 1;
    for (bool reached = true; reached; ++n) {
        SCOPED_TRACE(fmt::format("call {}", n));
        const TestFolder folder(TestFolder::In::Memory);
        std::pair<std::int64_t, std::int64_t> said;
        {
            FailingCalls calls(n, GetParam(), ENOSPC);
            const format::OtherSystemCalls others(calls);
            said = writeAll(folder.path(), run);
            reached = calls.reached();
        }
        const auto [newest, best] = said;
        RunCheckpoints left(folder.path()); // as the next process finds them
        if (newest > 0) {
            ASSERT_FALSE(left.all().empty());
            EXPECT_GE(left.all().front().step, newest);
            EXPECT_TRUE(readCheckpoint(left.all().front().folder.string(), 0.1, *run.model, *run.trainer));
        }
        if (best > 0) {
            ASSERT_TRUE(left.best());
            EXPECT_GE(left.best()->place.step, best); // a later one may be there though its writer heard of a failure
            EXPECT_TRUE(readCheckpoint(left.best()->place.folder.string(), 0.1, *run.model, *run.trainer));
        }
        left.sweep();
        if (best > 0) {
            EXPECT_GE(left.best()->place.step, best);
        }
        ASSERT_TRUE(write(left, run, {9, 7, 0.4})) << "and the run goes on";
        if (best > 0) {
            EXPECT_GE(left.best()->place.step, best);
        }
        EXPECT_EQ(left.all().front().step, 9);
    }
    EXPECT_GT(n, 150) << "every call of nine checkpoints";
}

INSTANTIATE_TEST_SUITE_P(Modes, CheckpointFaults,
                         ::testing::Values(FailingCalls::Mode::Once, FailingCalls::Mode::FromThere,
                                           FailingCalls::Mode::ShortWrite));

} // namespace
} // namespace unroll
