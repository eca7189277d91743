// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that have ended go on, and what is watched of a run is of now wherever it rests or ends.
#include "core/runs/folder_lock.h"
#include "core/runs/run_status.h"
#include "core/runs/run_summary.h"
#include "core/session/run_record.h"
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <unistd.h>

namespace unroll {
namespace {

using testing::EndedRun;
using ::testing::HasSubstr;
using testing::lookIn;
using testing::losses;
using ::testing::StartsWith;
using testing::statesOf;
using testing::stepAndWait;
using testing::tinyExperiment;
using testing::trainAll;
using testing::waitUntil;

bool isAt(Session& session, RunState state, std::int64_t step)
{
    return waitUntil([&] { return session.snapshot()->state == state && session.snapshot()->step == step; });
}

/// Nothing but the rests and the end is examined.
SessionOptions withoutLooks(const std::string& folder = {})
{
    return {.runFolder = folder, .lookBudget = -1};
}

TEST(GoOn, AStepGoesBeyondTheLastOne)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.evaluateEvery = 10;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
    session->run();
    ASSERT_TRUE(session->finish(240));
    EXPECT_TRUE(session->snapshot()->canGoOn);
    (void)session->takeMetrics();
    session->step(1);
    ASSERT_TRUE(isAt(*session, RunState::Paused, 31));
    EXPECT_EQ(session->snapshot()->steps, 31);
    session->step(2);
    ASSERT_TRUE(isAt(*session, RunState::Paused, 33));
    const auto rows = session->takeMetrics();
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows.front().step, 31);
    EXPECT_TRUE(std::isfinite(rows.back().values.at("train/loss")));
    session->run(); // there is nothing more to train
    ASSERT_TRUE(isAt(*session, RunState::Finished, 33));
    EXPECT_EQ(session->snapshot()->checkpointed, 33);
    EXPECT_EQ(readRunSummary(folder / "run").step, 33);
}

/// As if it had never ended, to the last bit; from disk too.
TEST(GoOn, StoppingChangesNoNumber)
{
    TestFolder folder;
    const auto whole = trainAll(tinyExperiment());
    std::vector<double> parted;
    const auto take = [&parted](Session& session) {
        const auto part = losses(session.takeMetrics());
        parted.insert(parted.end(), part.begin(), part.end());
    };
    {
        const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        ASSERT_TRUE(stepAndWait(*session, 5));
        session->stop();
        ASSERT_TRUE(isAt(*session, RunState::Stopped, 5));
        session->step(4);
        ASSERT_TRUE(isAt(*session, RunState::Paused, 9));
        session->stop();
        session->run(); // before the stop has come to its end
        ASSERT_TRUE(waitUntil([&] { return session->snapshot()->step >= 20; }));
        session->stop();
        ASSERT_TRUE(waitUntil([&] { return hasEnded(session->snapshot()->state); }));
        take(*session);
    }
    const auto rest = trainAll(tinyExperiment(), {.runFolder = folder / "run", .resume = true});
    parted.insert(parted.end(), rest.begin(), rest.end());
    EXPECT_EQ(parted, whole);
}

/// The hurry of a stop is for what it ended.
TEST(GoOn, WhatFollowsAStopIsEvaluated)
{
    Experiment experiment = tinyExperiment();
    experiment.training.evaluateEvery = 10;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    ASSERT_TRUE(stepAndWait(*session, 3));
    session->stop();
    ASSERT_TRUE(isAt(*session, RunState::Stopped, 3));
    (void)session->takeMetrics();
    session->run();
    ASSERT_TRUE(isAt(*session, RunState::Finished, 30));
    const auto rows = session->takeMetrics();
    ASSERT_EQ(rows.size(), 27u);
    EXPECT_EQ(rows.back().values.count("val/loss"), 1u);
    session->step(10);
    ASSERT_TRUE(isAt(*session, RunState::Paused, 40));
    EXPECT_EQ(session->takeMetrics().back().values.count("val/loss"), 1u);
}

TEST(GoOn, AResumedRunKeepsItsSamples)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.sampleEvery = 5;
    experiment.training.sampleTokens = 8;
    std::vector<Sample> before;
    {
        const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        ASSERT_TRUE(stepAndWait(*session, 12));
        before = session->snapshot()->samples;
        ASSERT_EQ(before.size(), 2u);
    }
    const auto session =
        startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run", .resume = true});
    ASSERT_TRUE(waitUntil([&] { return session->snapshot()->state == RunState::Paused; }));
    ASSERT_EQ(session->snapshot()->samples.size(), 2u);
    EXPECT_EQ(session->snapshot()->samples[1].step, 10);
    EXPECT_EQ(session->snapshot()->samples[1].text, before[1].text);
}

