// SPDX-License-Identifier: GPL-3.0-or-later
// What is due between updates: rows, evaluations, checkpoints, and the end of a run that went wrong.
#include "core/session/session.h"

#include "core/train/checkpoint.h"
#include "core/train/tensor_file.h"
#include "core/train/trained_run.h"
#include "tests/support/dataset_over.h"
#include "tests/support/short_runs.h"

#include <ATen/ops/isfinite.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <numbers>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using testing::EndedRun;
using ::testing::HasSubstr;
using testing::registry;
using testing::stepAndWait;
using testing::tinyExperiment;
using testing::waitUntil;

std::vector<std::int64_t> stepsWith(const std::vector<MetricRow>& rows, const std::string& metric)
{
    std::vector<std::int64_t> steps;
    for (const MetricRow& row : rows)
        if (row.values.count(metric) > 0)
            steps.push_back(row.step);
    return steps;
}

TEST(Rows, AnEvaluationIsInTheRowOfItsStep)
{
    Experiment experiment = tinyExperiment();
    experiment.training.logEvery = 10;
    experiment.training.evaluateEvery = 15;
    const EndedRun run(experiment);
    EXPECT_THAT(stepsWith(run.rows, "train/loss"), ElementsAre(10, 15, 20, 30));
    EXPECT_THAT(stepsWith(run.rows, "val/loss"), ElementsAre(15, 30));
}

TEST(Rows, TheFiguresOfAnEvaluationBelongTogether)
{
    Experiment experiment = tinyExperiment();
    experiment.training.evaluateWhole = true;
    const EndedRun run(experiment);
    ASSERT_THAT(stepsWith(run.rows, "final/loss"), ElementsAre(30));
    const auto& last = run.rows.back().values;
    for (const std::string prefix : {"val/", "final/"}) {
        EXPECT_DOUBLE_EQ(last.at(prefix + "bpc"), last.at(prefix + "loss") / std::numbers::ln2);
        EXPECT_DOUBLE_EQ(last.at(prefix + "ppl"), std::exp(last.at(prefix + "loss")));
        EXPECT_GT(last.at(prefix + "acc"), 0.05);
        EXPECT_LT(last.at(prefix + "acc"), 1);
    }
    EXPECT_NE(last.at("val/loss"), last.at("final/loss"));
}

TEST(Checkpoints, TheLastOneMayFollowWhenThereIsRoom)
{
    TestFolder folder;
    const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run"});
    ASSERT_TRUE(stepAndWait(*session, 1));
    const std::filesystem::path checkpoints = folder / "run/checkpoints";
    std::filesystem::remove_all(checkpoints);
    writeContent(checkpoints, "in the way");
    session->run();
    ASSERT_TRUE(session->finish(240));
    EXPECT_EQ(session->snapshot()->state, RunState::Finished);
    EXPECT_EQ(session->snapshot()->checkpointed, -1);
    EXPECT_FALSE(session->snapshot()->problems.empty());
    std::filesystem::remove(checkpoints);
    session->checkpoint();
    EXPECT_TRUE(waitUntil([&] { return session->snapshot()->checkpointed == 30; }));
    EXPECT_TRUE(std::filesystem::exists(checkpoints / "step-30/weights.safetensors"));
}

TEST(Checkpoints, TheBestStepHasOne)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 1000;
    experiment.training.checkpointEvery = 10;
    experiment.training.evaluateEvery = 7;
    experiment.training.patience = 6;
    experiment.training.schedule = ScheduleKind::Constant;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
    ASSERT_TRUE(stepAndWait(*session, 21));
    session->setLearningRate(1); // from here on it gets worse
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto last = session->snapshot();
    ASSERT_EQ(last->state, RunState::Finished) << last->failure;
    EXPECT_EQ(last->bestStep, 21);
    EXPECT_EQ(last->step, 21 + 6 * 7);
    const auto best = openTrainedRun(folder / "run", registry(), allBuilders(), {.checkpoint = "best"});
    ASSERT_TRUE(best) << best.error().text();
    EXPECT_EQ(best->checkpoint.step, 21);
    EXPECT_TRUE(buildTrained(*best, registry(), allBuilders()));
    const auto newest = openTrainedRun(folder / "run", registry(), allBuilders(), {});
    ASSERT_TRUE(newest);
    EXPECT_EQ(newest->checkpoint.step, 63);
}

