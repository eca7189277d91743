// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_record.h"

#include "core/runs/run_folder.h"
#include "core/runs/run_summary.h"
#include "core/session/inspection.h"
#include "tests/support/short_runs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

namespace unroll {
namespace {

using testing::EndedRun;

TEST(RunRecord, HoldsWhatWasSeenOfTheRun)
{
    TestFolder folder;
    Experiment experiment = testing::tinyExperiment();
    experiment.training.sampleEvery = 10;
    experiment.training.sampleTokens = 5;
    const EndedRun run(experiment, {.runFolder = folder / "run"});
    const auto record = readRunRecord(folder / "run");
    ASSERT_TRUE(record) << record.error().text();
    EXPECT_EQ(record->experiment.graph, experiment.graph);
    ASSERT_EQ(record->rows.size(), run.rows.size());
    for (std::size_t i = 0; i < run.rows.size(); ++i)
        EXPECT_EQ(record->rows[i], run.rows[i]);
    const Snapshot& last = record->snapshot;
    EXPECT_EQ(last.state, RunState::Finished);
    EXPECT_EQ(last.step, run.last.step);
    EXPECT_EQ(last.steps, run.last.steps);
    EXPECT_EQ(last.device, run.last.device);
    EXPECT_EQ(last.runFolder, folder / "run");
    EXPECT_EQ(last.checkpointed, 30);
    EXPECT_EQ(last.bestStep, run.last.bestStep);
    EXPECT_EQ(last.bestValidationLoss, run.last.bestValidationLoss);
    EXPECT_EQ(last.entropyFloor, run.last.entropyFloor);
    EXPECT_EQ(last.entropyExpected, run.last.entropyExpected);
    ASSERT_EQ(last.samples.size(), run.last.samples.size());
    EXPECT_EQ(last.samples.back().text, run.last.samples.back().text);
    EXPECT_FALSE(readRunRecord(folder / "nowhere"));
}

TEST(RunRecord, OneWhoseProcessWasKilledIsNotStopped)
{
    TestFolder folder;
    {
        RunFolder run = RunFolder::create(folder / "run", testing::tinyExperiment(), {}).value();
        EXPECT_EQ(readRunRecord(folder / "run")->snapshot.state, RunState::Stopped) << "it goes on elsewhere";
    }
    const Snapshot last = readRunRecord(folder / "run")->snapshot;
    EXPECT_EQ(last.state, RunState::Interrupted);
    EXPECT_NE(last.failure.find("no checkpoint was saved"), std::string::npos) << last.failure;
}

/// What its loss is in, and what a token is of other measures.
TEST(RunRecord, SaysWhatItsFiguresAreIn)
{
    TestFolder folder;
    const auto measured = [&](const Experiment& experiment, const std::string& name) {
        const EndedRun run(experiment, {.runFolder = folder / name});
        EXPECT_EQ(readRunRecord(folder / name)->snapshot.measures, run.last.measures);
        EXPECT_EQ(readRunSummary(folder / name).measures, run.last.measures);
        EXPECT_EQ(readRunSummary(folder / name).seed, experiment.seed);
        EXPECT_EQ(readRunSummary(folder / name).learningRate, experiment.training.learningRate);
        return run.last.measures;
    };
    Experiment experiment = testing::tinyExperiment("lstm", 24);
    experiment.training.steps = 2;
    const BlockRegistry registry = allSpecs();
    DataCache cache(allBuilders());
    const CheckedGraph checked = checkExperiment(experiment, registry, cache);
    const Cost& cost = checked.cost;
    const RunMeasures of = measured(experiment, "characters");
    EXPECT_EQ(of.lossUnit, "nats/token");
    EXPECT_EQ(of.token, "character");
    EXPECT_EQ(of.parameters, cost.parameters);
    EXPECT_EQ(of.flopsAToken, cost.forwardFlops + cost.backwardFlops);
    EXPECT_GT(of.flopsAToken, 0);
    const CheckedNode& source = checked.nodes.at(checked.source);
    const auto data = cache.open(source.spec->id, source.params, "");
    ASSERT_TRUE(data);
    EXPECT_EQ(of.tokensAnEpoch, *(*data)->tokensIn(Split::Train));
    EXPECT_GT(of.tokensAnEpoch, 0);
}

/// Made again without end: there is no epoch to count.
TEST(RunRecord, ATaskWithoutEndHasNoEpochs)
{
    Experiment experiment = testing::tinyExperiment();
    experiment.graph = testing::makeGraph(
        {testing::makeNode(1, "copy", "copy"), testing::makeNode(2, "embedding", "embedding"),
         testing::makeNode(3, "lstm", "lstm", {{"units", std::int64_t{8}}}), testing::makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    experiment.training.steps = 2;
    const EndedRun run(experiment, {});
    EXPECT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    EXPECT_EQ(run.last.measures.tokensAnEpoch, 0);
    EXPECT_TRUE(run.last.measures.isTokenLoss());
    EXPECT_EQ(run.last.measures.token, "") << "a symbol of a task is no character of a text";
    EXPECT_FALSE(run.last.measures.isCharacterLoss());
}

/// Bits per character are only of characters and bytes; the loss in nats and its perplexity are of all.
TEST(RunRecord, BitsPerCharacterAreOfCharactersAndBytesOnly)
{
    const TestFolder folder;
    const std::filesystem::path file = folder / "text.txt"; // the bundled one is read as characters alone
    std::ofstream out(file);
    for (int line = 0; line < 500; ++line)
        out << "the quick brown fox and the slow red hen " << line % 7 << "\n";
    out.close();
    const auto checkUnit = [&](const std::string& unit, bool isCharacter) {
        SCOPED_TRACE(unit);
        Experiment experiment = testing::tinyExperiment();
        Node text = *experiment.graph.nodes.begin()->second;
        text.params["unit"] = unit;
        text.params["file"] = file.string();
        experiment.graph.nodes[text.id] = std::make_shared<const Node>(text);
        experiment.training.steps = 1;
        experiment.training.evaluateWhole = true;
        const EndedRun run(experiment, {.runFolder = folder / unit});
        ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
        EXPECT_EQ(run.last.measures.isCharacterLoss(), isCharacter);
        const auto& values = run.rows.back().values;
        EXPECT_EQ(values.count("val/bpc") + values.count("final/bpc"), isCharacter ? 2u : 0u);
        EXPECT_EQ(values.count("val/ppl") + values.count("final/ppl"), 2u);
        const auto opened = Inspection::open(folder / unit, testing::registry(), allBuilders(), {});
        ASSERT_TRUE(opened) << opened.error().text();
        const auto figures = (*opened)->evaluate(Split::Validation);
        ASSERT_TRUE(figures) << figures.error().text();
        ASSERT_TRUE(figures->bitsPerTarget);
        EXPECT_DOUBLE_EQ(*figures->bitsPerTarget, figures->loss / std::numbers::ln2);
        EXPECT_EQ(figures->bitsPerCharacter, isCharacter ? figures->bitsPerTarget : std::nullopt);
        EXPECT_TRUE(figures->perplexity);
    };
    checkUnit("characters", true);
    checkUnit("bytes", true);
    checkUnit("words", false);
}

TEST(RunRecord, OfARunOfManyRowsNeighboursAreMerged)
{
    TestFolder folder;
    {
        RunFolder run = RunFolder::create(folder / "run", testing::tinyExperiment(), {}).value();
        for (std::int64_t step = 1; step <= 100'000; ++step)
            run.append({step, step, 0, {{"train/loss", 1.0}}});
    }
    const auto rows = readRunRows(folder / "run");
    ASSERT_TRUE(rows);
    EXPECT_GT(rows->size(), 30'000u);
    EXPECT_LE(rows->size(), 65'536u);
    EXPECT_EQ(rows->back().step, 100'000);
}

TEST(RunStatus, ASessionSaysWhatBecomesOfItsRun)
{
    TestFolder folder;
    {
        const auto session =
            startSession(testing::tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        ASSERT_TRUE(testing::stepAndWait(*session, 3));
        EXPECT_EQ(readRunSummary(folder / "run").state, RunState::Running) << "also while it rests";
    }
    EXPECT_EQ(readRunSummary(folder / "run").state, RunState::Stopped);
    EXPECT_EQ(readRunSummary(folder / "run").checkpoint, 3);
    const EndedRun on(testing::tinyExperiment(), {.runFolder = folder / "run", .resume = true});
    EXPECT_EQ(readRunSummary(folder / "run").state, RunState::Finished);
    Experiment wild = testing::tinyExperiment();
    wild.training.learningRate = 1e30;
    wild.training.warmup = 0;
    wild.training.clip = 0;
    wild.training.optimizer = "sgd";
    const EndedRun lost(wild, {.runFolder = folder / "lost"});
    ASSERT_EQ(lost.last.state, RunState::Failed);
    ASSERT_TRUE(
        saveExperiment(testing::tinyExperiment(), folder / "lost/experiment.unroll")); // no file may hold such a rate
    EXPECT_EQ(readRunSummary(folder / "lost").state, RunState::Failed);
    EXPECT_EQ(readRunSummary(folder / "lost").failure, lost.last.failure);
}

TEST(RunStatus, AFolderThatWasRenamedIsWrittenWhereItIs)
{
    TestFolder folder;
    const auto session =
        startSession(testing::tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "old"});
    ASSERT_TRUE(testing::stepAndWait(*session, 2));
    std::filesystem::rename(folder / "old", folder / "new");
    session->folderMoved(folder / "new");
    ASSERT_TRUE(testing::stepAndWait(*session, 2));
    session->stop();
    ASSERT_TRUE(session->finish(240));
    EXPECT_EQ(session->snapshot()->runFolder, folder / "new");
    EXPECT_TRUE(session->snapshot()->problems.empty());
    EXPECT_FALSE(std::filesystem::exists(folder / "old"));
    EXPECT_EQ(readRunSummary(folder / "new").checkpoint, 4);
    EXPECT_EQ(readRunRows(folder / "new")->size(), 4u);
}

} // namespace
} // namespace unroll
