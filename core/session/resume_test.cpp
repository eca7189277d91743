// SPDX-License-Identifier: GPL-3.0-or-later
// What a run that goes on takes over, and what it does when that cannot be.
#include "core/session/session.h"

#include "core/runs/run_folder.h"
#include "core/session/runner.h"
#include "core/train/checkpoint.h"
#include "core/train/tensor_file.h"
#include "core/train/trained_run.h"
#include "tests/support/short_runs.h"

#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace unroll {
namespace {

using testing::EndedRun;
using testing::losses;
using testing::registry;
using testing::stepAndWait;
using testing::tinyExperiment;
using testing::waitUntil;

/// A run of `steps` updates that was closed then.
void begin(const Experiment& experiment, const std::string& folder, std::int64_t steps)
{
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder});
    ASSERT_TRUE(stepAndWait(*session, steps));
    ASSERT_EQ(session->snapshot()->state, RunState::Paused) << session->snapshot()->failure;
}

EndedRun goOn(const Experiment& experiment, const std::string& folder)
{
    return EndedRun(experiment, {.runFolder = folder, .resume = true});
}

std::string readText(const std::string& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void writeText(const std::string& path, const std::string& text)
{
    std::ofstream(path) << text;
}

void replaceDropout(const std::string& checkpoint, const at::Tensor& state)
{
    const std::string path = checkpoint + "/carried.safetensors";
    auto file = loadTensors(path);
    ASSERT_TRUE(file);
    file->tensors["generator.dropout"] = state;
    ASSERT_TRUE(saveTensors(path, {file->tensors.begin(), file->tensors.end()}));
}

Experiment withCheckpoints(std::int64_t every)
{
    Experiment experiment = tinyExperiment();
    experiment.training.evaluateEvery = 0;
    experiment.training.checkpointEvery = every;
    return experiment;
}

/// The rows of metrics.csv without its head.
std::vector<std::string> csvRows(const std::string& run)
{
    std::ifstream file(run + "/metrics.csv");
    std::vector<std::string> rows;
    std::string line;
    for (std::getline(file, line); std::getline(file, line);)
        rows.push_back(line);
    return rows;
}

/// At its end on the whole validation split, which is short.
Experiment evaluatedWhole()
{
    Experiment experiment = tinyExperiment();
    const NodeId text = experiment.graph.findByName("text")->id;
    experiment.graph = edits::setParam(text, "validation_fraction", 0.01).apply(experiment.graph).value();
    experiment.training.evaluateWhole = true;
    return experiment;
}

/// Trained to the last step, but told to hurry before the evaluation that closes the run.
void breakOffTheEnd(const Experiment& experiment, const std::string& folder)
{
    MetricQueue metrics;
    SnapshotBox box;
    std::stop_source hurry, end;
    const BlockRegistry blocks = allSpecs();
    Runner runner(experiment, blocks, allBuilders(), {.runFolder = folder}, metrics, box,
                  {hurry.get_token(), end.get_token()});
    runner.build();
    runner.loop().run(hurry.get_token());
    for (std::int64_t step = 0; step < experiment.training.steps; ++step) {
        if (step == experiment.training.steps - 1)
            hurry.request_stop();
        runner.advance();
    }
    ASSERT_TRUE(runner.wantsWork());
    runner.loop().stop();
    ASSERT_EQ(box.newest()->state, RunState::Stopped);
    ASSERT_EQ(box.newest()->checkpointed, experiment.training.steps);
}

TEST(Resume, TheClosingEvaluationIsMadeUpFor)
{
    TestFolder folder;
    Experiment experiment = evaluatedWhole();
    breakOffTheEnd(experiment, folder / "run");
    EXPECT_EQ(csvRows(folder / "run").size(), 30u);
    const EndedRun unbroken(experiment);
    const EndedRun run = goOn(experiment, folder / "run");
    EXPECT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    EXPECT_EQ(run.last.checkpointed, 30);
    ASSERT_EQ(run.rows.size(), 1u);
    EXPECT_EQ(run.rows[0].step, 30);
    for (const char* metric : {"train/loss", "val/loss", "final/loss", "optim/grad_norm"})
        EXPECT_EQ(run.rows[0].values.at(metric), unbroken.rows.back().values.at(metric)) << metric;
    const auto rows = csvRows(folder / "run");
    ASSERT_EQ(rows.size(), 30u) << "one row a step";
    EXPECT_TRUE(rows.back().starts_with("30,"));
    EXPECT_TRUE(goOn(experiment, folder / "run").rows.empty()) << "done once";
}

TEST(Resume, MoreStepsNeedNoClosingEvaluationBefore)
{
    TestFolder folder;
    Experiment experiment = evaluatedWhole();
    breakOffTheEnd(experiment, folder / "run");
    experiment.training.steps = 32;
    const EndedRun run = goOn(experiment, folder / "run");
    ASSERT_EQ(run.rows.size(), 2u);
    EXPECT_EQ(run.rows[0].step, 31);
    EXPECT_EQ(run.rows[1].values.count("final/loss"), 1u);
    EXPECT_EQ(csvRows(folder / "run").size(), 32u);
}

/// What the run would have gone on with, what it goes on with, and that it says so.
TEST(Resume, MoreStepsDoNotLetTheLearningRateJump)
{
    TestFolder folder;
    Experiment experiment = withCheckpoints(0);
    begin(experiment, folder / "run", 15);
    const auto planned = EndedRun(experiment).rows;
    const auto rateOf = [](const MetricRow& row) { return row.values.at("optim/lr"); };
    experiment.training.steps = 45;
    const auto copy = [&](const char* name) {
        std::filesystem::copy(folder / "run", folder / name, std::filesystem::copy_options::recursive);
        return (folder / name).string();
    };
    const EndedRun kept = goOn(experiment, copy("kept"));
    ASSERT_EQ(kept.rows.size(), 30u);
    for (std::size_t i = 0; i < 15; ++i)
        EXPECT_EQ(rateOf(kept.rows[i]), rateOf(planned[15 + i])) << "as it was planned";
    EXPECT_NEAR(rateOf(kept.rows.back()), experiment.training.finalLearningRate, 1e-12);
    EXPECT_TRUE(kept.told("the learning rate continues from 0.00")) << "and stays there";
    EXPECT_TRUE(
        kept.told("at step 30 and stays there to step 45 (schedule_on_resume: keep; choices: keep, stretch, restart)"));
    const EndedRun stretched(experiment,
                             {.runFolder = copy("stretched"), .resume = true, .schedule = Continuation::Stretch});
    EXPECT_EQ(rateOf(stretched.rows.front()), rateOf(planned[15]));
    EXPECT_GT(rateOf(stretched.rows[14]), rateOf(planned[29]));
    EXPECT_NEAR(rateOf(stretched.rows.back()), experiment.training.finalLearningRate, 3e-5);
    experiment.training.continuation = Continuation::Restart;
    const EndedRun restarted = goOn(experiment, copy("restarted"));
    EXPECT_DOUBLE_EQ(rateOf(restarted.rows.front()), 1e-3) << "a fifth of the peak, the first update of its warm-up";
    EXPECT_DOUBLE_EQ(rateOf(restarted.rows[4]), 5e-3);
    EXPECT_TRUE(restarted.told("it would have been"));
}

/// The plan is remembered: the second resumption changes nothing.
TEST(Resume, AScheduleThatWasStretchedStaysSo)
{
    TestFolder folder;
    Experiment experiment = withCheckpoints(0);
    begin(experiment, folder / "run", 15);
    experiment.training.steps = 45;
    experiment.training.continuation = Continuation::Stretch;
    std::filesystem::copy(folder / "run", folder / "whole", std::filesystem::copy_options::recursive);
    const EndedRun whole = goOn(experiment, folder / "whole");
    {
        const auto session =
            startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run", .resume = true});
        session->step(12);
        ASSERT_TRUE(waitUntil([&] { return session->snapshot()->step == 27; }));
    }
    const EndedRun rest = goOn(experiment, folder / "run");
    ASSERT_EQ(rest.rows.size(), 18u);
    const auto all = losses(whole.rows);
    EXPECT_EQ(losses(rest.rows), std::vector<double>(all.end() - 18, all.end()));
    EXPECT_FALSE(rest.told("schedule_on_resume"));
}

/// Checkpoints of earlier versions say nothing of their schedule.
TEST(Resume, AnOldCheckpointsScheduleIsThatOfItsSteps)
{
    TestFolder folder;
    const Experiment experiment = withCheckpoints(0);
    begin(experiment, folder / "run", 15);
    const std::string path = folder / "run/checkpoints/step-15/progress.json";
    const auto json = readJson(readText(path), path);
    ASSERT_TRUE(json);
    Json old{JsonObject{}};
    for (const JsonMember& member : *json->asObject())
        if (!member.key.starts_with("schedule_"))
            old.add(member.key, member.value);
    writeText(path, writeJson(old));
    const auto all = losses(EndedRun(experiment).rows);
    EXPECT_EQ(losses(goOn(experiment, folder / "run").rows), std::vector<double>(all.end() - 15, all.end()));
}

TEST(Resume, ACheckpointOfAnotherKindOfDeviceIsTaken)
{
    TestFolder folder;
    const Experiment experiment = tinyExperiment();
    begin(experiment, folder / "run", 13);
    replaceDropout(folder / "run/checkpoints/step-13", at::zeros({16}, at::kByte)); // as a GPU's generator has it
    std::filesystem::copy(folder / "run", folder / "again", std::filesystem::copy_options::recursive);
    const EndedRun run = goOn(experiment, folder / "run");
    EXPECT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    ASSERT_EQ(run.rows.size(), 17u);
    EXPECT_EQ(run.rows.front().step, 14);
    EXPECT_TRUE(run.told("another device type"));
    EXPECT_NE(readText(folder / "run/log.txt").find("another device type"), std::string::npos);
    EXPECT_EQ(losses(run.rows), losses(goOn(experiment, folder / "again").rows));
}

TEST(Resume, ADamagedGeneratorChangesNothingAndTheOlderCheckpointIsTaken)
{
    TestFolder folder;
    const Experiment experiment = withCheckpoints(5);
    const auto whole = testing::trainAll(experiment);
    begin(experiment, folder / "run", 10);
    auto file = loadTensors(folder / "run/checkpoints/step-10/carried.safetensors");
    ASSERT_TRUE(file);
    replaceDropout(folder / "run/checkpoints/step-10", at::full_like(file->tensors.at("generator.dropout"), 255));
    const EndedRun run = goOn(experiment, folder / "run");
    EXPECT_TRUE(run.told("step-10/carried.safetensors"));
    EXPECT_EQ(losses(run.rows), std::vector<double>(whole.begin() + 5, whole.end()));
}

TEST(Resume, ProgressIsNotTrusted)
{
    TestFolder folder;
    const Experiment experiment = withCheckpoints(5);
    begin(experiment, folder / "run", 10);
    const std::string path = folder / "run/checkpoints/step-10/progress.json";
    const std::string good = readText(path);
    auto json = readJson(good, path);
    ASSERT_TRUE(json);
    for (const JsonMember& member : *json->asObject()) {
        Json damaged{JsonObject{}};
        for (const JsonMember& each : *json->asObject())
            damaged.add(each.key, each.key == member.key ? Json(-1) : each.value);
        writeText(path, writeJson(damaged));
        testing::BuiltRun run(experiment);
        const at::Tensor before = run.weight("head.weight").detach().clone();
        auto read = readCheckpoint(folder / "run/checkpoints/step-10", 5e-3, *run.model, *run.trainer);
        ASSERT_FALSE(read) << member.key;
        EXPECT_NE(read.error().message.find(member.key), std::string::npos) << read.error().text();
        EXPECT_TRUE(run.weight("head.weight").equal(before));
    }
    writeText(path, "{\"step\": 10}");
    EXPECT_EQ(goOn(experiment, folder / "run").rows.front().step, 6) << "the checkpoint before it";
}

TEST(Resume, AnotherLearningRateReplacesThePeak)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.schedule = ScheduleKind::Constant;
    experiment.training.warmup = 0;
    {
        const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        ASSERT_TRUE(stepAndWait(*session, 3));
        session->setLearningRate(2e-3);
        ASSERT_TRUE(stepAndWait(*session, 2));
    }
    std::filesystem::copy(folder / "run", folder / "other", std::filesystem::copy_options::recursive);
    EXPECT_DOUBLE_EQ(goOn(experiment, folder / "run").rows.front().values.at("optim/lr"), 2e-3) << "as it was set";
    experiment.training.learningRate = 1e-3;
    const EndedRun run = goOn(experiment, folder / "other");
    EXPECT_DOUBLE_EQ(run.rows.front().values.at("optim/lr"), 1e-3);
    EXPECT_TRUE(run.told("training.learning_rate: 0.005 before, 0.001 from now on"));
    const auto written = RunFolder::open(folder / "other");
    ASSERT_TRUE(written);
    EXPECT_EQ(written->experiment().training.learningRate, 1e-3);
}