/// The newest checkpoint of a run; every weight in it is finite.
std::int64_t finiteNewest(const std::string& run)
{
    const auto places = RunCheckpoints(run).all();
    if (places.empty())
        return -1;
    const auto weights = loadTensors((places.front().folder / "weights.safetensors").string());
    EXPECT_TRUE(weights);
    for (const auto& [name, tensor] : weights->tensors)
        EXPECT_TRUE(at::isfinite(tensor).all().item<bool>()) << name;
    return places.front().step;
}

void expectDiverged(const Snapshot& snapshot)
{
    EXPECT_EQ(snapshot.state, RunState::Failed);
    ASSERT_FALSE(snapshot.problems.empty());
    EXPECT_EQ(snapshot.problems.back().code, "not-finite");
    EXPECT_NE(snapshot.problems.back().node, 0u) << "a node is named";
    EXPECT_THAT(snapshot.failure, HasSubstr("the checkpoint of step 3 was kept"));
}

TEST(Checkpoints, NeverHoldWeightsThatAreNotFinite)
{
    for (const bool askedFor : {false, true}) { // a checkpoint right after the update that spoils the weights, or none
        TestFolder folder;
        Experiment experiment = tinyExperiment();
        experiment.training.evaluateEvery = 0;
        experiment.training.checkpointEvery = askedFor ? 1 : 3;
        const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        ASSERT_TRUE(stepAndWait(*session, 3));
        session->setLearningRate(1e300); // finite gradients, infinite updates
        session->run();
        ASSERT_TRUE(session->finish(240));
        expectDiverged(*session->snapshot());
        EXPECT_EQ(finiteNewest(folder / "run"), 3);
        const auto run = openTrainedRun(folder / "run", registry(), allBuilders(), {});
        ASSERT_TRUE(run);
        EXPECT_TRUE(buildTrained(*run, registry(), allBuilders()));
    }
}

TEST(Checkpoints, ARunWhoseLastUpdateSpoiltTheWeightsHasFailed)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 4;
    experiment.training.evaluateEvery = 0;
    experiment.training.checkpointEvery = 3;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
    ASSERT_TRUE(stepAndWait(*session, 3));
    session->setLearningRate(1e300);
    session->run();
    ASSERT_TRUE(session->finish(240));
    expectDiverged(*session->snapshot());
    EXPECT_EQ(finiteNewest(folder / "run"), 3);
}

std::atomic<int> evaluatedBatches = 0;

/// Counts the batches that are evaluated.
class Evaluated : public testing::DatasetOver {
public:
    using DatasetOver::DatasetOver;
    Batch trainingBatch(std::int64_t step, std::int64_t size, std::uint64_t seed) const override
    {
        return m_whole->trainingBatch(step, size, seed);
    }
    Batch evaluationBatch(Split split, std::int64_t index, std::int64_t size) const override
    {
        ++evaluatedBatches;
        return m_whole->evaluationBatch(split, index, size);
    }
};

Result<std::shared_ptr<const Dataset>> openCounting(const SourceSetup& setup)
{
    static const OpenSource open = allBuilders().source("text");
    auto data = open(setup);
    if (!data)
        return data;
    return std::make_shared<const Evaluated>(*data);
}

TEST(Stop, BreaksOffAnEvaluation)
{
    Experiment experiment = tinyExperiment("lstm", 400);
    experiment.training.batch = 1; // thousands of batches
    experiment.training.evaluateEvery = 1;
    experiment.training.evaluateBatches = 1'000'000;
    Builders builders = allBuilders();
    builders.addSource("text", openCounting);
    evaluatedBatches = 0;
    const auto session = startSession(experiment, allSpecs(), builders, {});
    session->run();
    ASSERT_TRUE(waitUntil([&] { return evaluatedBatches > 3; }));
    session->stop();
    ASSERT_TRUE(session->finish(240));
    EXPECT_EQ(session->snapshot()->state, RunState::Stopped);
    const auto rows = session->takeMetrics();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].values.count("val/loss"), 0u) << "half an evaluation is none";
}

} // namespace
} // namespace unroll
