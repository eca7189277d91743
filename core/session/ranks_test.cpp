// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that several ranks train: sessions of this process that meet in memory.
#include "core/runs/run_folder.h"
#include "core/session/run_record.h"
#include "core/session/session.h"
#include "tests/support/rank_threads.h"
#include "tests/support/short_runs.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace unroll {
namespace {

using testing::losses;
using testing::threadPlace;
using testing::tinyExperiment;
using testing::trainAll;
using testing::waitUntil;

/// One session a rank, all on the same run; one alone is not a rank.
struct RankSessions {
    std::vector<std::unique_ptr<Session>> all;
    std::vector<std::vector<MetricRow>> rows;

    RankSessions(const Experiment& experiment, std::int64_t size, const SessionOptions& options,
                 double timeout = testing::kRankPatience)
        : rows(static_cast<std::size_t>(size))
    {
        const auto meeting = meetingInMemory();
        for (std::int64_t rank = 0; rank < size; ++rank) {
            SessionOptions own = options;
            if (size > 1)
                own.ranks = threadPlace(rank, size, meeting, timeout);
            all.push_back(startSession(experiment, allSpecs(), allBuilders(), own));
        }
    }
    void run() const
    {
        for (const auto& session : all)
            session->run();
    }
    Session& of(std::size_t rank) const { return *all[rank]; }
    Snapshot last(std::size_t rank) const { return *all[rank]->snapshot(); }
    void finish()
    {
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
            EXPECT_TRUE(all[rank]->finish(240));
            rows[rank] = all[rank]->takeMetrics();
        }
    }
    /// To their end.
    std::vector<double> train()
    {
        run();
        finish();
        for (std::size_t rank = 0; rank < all.size(); ++rank)
            EXPECT_EQ(last(rank).state, RunState::Finished) << last(rank).failure;
        return losses(rows[0]);
    }
};

void expectNear(const std::vector<double>& found, const std::vector<double>& wanted, double most = 1e-6)
{
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t step = 0; step < wanted.size(); ++step)
        EXPECT_NEAR(found[step], wanted[step], most) << "step " << step + 1;
}

TEST(RankSessions, TrainAsOneProcessAndOneOfThemWrites)
{
    const TestFolder folder;
    const Experiment experiment = tinyExperiment();
    const std::vector<double> alone = trainAll(experiment, {.runFolder = folder / "one"});
    RankSessions ranks(experiment, 2, {.runFolder = folder / "two"});
    expectNear(ranks.train(), alone);
    EXPECT_EQ(losses(ranks.rows[1]), losses(ranks.rows[0])) << "every rank knows the loss of all";
    const Snapshot first = ranks.last(0), second = ranks.last(1);
    EXPECT_EQ(first.device, "cpu, 1 thread, 2 ranks");
    EXPECT_EQ(first.checkpointed, experiment.training.steps);
    EXPECT_GT(first.ranks.bytes, 1000);
    EXPECT_GT(first.ranks.seconds, 0);
    EXPECT_TRUE(second.runFolder.empty());
    EXPECT_EQ(first.bestStep, second.bestStep);
    EXPECT_EQ(first.bestValidationLoss, second.bestValidationLoss);
    const auto run = RunFolder::open(folder / "two");
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(run->environment().ranks, 2);
    EXPECT_EQ(RunFolder::open(folder / "one")->environment().ranks, 1);
}

TEST(RankSessions, GoOnAsAnyNumberThatDividesTheBatch)
{
    const TestFolder folder;
    const Experiment experiment = tinyExperiment();
    const std::vector<double> unbroken = trainAll(experiment, {.runFolder = folder / "unbroken"});
    const std::string run = folder / "run";
    std::int64_t until = 0;
    for (std::int64_t size : {2, 1, 4, 2}) {
        until += 6;
        RankSessions ranks(experiment, size, {.runFolder = run, .resume = until > 6});
        for (const auto& session : ranks.all)
            session->step(6);
        for (const auto& session : ranks.all)
            ASSERT_TRUE(waitUntil([&] {
                const auto now = session->snapshot();
                return hasEnded(now->state) || (now->state == RunState::Paused && now->step == until);
            }));
        ASSERT_EQ(ranks.last(0).state, RunState::Paused) << ranks.last(0).failure;
        for (const auto& session : ranks.all)
            session->stop();
        ranks.finish();
        EXPECT_EQ(ranks.last(0).checkpointed, until);
    }
    RankSessions ranks(experiment, 2, {.runFolder = run, .resume = true});
    ranks.train();
    std::vector<double> found;
    const auto rows = readRunRows(run).value();
    for (const MetricRow& row : rows)
        found.push_back(row.values.at("train/loss"));
    expectNear(found, unbroken, 2e-6);
}

