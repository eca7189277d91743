// SPDX-License-Identifier: GPL-3.0-or-later
// A mean of nothing is not a number: data whose targets are missing here and there, in a part, or everywhere.
#include "core/session/inspection.h"
#include "core/session/session.h"

#include "core/runs/run_summary.h"
#include "tests/support/short_runs.h"

#include <ATen/ops/equal.h>

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::BuiltRun;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::EndedRun;
using ::testing::HasSubstr;
using testing::makeGraph;
using testing::makeNode;
using ::testing::Not;
using testing::registry;

constexpr std::int64_t kRows = 300, kTrained = 240, kSteps = 10;

/// Column y is there in the rows (counted from 0) that `asked` says.
void writeTable(const std::filesystem::path& path, const std::function<bool(std::int64_t)>& asked)
{
    std::string text = "a,y\n";
    for (std::int64_t row = 0; row < kRows; ++row) {
        const double a = std::sin(static_cast<double>(row) / 5);
        text += fmt::format("{:.4f},{}\n", a, asked(row) ? fmt::format("{:.4f}", a / 2 + 1) : "");
    }
    writeContent(path, text);
}

/// Two streams of `kSteps`: twelve batches are an epoch, the first batch reads rows 0..9 and 120..129.
Experiment experimentOn(const std::filesystem::path& table, std::int64_t steps = 12, const std::string& head = "mse")
{
    Experiment experiment;
    experiment.graph = makeGraph({makeNode(1, "series", "series",
                                           {{"file", table.string()},
                                            {"input_columns", std::string("a")},
                                            {"target_columns", std::string("y")},
                                            {"horizon", std::int64_t{0}},
                                            {"order", std::string("streams")},
                                            {"steps", kSteps}}),
                                  makeNode(2, "lstm", "lstm", {{"units", std::int64_t{4}}}), makeNode(3, head, "head")},
                                 {{{1, "features"}, {2, "x"}}, {{2, "y"}, {3, "x"}}, {{1, "targets"}, {3, "targets"}}});
    experiment.training.steps = steps;
    experiment.training.batch = 2;
    experiment.training.warmup = 0;
    experiment.training.evaluateEvery = 2;
    experiment.training.evaluateBatches = 1;
    experiment.training.sampleEvery = 0;
    experiment.training.checkpointEvery = 0;
    experiment.training.threads = 1;
    experiment.training.device = "cpu";
    return experiment;
}

/// What the check says of an experiment: "severity code at node: sentence".
std::vector<std::string> saidOf(const Experiment& experiment)
{
    DataCache cache(allBuilders());
    std::vector<std::string> said;
    for (const Diagnostic& diagnostic : checkExperiment(experiment, registry(), cache).diagnostics)
        if (diagnostic.code.ends_with("targets"))
            said.push_back(fmt::format("{} {} at {}: {}", diagnostic.severity == Severity::Error ? "error" : "warning",
                                       diagnostic.code, nodePath(diagnostic), diagnostic.sentence));
    return said;
}

