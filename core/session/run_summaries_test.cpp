// SPDX-License-Identifier: GPL-3.0-or-later
// What lenses keep over training: in the run's folder, when it is resumed, and in what they show.
#include "core/session/run_summaries.h"

#include "core/lens/tracks/tracks.h"
#include "core/lens/weights/weights.h"
#include "core/session/inspection.h"
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace unroll {
namespace {

using ::testing::Contains;
using ::testing::Each;
using testing::EndedRun;
using ::testing::Ge;
using ::testing::Key;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;
using testing::stepAndWait;
using testing::tinyExperiment;

SessionOptions keeping(const std::string& folder, bool resume = false)
{
    return {.runFolder = folder, .resume = resume, .lookBudget = 0.5, .keepsSummaries = true};
}

TEST(RunSummaries, AreKeptInTheRunsFolder)
{
    const TestFolder folder;
    const EndedRun run(tinyExperiment(), keeping(folder / "run"));
    const LensHistories histories = lensHistoriesOf(folder / "run").value_or(LensHistories{});
    ASSERT_THAT(histories, Contains(Key("tracks")));
    ASSERT_THAT(histories, Contains(Key("weights")));
    for (const auto& [lens, history] : histories) {
        EXPECT_EQ(history.steps.back(), 30) << lens << ": the end of training is there";
        EXPECT_TRUE(std::is_sorted(history.steps.begin(), history.steps.end()));
    }
    const LensHistory &tracks = histories.at("tracks"), &weights = histories.at("weights");
    ASSERT_THAT(tracks.values, Contains(Key("auc.in_quotes")));
    EXPECT_THAT(tracks.values.at("auc.in_quotes"), Each(::testing::AllOf(Ge(0.5), Le(1))));
    for (const char* name : {"weights.lstm", "gradients.lstm", "updates.lstm", "weights.embedding"})
        EXPECT_THAT(weights.values, Contains(Key(name)));
    EXPECT_GT(weights.values.at("updates.lstm").back(), 0);
    EXPECT_LT(weights.values.at("updates.lstm").back(), weights.values.at("weights.lstm").back());
}

TEST(RunSummaries, ChangeNoNumberOfTrainingAndAreNotKeptUnasked)
{
    const TestFolder folder;
    const EndedRun kept(tinyExperiment(), keeping(folder / "kept")),
        plain(tinyExperiment(), {.runFolder = folder / "plain"});
    EXPECT_EQ(testing::losses(kept.rows), testing::losses(plain.rows));
    EXPECT_TRUE(std::filesystem::exists(folder / "kept/lenses.jsonl"));
    EXPECT_FALSE(std::filesystem::exists(folder / "plain/lenses.jsonl"));
}

TEST(RunSummaries, AreKeptAtEverySoManyUpdatesWhereThatIsWished)
{
    const TestFolder folder;
    SessionOptions options = keeping(folder / "run");
    options.summariesEvery = 10;
    options.lookBudget = -1;
    const EndedRun run(tinyExperiment(), options);
    const auto histories = lensHistoriesOf(folder / "run");
    ASSERT_TRUE(histories);
    for (const auto& [lens, history] : *histories)
        EXPECT_THAT(history.steps, ::testing::ElementsAre(10, 20, 30)) << lens;
    EXPECT_THAT(histories->at("weights").values.at("updates.lstm"), Each(::testing::Gt(0)));
}

TEST(RunSummaries, GoOnWithTheRun)
{
    const TestFolder folder;
    {
        const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), keeping(folder / "run"));
        ASSERT_TRUE(stepAndWait(*session, 12));
    }
    const LensHistories before = lensHistoriesOf(folder / "run").value_or(LensHistories{});
    ASSERT_THAT(before, Contains(Key("weights")));
    const EndedRun resumed(tinyExperiment(), keeping(folder / "run", true));
    ASSERT_EQ(resumed.last.state, RunState::Finished) << resumed.last.failure;
    const LensHistories after = lensHistoriesOf(folder / "run").value_or(LensHistories{});
    for (const auto& [lens, history] : before) {
        ASSERT_GT(after.at(lens).steps.size(), history.steps.size());
        EXPECT_TRUE(std::equal(history.steps.begin(), history.steps.end(), after.at(lens).steps.begin()));
        EXPECT_EQ(after.at(lens).steps.back(), 30);
    }
}

TEST(RunSummaries, AreCurvesOfWhatALensShows)
{
    const TestFolder folder;
    const EndedRun run(tinyExperiment(), keeping(folder / "run"));
    const auto inspection = Inspection::open(folder / "run", testing::registry(), allBuilders(), {});
    ASSERT_TRUE(inspection) << inspection.error().text();
    const auto panelsOf = [&](const LensQuery& query) {
        std::vector<std::string> ids;
        const auto frame = (*inspection)->see(query, {});
        EXPECT_TRUE(frame) << frame.error().text();
        if (frame)
            for (const FigurePanel& panel : (*frame)->data->figure().panels) {
                ids.push_back(panel.id);
                for (const FigureSeries& series : panel.series)
                    EXPECT_EQ(series.x.size(), series.y.size());
            }
        return ids;
    };
    EXPECT_THAT(panelsOf({"tracks", "lstm", "c", {{"steps", std::int64_t{512}}}}), Contains("auc_over_training"));
    const auto ofWeights = panelsOf({"weights"});
    for (const char* panel : {"weights_over_training", "gradients_over_training", "updates_over_training"})
        EXPECT_THAT(ofWeights, Contains(panel));
}

TEST(RunSummaries, ARowThatNobodyCanReadIsNoHistory)
{
    const TestFolder folder;
    writeContent(folder / "lenses.jsonl", "{\"step\":4,\"weights/weights.a\":2,\"odd\":1}\nnonsense\n");
    const auto histories = lensHistoriesOf(folder.path());
    ASSERT_TRUE(histories);
    ASSERT_THAT(*histories, SizeIs(1));
    EXPECT_THAT(histories->at("weights").steps, ::testing::ElementsAre(4));
    EXPECT_THAT(histories->at("weights").values, SizeIs(1));
}

/// What an update has done is shown while the run trains, and where it rests behind it.
TEST(RunSummaries, TheNewestUpdateIsShown)
{
    const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {});
    const LensQuery query{"weights", "", "", {{"of", std::string("updates")}}};
    session->ask({query});
    ASSERT_TRUE(stepAndWait(*session, 3));
    const auto shown = [&] {
        const auto frame = session->snapshot()->frameOf(query);
        return frame && frame->step == 3;
    };
    ASSERT_TRUE(testing::waitUntil(shown));
    const auto data = dataOf<WeightsData>(session->snapshot()->frameOf(query));
    ASSERT_NE(data, nullptr) << session->snapshot()->frameOf(query)->trouble;
    EXPECT_EQ(data->shown, WeightsData::Of::Updates);
    for (const TensorNumbers& tensor : data->tensors)
        EXPECT_LT(tensor.rms, 0.1) << tensor.name << ": no weight, a change of it";
    EXPECT_TRUE(std::any_of(data->tensors.begin(), data->tensors.end(), [](const auto& each) { return each.rms > 0; }));
}

TEST(RunSummaries, AreThinnedOutWhereThereAreMany)
{
    LensHistory history;
    for (std::int64_t step = 1; step <= 1000; ++step) {
        history.add(step, {{"n", 1}});
        if (history.steps.size() > 512)
            history.thin();
    }
    EXPECT_THAT(history.steps, SizeIs(Le(512u)));
    EXPECT_EQ(history.steps.back(), 1000);
}

} // namespace
} // namespace unroll
