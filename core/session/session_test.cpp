// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/session.h"

#include "core/block/registry.h"
#include "core/model/builders.h"
#include "core/session/mailbox.h"
#include "core/train/tensor_file.h"
#include "tests/support/short_runs.h"

#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

namespace unroll {
namespace {

using testing::lookIn;
using testing::losses;
using testing::statesOf;
using testing::tinyExperiment;
using testing::trainAll;
using testing::waitUntil;

TEST(Session, TrainsToTheEndAndReportsEveryStep)
{
    const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {});
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto snapshot = session->snapshot();
    EXPECT_EQ(snapshot->state, RunState::Finished) << snapshot->failure;
    EXPECT_EQ(snapshot->step, 30);
    const auto rows = session->takeMetrics();
    ASSERT_EQ(rows.size(), 30u);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].step, static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(rows[i].tokens, static_cast<std::int64_t>(i + 1) * 4 * 16);
        EXPECT_EQ(rows[i].values.count("val/loss"), (i + 1) % 10 == 0 ? 1u : 0u) << "step " << i + 1;
    }
    EXPECT_LT(rows.back().values.at("train/loss"), rows.front().values.at("train/loss"));
    EXPECT_GT(snapshot->entropyFloor.value_or(0), 0.1);
}

TEST(Session, SameSeedSameLosses)
{
    const auto once = trainAll(tinyExperiment());
    const auto again = trainAll(tinyExperiment());
    EXPECT_EQ(once, again);
    Experiment other = tinyExperiment();
    other.seed = 2;
    EXPECT_NE(once, trainAll(other));
}

TEST(Session, WatchingChangesNoNumber)
{
    const auto unseen = trainAll(tinyExperiment());
    EXPECT_EQ(unseen, trainAll(tinyExperiment(), {}, {{"lstm", "c"}, {"lstm", "f"}}));
}

TEST(Session, StopAndResumeGiveTheSameLossesBitForBit)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    const Graph& graph = experiment.graph;
    experiment.graph =
        edits::sequence("dropout", {edits::insertOnWire(testing::makeNode(0, "dropout", "dropout", {{"rate", 0.3}}),
                                                        {{3, "y"}, {4, "x"}}, "x", "y")})
            .apply(graph)
            .value();
    const auto whole = trainAll(experiment);
    std::vector<double> parts;
    {
        const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        session->step(13);
        ASSERT_TRUE(waitUntil(
            [&] { return session->snapshot()->state == RunState::Paused && session->snapshot()->step == 13; }));
        parts = losses(session->takeMetrics());
    } // closing stops and checkpoints
    SessionOptions options{.runFolder = folder / "run", .resume = true};
    const auto rest = trainAll(experiment, options);
    parts.insert(parts.end(), rest.begin(), rest.end());
    EXPECT_EQ(parts, whole);
}

TEST(Session, PausesStepsAndGoesOn)
{
    const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {});
    session->step(3);
    ASSERT_TRUE(
        waitUntil([&] { return session->snapshot()->state == RunState::Paused && session->snapshot()->step == 3; }));
    session->keepWeights(); // once that is answered, whatever came before it is done
    ASSERT_TRUE(waitUntil([&] { return session->snapshot()->keptWeights != nullptr; }));
    EXPECT_EQ(session->snapshot()->step, 3);
    session->run();
    ASSERT_TRUE(session->finish(240));
    EXPECT_EQ(session->takeMetrics().size(), 30u);
}

TEST(Session, WatchedSignalsArriveWithTheirCharacters)
{
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 200;
    experiment.training.evaluateEvery = 0;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    session->ask(statesOf({{"lstm", "c"}, {"lstm", "f"}}));
    session->run();
    ASSERT_TRUE(waitUntil([&] { return lookIn(*session->snapshot()) && lookIn(*session->snapshot())->step > 0; }));
    const auto probe = lookIn(*session->snapshot());
    ASSERT_EQ(probe->signalFrames.size(), 2u);
    for (const SignalFrame& frame : probe->signalFrames) {
        EXPECT_EQ(frame.width, 24);
        EXPECT_EQ(frame.steps, static_cast<std::int64_t>(probe->characters.size()));
        EXPECT_EQ(frame.values.size(), static_cast<std::size_t>(frame.width * frame.steps));
    }
    const auto& gate = probe->signalFrames[0].signal == "f" ? probe->signalFrames[0] : probe->signalFrames[1];
    EXPECT_EQ(gate.look, SignalKind::Gate);
    for (float value : gate.values)
        EXPECT_TRUE(value >= 0 && value <= 1);
}