/// Said first and alone, by one who looks at what is not there too.
TEST(GoOn, ARunThatIsHeldIsSaidToBe)
{
    TestFolder folder;
    const auto first = startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run"});
    ASSERT_TRUE(stepAndWait(*first, 2));
    first->checkpoint();
    ASSERT_TRUE(waitUntil([&] { return first->snapshot()->checkpointed == 2; }));
    auto status = readRunStatus(folder / "run");
    ASSERT_TRUE(status);
    EXPECT_EQ(status->process, getpid());
    status->process = 4711;
    ASSERT_TRUE(writeRunStatus(folder / "run", *status));
    const auto second =
        startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run", .resume = true});
    second->ask(statesOf({{"lstm", "c"}}));
    second->run();
    second->look();
    second->sample("a", 5, {.temperature = 1}, 1);
    ASSERT_TRUE(second->finish(240));
    second->keepWeights(); // once that is answered, whatever else it would say is said
    ASSERT_TRUE(waitUntil([&] { return !second->snapshot()->notKept.empty(); }));
    const auto last = second->snapshot();
    EXPECT_THAT(last->failure, StartsWith("Another program (pid 4711) is training this run"));
    ASSERT_EQ(last->problems.size(), 1u);
    EXPECT_EQ(last->problems[0].sentence, last->failure);
    EXPECT_EQ(lookIn(*last), nullptr);
    EXPECT_FALSE(last->canGoOn);
}

TEST(Freshness, StateIsOfTheStepAtWhichARunRests)
{
    const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), withoutLooks());
    session->ask(statesOf({{"lstm", "c"}}));
    ASSERT_TRUE(stepAndWait(*session, 1));
    EXPECT_EQ(lookIn(*session->snapshot())->step, 1) << "with the state that says that it rests";
    ASSERT_TRUE(stepAndWait(*session, 6));
    EXPECT_EQ(lookIn(*session->snapshot())->step, 7);
    session->run();
    session->pause();
    ASSERT_TRUE(waitUntil([&] {
        const RunState state = session->snapshot()->state;
        return state == RunState::Paused || hasEnded(state);
    }));
    EXPECT_EQ(lookIn(*session->snapshot())->step, session->snapshot()->step);
    session->stop();
    ASSERT_TRUE(waitUntil([&] { return hasEnded(session->snapshot()->state); }));
    EXPECT_EQ(lookIn(*session->snapshot())->step, session->snapshot()->step);
}

TEST(Freshness, StateIsOfTheStepAtWhichARunFinishes)
{
    const EndedRun run(tinyExperiment(), withoutLooks(), {{"lstm", "c"}});
    ASSERT_TRUE(lookIn(run.last));
    EXPECT_EQ(lookIn(run.last)->step, 30);
}

/// An update of infinite size: the state of the step that failed is all NaN, and is shown.
TEST(Freshness, WhatBlewUpIsSeen)
{
    Experiment experiment = tinyExperiment();
    experiment.training.evaluateEvery = 0;
    experiment.training.checkpointEvery = 0;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), withoutLooks());
    session->ask(statesOf({{"lstm", "c"}}));
    ASSERT_TRUE(stepAndWait(*session, 3));
    session->setLearningRate(1e300);
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto last = session->snapshot();
    ASSERT_EQ(last->state, RunState::Failed);
    ASSERT_TRUE(lookIn(*last));
    EXPECT_EQ(lookIn(*last)->step, 5) << "the update of step 4 spoilt the weights, that of step 5 has shown it";
    EXPECT_GE(lookIn(*last)->step, last->step);
    const auto values = lookIn(*last)->signalFrames.at(0).values;
    EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](float value) { return !std::isfinite(value); }));
}

TEST(Freshness, NobodyWaitsForALookWhenAllIsToEnd)
{
    TestFolder folder;
    {
        const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), withoutLooks(folder / "run"));
        session->ask(statesOf({{"lstm", "c"}}));
        ASSERT_TRUE(stepAndWait(*session, 2));
    }
    const auto record = readRunRecord(folder / "run");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->snapshot.checkpointed, 2);
    EXPECT_EQ(record->snapshot.state, RunState::Stopped);
}

} // namespace
} // namespace unroll