TEST(RankSessions, AStopOfOneStopsAllAtTheSameStep)
{
    const TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 100'000;
    experiment.training.evaluateEvery = 0;
    RankSessions ranks(experiment, 2, {.runFolder = folder / "run"});
    ranks.run();
    ASSERT_TRUE(waitUntil([&] { return ranks.last(0).step > 5; }));
    ranks.of(1).checkpoint();
    ASSERT_TRUE(waitUntil([&] { return ranks.last(0).checkpointed > 0; }));
    ranks.of(1).setLearningRate(0.001);
    ASSERT_TRUE(waitUntil([&] {
        const Snapshot now = ranks.last(0);
        return !now.log.empty() && now.log.back().find("learning rate set to 0.001") == 0;
    }));
    ranks.of(1).stop();
    ranks.finish();
    EXPECT_EQ(ranks.last(0).state, RunState::Stopped);
    EXPECT_EQ(ranks.last(1).state, RunState::Stopped);
    EXPECT_EQ(ranks.last(0).step, ranks.last(1).step);
    EXPECT_EQ(ranks.last(0).checkpointed, ranks.last(0).step);
}

TEST(RankSessions, PatienceEndsAllAtTheSameStep)
{
    Experiment experiment = tinyExperiment();
    experiment.training.learningRate = 0; // nothing gets better
    experiment.training.patience = 2;
    experiment.training.evaluateEvery = 3;
    RankSessions ranks(experiment, 2, {});
    ranks.train();
    EXPECT_EQ(ranks.last(0).step, 9);
    EXPECT_EQ(ranks.last(1).step, 9);
}

TEST(RankSessions, ALossThatIsNoNumberEndsAllWithItsNode)
{
    const TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.learningRate = 1e30;
    experiment.training.clip = 0;
    experiment.training.warmup = 0;
    RankSessions ranks(experiment, 2, {.runFolder = folder / "run"});
    ranks.run();
    ranks.finish();
    for (std::size_t rank : {0, 1}) {
        EXPECT_EQ(ranks.last(rank).state, RunState::Failed);
        EXPECT_EQ(ranks.last(rank).step, ranks.last(0).step);
        EXPECT_EQ(ranks.last(rank).problems.back().code, "not-finite");
    }
    EXPECT_EQ(ranks.last(0).problems.back().sentence.substr(0, 20),
              ranks.last(1).problems.back().sentence.substr(0, 20));
}

TEST(RankSessions, ABatchThatTheyCannotShareIsRefused)
{
    Experiment experiment = tinyExperiment(); // of 4 sequences
    RankSessions ranks(experiment, 3, {});
    ranks.run();
    ranks.finish();
    for (std::size_t rank : {0, 1, 2}) {
        EXPECT_EQ(ranks.last(rank).state, RunState::Failed);
        EXPECT_EQ(ranks.last(rank).failure,
                  "3 ranks cannot share a batch of 4 sequences evenly: set training.batch to a multiple of 3, such as "
                  "6, or start a number of ranks that divides it");
    }
}

TEST(RankSessions, OtherExperimentsAreRefusedOnAllRanks)
{
    const auto meeting = meetingInMemory();
    std::vector<std::unique_ptr<Session>> all;
    for (std::int64_t rank : {0, 1}) {
        Experiment experiment = tinyExperiment();
        experiment.training.clip = rank == 0 ? 1 : 2;
        SessionOptions options;
        options.ranks = threadPlace(rank, 2, meeting);
        all.push_back(startSession(experiment, allSpecs(), allBuilders(), options));
    }
    for (const auto& session : all) {
        ASSERT_TRUE(session->finish(240));
        EXPECT_NE(session->snapshot()->failure.find("rank 1 has another experiment than rank 0"), std::string::npos)
            << session->snapshot()->failure;
    }
}

/// What ranks leave behind when one of them is gone.
Snapshot afterALoss(const Experiment& experiment, const std::string& run)
{
    RankSessions ranks(experiment, 2, {.runFolder = run}, 60);
    ranks.run();
    EXPECT_TRUE(waitUntil([&] { return ranks.last(0).step > 12; }));
    ranks.all[1].reset();
    EXPECT_TRUE(ranks.of(0).finish(240));
    return ranks.last(0);
}

TEST(RankSessions, ALostRankEndsTheOthersWithASentence)
{
    const TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 100'000;
    experiment.training.evaluateEvery = 0;
    experiment.training.checkpointEvery = 10;
    const Snapshot carried = afterALoss(experiment, folder / "streams");
    EXPECT_EQ(carried.state, RunState::Failed);
    EXPECT_NE(carried.failure.find("rank 1 of 2 is gone or does not answer within 60 s"), std::string::npos)
        << carried.failure;
    EXPECT_EQ(carried.problems.back().code, "peer-lost");
    EXPECT_EQ(carried.checkpointed % 10, 0) << "the states of rank 1 are lost: the checkpoint before is the newest";
    EXPECT_NE(carried.failure.find("the checkpoint of step"), std::string::npos) << carried.failure;
    Experiment windows = tinyExperiment("lstm", 24, "windows");
    windows.training = experiment.training;
    windows.training.checkpointEvery = 0;
    const Snapshot whole = afterALoss(windows, folder / "windows");
    EXPECT_EQ(whole.checkpointed, whole.step) << "nothing is carried: rank 0 has all that goes on";
    EXPECT_FALSE(contentOf(folder.path() / "windows" / "metrics.csv").empty());
}

} // namespace
} // namespace unroll