TEST(Session, WatchedMatricesArriveWithTheirRows)
{
    Experiment experiment = tinyExperiment("mru");
    experiment.training.steps = 1;
    const testing::EndedRun run(experiment, {}, {{"mru", "H"}});
    ASSERT_TRUE(lookIn(run.last));
    const SignalFrame frame = lookIn(run.last)->signalFrames.at(0);
    EXPECT_EQ(frame.look, SignalKind::Matrix);
    EXPECT_EQ(frame.rows, 8);
    EXPECT_EQ(frame.columns, 8);
    EXPECT_EQ(frame.width, 2 * 8 * 8);
    EXPECT_NEAR(frame.values[0], 1, 0.1) << "as good as the identity";
}

TEST(Session, MatricesNeedNotBeSquare)
{
    Experiment experiment = tinyExperiment("mamba");
    experiment.graph.addNode(testing::makeNode(3, "mamba", "mamba"));
    experiment.training.steps = 1;
    const testing::EndedRun run(experiment, {}, {{"mamba", "h"}});
    ASSERT_TRUE(lookIn(run.last));
    const SignalFrame frame = lookIn(run.last)->signalFrames.at(0);
    EXPECT_EQ(frame.look, SignalKind::Matrix);
    EXPECT_EQ(frame.columns, 16);
    EXPECT_EQ(frame.width, frame.rows * frame.columns);
    EXPECT_EQ(matrixCount(frame), 1);
}

TEST(Session, AProbeTextThatIsNotTakenIsNoted)
{
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 1;
    experiment.probeText = "caf\u00e9";
    EXPECT_TRUE(testing::EndedRun(experiment).told("the start of validation is read"));
    experiment.probeText = "cat";
    EXPECT_FALSE(testing::EndedRun(experiment).told("the probe text"));
}

TEST(Session, AnEndedRunCanBeAsked)
{
    for (const bool stopped : {false, true}) {
        const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {});
        ASSERT_TRUE(testing::stepAndWait(*session, 3));
        session->ask(statesOf({{"lstm", "c"}}));
        stopped ? session->stop() : session->run();
        ASSERT_TRUE(session->finish(240));
        const std::int64_t last = stopped ? 3 : 30;
        EXPECT_TRUE(waitUntil([&] {
            const auto snapshot = session->snapshot();
            return lookIn(*snapshot) && lookIn(*snapshot)->step == last;
        })) << "the trained model is looked at";
        session->ask(statesOf({{"lstm", "f"}}));
        session->sample("a", 5, {.temperature = 0.8}, 1);
        EXPECT_TRUE(waitUntil([&] { return !session->snapshot()->samples.empty(); }));
        EXPECT_EQ(lookIn(*session->snapshot())->signalFrames[0].signal, "f");
        EXPECT_EQ(session->snapshot()->state, stopped ? RunState::Stopped : RunState::Finished);
    }
}

TEST(Session, ABadNumberEndsTheRunNamesTheNodeAndSparesTheWeights)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.optimizer = "sgd";
    experiment.training.learningRate = 1e38;
    experiment.training.clip = 0;
    experiment.training.warmup = 0;
    experiment.training.evaluateEvery = 0;
    experiment.training.checkpointEvery = 1;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto snapshot = session->snapshot();
    EXPECT_EQ(snapshot->state, RunState::Failed);
    ASSERT_FALSE(snapshot->problems.empty());
    EXPECT_EQ(snapshot->problems.back().code, "not-finite");
    EXPECT_FALSE(snapshot->problems.back().nodeName.empty());
    EXPECT_NE(snapshot->problems.back().node, 0u);
    const auto rows = session->takeMetrics();
    ASSERT_FALSE(rows.empty());
    EXPECT_TRUE(std::isnan(rows.back().values.at("train/loss")));
}

TEST(Session, TheFirstNodeWithABadNumberIsNamed)
{
    TestFolder folder;
    const at::Tensor weight = at::zeros({4 * 24, 12});
    weight.select(0, 5).fill_(std::nan(""));
    ASSERT_TRUE(saveTensors(folder / "bad.safetensors", {{"lstm.weight_ih_l0", weight}}));
    const auto session =
        startSession(tinyExperiment(), allSpecs(), allBuilders(), {.initialWeights = folder / "bad.safetensors"});
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto snapshot = session->snapshot();
    EXPECT_EQ(snapshot->state, RunState::Failed);
    ASSERT_FALSE(snapshot->problems.empty());
    EXPECT_EQ(snapshot->problems.back().nodeName, "lstm");
    EXPECT_EQ(snapshot->problems.back().node, 3u);
    EXPECT_EQ(snapshot->failure.rfind("NaN in lstm (weight weight_ih_l0) before step 1, initial weights", 0), 0u)
        << snapshot->failure;
}

TEST(Session, AGraphWithMistakesFailsWithThem)
{
    Experiment experiment = tinyExperiment("lstm", 0);
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto snapshot = session->snapshot();
    EXPECT_EQ(snapshot->state, RunState::Failed);
    ASSERT_TRUE(hasErrors(snapshot->problems));
    EXPECT_EQ(snapshot->problems.front().nodeName, "lstm");
    EXPECT_EQ(snapshot->problems.front().where, "units");
}