TEST(Resume, AnotherBatchSizeStartsTheStatesFromZero)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    begin(experiment, folder / "run", 5);
    experiment.training.batch = 7;
    experiment.training.steps = 12;
    const EndedRun run = goOn(experiment, folder / "run");
    EXPECT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    EXPECT_EQ(run.rows.back().step, 12);
    EXPECT_TRUE(run.told("start from zero"));
    const auto written = RunFolder::open(folder / "run");
    ASSERT_TRUE(written);
    EXPECT_EQ(written->experiment().training.batch, 7);
    EXPECT_EQ(written->experiment().training.steps, 12);
    EXPECT_FALSE(goOn(experiment, folder / "run").told("start from zero")) << "now they are of its own streams";
}

std::string someText(const std::string& words, int times)
{
    std::string text;
    for (int i = 0; i < times; ++i)
        text += words + (i % 3 == 0 ? "\n" : " ");
    return text;
}

Experiment onText(const std::string& path)
{
    Experiment experiment = tinyExperiment();
    experiment.graph = edits::setParam(1, "file", path).apply(experiment.graph).value();
    experiment.training.steps = 8;
    return experiment;
}

TEST(Resume, DataOfAnotherAlphabetIsRefusedAndOtherDataNoted)
{
    TestFolder folder;
    writeText(folder / "data.txt", someText("the cat sat", 300));
    const Experiment experiment = onText(folder / "data.txt");
    begin(experiment, folder / "run", 3);
    writeText(folder / "data.txt", someText("the dog sat", 300));
    const EndedRun refused = goOn(experiment, folder / "run");
    EXPECT_EQ(refused.last.state, RunState::Failed);
    EXPECT_NE(refused.last.failure.find("'d'"), std::string::npos) << refused.last.failure;
    EXPECT_NE(refused.last.failure.find("alphabet"), std::string::npos) << refused.last.failure;
    writeText(folder / "data.txt", someText("eat the hat", 300)); // fewer characters, all of them known
    const EndedRun other = goOn(experiment, folder / "run");
    EXPECT_EQ(other.last.state, RunState::Finished) << other.last.failure;
    EXPECT_TRUE(other.told("the data has changed"));
    EXPECT_TRUE(other.told("start from zero"));
}