TEST(NoTargets, InAWholePartIsAnErrorOfTheCheck)
{
    const TestFolder folder;
    writeTable(folder / "late.csv", [](std::int64_t row) { return row >= kTrained; });
    EXPECT_THAT(
        saidOf(experimentOn(folder / "late.csv")),
        ElementsAre("error no-targets at series: there is no target in the training part: column y holds no number in "
                    "rows 1 to 240 of 300 of " +
                    (folder / "late.csv").string() + "; there is nothing to train on"));
    writeTable(folder / "early.csv", [](std::int64_t row) { return row < kTrained; });
    EXPECT_THAT(
        saidOf(experimentOn(folder / "early.csv")),
        ElementsAre("error no-targets at series: there is no target in the validation part: column y holds no number "
                    "in rows 241 to 300 of 300 of " +
                    (folder / "early.csv").string() + "; no validation loss can be computed on it"));
    const EndedRun run(experimentOn(folder / "early.csv"), {.runFolder = folder / "run"});
    EXPECT_EQ(run.last.state, RunState::Failed);
    EXPECT_THAT(run.last.failure, HasSubstr("column y holds no number in rows 241 to 300"));
    EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

TEST(NoTargets, InSomeBatchesAreCountedByTheCheck)
{
    const TestFolder folder;
    writeTable(folder / "some.csv", [](std::int64_t row) { return row % 120 >= 30; });
    EXPECT_THAT(saidOf(experimentOn(folder / "some.csv", 24)),
                ElementsAre("warning few-targets at series: 6 of the 24 batches of this run have no target: such an "
                            "update changes no weight, and its loss is n/a",
                            "warning few-targets at series: 3 of the 6 batches of the validation part have no target: "
                            "they do not count in its loss",
                            "warning few-targets at series: the first 1 batch of the validation part, the slice "
                            "evaluated during training, have no target: val/loss is n/a; raise evaluate_batches"));
    writeTable(folder / "all.csv", [](std::int64_t) { return true; });
    EXPECT_THAT(saidOf(experimentOn(folder / "all.csv")), ElementsAre());
}

TEST(NoTargets, GiveARowNoLossAndTheWeightsNoUpdate)
{
    const TestFolder folder;
    writeTable(folder / "some.csv", [](std::int64_t row) { return row % 120 >= 30; });
    const Experiment experiment = experimentOn(folder / "some.csv");
    DataCache cache(allBuilders());
    const CheckedGraph checked = checkExperiment(experiment, registry(), cache);
    const CheckedNode& source = checked.nodes.at(checked.source);
    const auto data = cache.open(source.spec->id, source.params, {}).value();
    auto model = Model::build(experiment.graph, checked, registry(), allBuilders(), 1).value();
    Trainer trainer(experiment, *model, *data);
    const auto weightsNow = [&] {
        std::vector<at::Tensor> copies;
        for (const Weight& weight : model->weights())
            copies.push_back(weight.tensor.detach().clone());
        return copies;
    };
    const auto first = weightsNow();
    for (int step = 0; step < 3; ++step) {
        const StepReport report = trainer.step();
        EXPECT_FALSE(report.learned);
        EXPECT_FALSE(report.loss.defined() || report.gradientNorm.defined());
    }
    EXPECT_EQ(trainer.stepsDone(), 3); // they are counted
    const auto before = weightsNow();
    for (std::size_t i = 0; i < first.size(); ++i)
        EXPECT_TRUE(at::equal(before[i], first[i]));
    EXPECT_FALSE(trainer.state().carried.empty()) << "the streams were read";
    const StepReport report = trainer.step();
    EXPECT_TRUE(report.learned);
    EXPECT_GT(report.loss.item<double>(), 0);
    EXPECT_FALSE(at::equal(model->weights().front().tensor, before.front()));
    for (const auto& [name, tensor] : trainer.optimizerState())
        if (name.starts_with("count.")) {
            EXPECT_EQ(tensor.item<float>(), 1) << name << " counts updates that were made";
        }
}

/// Of an update's batches those without targets are left out of its mean.
TEST(NoTargets, OfSomeBatchesOfAnUpdateLeaveTheOthersTheirMean)
{
    const TestFolder folder;
    writeTable(folder / "some.csv", [](std::int64_t row) { return row % 120 >= 30; });
    Experiment together = experimentOn(folder / "some.csv"), alone = together;
    together.training.accumulation = 4; // three without, one with
    const BlockRegistry blocks = allSpecs();
    const auto firstUpdate = [&](const Experiment& experiment) {
        const auto session = startSession(experiment, blocks, allBuilders(), {});
        EXPECT_TRUE(testing::stepAndWait(*session, experiment.training.accumulation == 4 ? 1 : 4));
        return session->takeMetrics().back().values;
    };
    const auto ours = firstUpdate(together), theirs = firstUpdate(alone);
    EXPECT_DOUBLE_EQ(ours.at("train/loss"), theirs.at("train/loss"));
    EXPECT_DOUBLE_EQ(ours.at("optim/grad_norm"), theirs.at("optim/grad_norm"));
}

TEST(NoTargets, LeaveCellsEmptyAndAreSaid)
{
    const TestFolder folder;
    writeTable(folder / "some.csv", [](std::int64_t row) { return row % 120 >= 30; });
    Experiment experiment = experimentOn(folder / "some.csv");
    const EndedRun run(experiment, {.runFolder = folder / "run"});
    ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    for (const MetricRow& row : run.rows) {
        EXPECT_EQ(row.values.count("train/loss"), row.step <= 3 ? 0U : 1U) << row.step;
        EXPECT_EQ(row.values.count("optim/grad_norm"), row.step <= 3 ? 0U : 1U) << row.step;
        for (const auto& [name, value] : row.values)
            EXPECT_TRUE(std::isfinite(value)) << name;
    }
    EXPECT_TRUE(run.told("update 1 has no target"));
    EXPECT_TRUE(run.told("3 of 12 updates had no target and changed no weight"));
    const std::string csv = contentOf(folder / "run/metrics.csv");
    EXPECT_THAT(csv, HasSubstr("\r\n1,20,"));
    EXPECT_THAT(contentOf(folder / "run/metrics.jsonl").substr(0, 200), Not(HasSubstr("train/loss")));
}

/// The slice is rows 240..249 and 270..279, the whole part 60 rows.
TEST(NoTargets, OfTheSliceAreNeverBestAndCostNoPatience)
{
    const TestFolder folder;
    writeTable(folder / "table.csv", [](std::int64_t row) { return row < 240 || (row >= 290 && row < 295); });
    Experiment experiment = experimentOn(folder / "table.csv");
    experiment.training.patience = 1;
    const EndedRun run(experiment, {.runFolder = folder / "run"});
    ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    EXPECT_EQ(run.last.step, 12) << "no patience was lost";
    EXPECT_EQ(run.last.bestStep, 0);
    for (const MetricRow& row : run.rows)
        EXPECT_EQ(row.values.count("val/loss"), 0U);
    EXPECT_GT(run.rows.back().values.at("final/loss"), 0) << "the whole part has five";
    EXPECT_TRUE(run.told("step 2: the evaluated slice contains no target, val/loss is n/a"));
    EXPECT_THAT(saidOf(experiment), Contains(HasSubstr("val/loss is n/a; raise evaluate_batches")));
    const RunSummary summary = readRunSummary(folder / "run");
    EXPECT_FALSE(summary.best);
    EXPECT_EQ(summary.bestStep, 0);
    EXPECT_TRUE(summary.last);
}

TEST(NoTargets, OfOtherDataCannotBeEvaluated)
{
    const TestFolder folder;
    writeTable(folder / "all.csv", [](std::int64_t) { return true; });
    writeTable(folder / "none.csv", [](std::int64_t row) { return row == 0; });
    const EndedRun run(experimentOn(folder / "all.csv", 2), {.runFolder = folder / "run"});
    ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    const auto opened =
        Inspection::open(folder / "run", registry(), allBuilders(), {.dataPath = folder / "none.csv", .device = "cpu"});
    ASSERT_TRUE(opened) << opened.error().text();
    const auto figures = (*opened)->evaluate();
    ASSERT_FALSE(figures);
    EXPECT_THAT(figures.error().message, HasSubstr("contains no target, so there is nothing to score"));
}

TEST(NoTargets, CountsSurviveACheckpoint)
{
    const TestFolder folder;
    writeTable(folder / "some.csv", [](std::int64_t row) { return row % 120 >= 30; });
    const EndedRun first(experimentOn(folder / "some.csv", 12), {.runFolder = folder / "run"});
    ASSERT_EQ(first.last.state, RunState::Finished) << first.last.failure;
    const EndedRun second(experimentOn(folder / "some.csv", 24), {.runFolder = folder / "run", .resume = true});
    EXPECT_TRUE(second.told("6 of 24 updates had no target and changed no weight"));
}

} // namespace
} // namespace unroll