TEST(Session, MissingDataFailsWithTheFile)
{
    Experiment experiment = tinyExperiment();
    experiment.graph = edits::setParam(1, "file", std::string("no-such-file.txt")).apply(experiment.graph).value();
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    ASSERT_TRUE(session->finish(240));
    EXPECT_NE(session->snapshot()->failure.find("no-such-file.txt"), std::string::npos) << session->snapshot()->failure;
}

TEST(Session, TheLearningRateChangesWhileRunning)
{
    Experiment experiment = tinyExperiment();
    experiment.training.schedule = ScheduleKind::Constant;
    experiment.training.warmup = 0;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    session->step(2);
    ASSERT_TRUE(
        waitUntil([&] { return session->snapshot()->state == RunState::Paused && session->snapshot()->step == 2; }));
    session->setLearningRate(1e-4);
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto rows = session->takeMetrics();
    EXPECT_DOUBLE_EQ(rows[1].values.at("optim/lr"), 5e-3);
    EXPECT_DOUBLE_EQ(rows[2].values.at("optim/lr"), 1e-4);
}

TEST(Session, PatienceStopsEarly)
{
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 1000;
    experiment.training.learningRate = 0; // nothing ever gets better
    experiment.training.evaluateEvery = 2;
    experiment.training.patience = 3;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    session->run();
    ASSERT_TRUE(session->finish(240));
    EXPECT_EQ(session->snapshot()->state, RunState::Finished);
    EXPECT_EQ(session->snapshot()->step, 8); // the first evaluation is the best, three more follow
}

TEST(Session, SamplesGoOnFromThePromptAndDrawNothingFromTraining)
{
    Experiment experiment = tinyExperiment();
    const auto quiet = trainAll(experiment);
    experiment.training.sampleEvery = 7;
    experiment.training.sampleTokens = 20;
    experiment.training.samplePrompt = "The ";
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    session->run();
    ASSERT_TRUE(session->finish(240));
    EXPECT_EQ(losses(session->takeMetrics()), quiet);
    const auto samples = session->snapshot()->samples;
    ASSERT_EQ(samples.size(), 4u);
    EXPECT_EQ(samples.back().step, 28);
    EXPECT_EQ(samples.back().text.substr(0, 4), "The ");
    EXPECT_GE(samples.back().text.size(), 24u);
}

/// Start, train, close, at every moment: nothing hangs, nothing leaks (run under ASan), a checkpoint is left.
TEST(Session, StartTrainCloseManyTimes)
{
    const int rounds = std::getenv("UNROLL_TEST_ALL") != nullptr ? 50 : 12;
    for (int round = 0; round < rounds; ++round) {
        TestFolder folder;
        Experiment experiment = tinyExperiment();
        experiment.training.steps = 100000;
        {
            const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
            session->ask(statesOf({{"lstm", "c"}}));
            session->run();
            std::this_thread::sleep_for(std::chrono::milliseconds(10 * (round % 12)));
        }
        if (!std::filesystem::exists(folder / "run"))
            continue; // closed before anything was built
        bool whole = false;
        for (const auto& entry : std::filesystem::directory_iterator(folder / "run/checkpoints"))
            whole = whole || std::filesystem::exists(entry.path() / "progress.json");
        EXPECT_TRUE(whole) << "round " << round;
    }
}

std::ptrdiff_t threadsOfThisProcess()
{
    const std::filesystem::directory_iterator all("/proc/self/task");
    return std::distance(begin(all), end(all));
}

/// Idle threads of a run that rests would slow another one. torch's own pool sleeps and stays.
TEST(Session, ARunThatRestsEndsItsParallelThreads)
{
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 100000;
    experiment.training.threads = 3;
    experiment.training.batch = 64;
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {});
    session->run();
    ASSERT_TRUE(waitUntil([&] { return session->snapshot()->step > 5; }));
    const auto running = threadsOfThisProcess();
    session->pause();
    EXPECT_TRUE(waitUntil([&] { return threadsOfThisProcess() == running - 2; })) << threadsOfThisProcess();
    session->step(2);
    EXPECT_TRUE(waitUntil([&] { return session->snapshot()->step > 6; }));
}

TEST(MetricQueue, MergesNeighboursWhenNobodyTakes)
{
    MetricQueue queue(8);
    for (std::int64_t step = 1; step <= 1000; ++step)
        queue.push({step, step, 0, {{"train/loss", static_cast<double>(step)}, {step == 100 ? "val/loss" : "x", 1.0}}});
    const auto rows = queue.take();
    EXPECT_LE(rows.size(), 8u);
    EXPECT_EQ(rows.back().step, 1000);
    bool kept = false;
    for (const MetricRow& row : rows)
        kept = kept || row.values.count("val/loss") > 0;
    EXPECT_TRUE(kept) << "a rare metric survives merging";
    EXPECT_TRUE(queue.take().empty());
}

} // namespace
} // namespace unroll