TEST(TrainedRun, ATextThatLacksSomeCharactersIsReadWithTheRunsAlphabet)
{
    TestFolder folder;
    writeText(folder / "data.txt", someText("the cat sat", 300));
    begin(onText(folder / "data.txt"), folder / "run", 2);
    writeText(folder / "fewer.txt", someText("eat the hat", 300));
    const auto run = openTrainedRun(folder / "run", registry(), allBuilders(), {.dataPath = folder / "fewer.txt"});
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(run->data->classes(), run->folder.environment().classes);
    EXPECT_EQ(run->data->decode(run->data->encode("cat").value()), "cat") << "c is not in the new text";
    writeText(folder / "strange.txt", someText("the dog\xC3\xA9 sat", 300));
    const auto strange =
        openTrainedRun(folder / "run", registry(), allBuilders(), {.dataPath = folder / "strange.txt"});
    ASSERT_FALSE(strange);
    for (const char* words : {"'d'", "'o'", "'g'", "U+00E9", "strange.txt"})
        EXPECT_NE(strange.error().text().find(words), std::string::npos) << strange.error().text();
}

TEST(InitialWeights, TheReportIsInTheLogAndNothingTakenIsAnError)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 2;
    const at::Tensor bias = at::full({4 * 24}, 0.5, at::kHalf);
    ASSERT_TRUE(saveTensors(folder / "some.safetensors", {{"lstm.bias_hh_l0", bias}, {"other", bias}}));
    const EndedRun run(experiment, {.runFolder = folder / "run", .initialWeights = folder / "some.safetensors"});
    EXPECT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    const std::string log = readText(folder / "run/log.txt");
    EXPECT_NE(log.find("1 loaded"), std::string::npos) << log;
    EXPECT_NE(log.find("not in the model: other"), std::string::npos) << log;
    ASSERT_TRUE(saveTensors(folder / "none.safetensors", {{"other", bias}}));
    const EndedRun none(experiment, {.runFolder = folder / "none", .initialWeights = folder / "none.safetensors"});
    EXPECT_EQ(none.last.state, RunState::Failed);
    EXPECT_NE(none.last.failure.find("none.safetensors"), std::string::npos) << none.last.failure;
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

} // namespace
} // namespace unroll
