// SPDX-License-Identifier: GPL-3.0-or-later
// What lenses show is kept in the run's folder while it trains.
#include "core/frames/kept_frame.h"
#include "core/runs/frames_place.h"
#include "core/runs/run_summary.h"
#include "core/session/run_record.h"
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace unroll {
namespace {

using ::testing::HasSubstr;
using testing::tinyExperiment;
using testing::waitUntil;

const LensQuery keptState = stateQuery({"lstm", "c"});
const LensQuery keptWeights{"weights", {}, {}, {}};

std::vector<std::int64_t> keptUpdates(const std::string& run, const LensQuery& query = keptState)
{
    std::vector<std::int64_t> updates;
    for (const KeptSeries& series : keptSeries(framesFolder(run)))
        if (series.query == query)
            for (const KeptSeries::Frame& frame : series.frames)
                updates.push_back(frame.step);
    return updates;
}

/// Trains to the end with these open, and waits until all of them have answered.
Snapshot trainWith(const std::vector<LensQuery>& open, SessionOptions options, Experiment experiment = tinyExperiment())
{
    const auto session = startSession(std::move(experiment), allSpecs(), allBuilders(), std::move(options));
    session->ask(open);
    session->run();
    EXPECT_TRUE(session->finish(240));
    EXPECT_TRUE(waitUntil([&] {
        const auto now = session->snapshot();
        return now->frames.size() == open.size() &&
               std::all_of(now->frames.begin(), now->frames.end(),
                           [&](const auto& frame) { return frame->step == now->step; });
    }));
    return *session->snapshot();
}

/// Within half precision.
void expectSame(const Figure& kept, const Figure& shown)
{
    EXPECT_EQ(kept.shows, shown.shows);
    ASSERT_EQ(kept.panels.size(), shown.panels.size());
    for (std::size_t i = 0; i < shown.panels.size(); ++i) {
        const auto &one = kept.panels[i].cells, &two = shown.panels[i].cells;
        ASSERT_EQ(one.has_value(), two.has_value());
        if (!two)
            continue;
        ASSERT_EQ(one->values.size(), two->values.size());
        for (std::size_t k = 0; k < two->values.size(); ++k)
            ASSERT_NEAR(one->values[k], two->values[k], std::fabs(two->values[k]) / 2048 + 1e-9);
    }
}

TEST(KeptFrames, TheLastIsWhatWasShown)
{
    TestFolder folder;
    const Snapshot last = trainWith({keptState, keptWeights}, {.runFolder = folder / "run"});
    const auto updates = keptUpdates(folder / "run");
    ASSERT_FALSE(updates.empty());
    EXPECT_EQ(updates.back(), 30);
    EXPECT_EQ(keptUpdates(folder / "run", keptWeights).back(), 30) << "a heavy one too";
    EXPECT_TRUE(std::is_sorted(updates.begin(), updates.end()));
    EXPECT_EQ(last.framesKept, countKeptFrames(folder / "run"));
    EXPECT_EQ(readRunSummary(folder / "run").keptFrames, last.framesKept);
    EXPECT_EQ(last.framesNotKept, "");
    for (const KeptSeries& series : keptSeries(framesFolder(folder / "run"))) {
        const auto kept = readKeptFrame(series, 30);
        ASSERT_TRUE(kept) << kept.error().text();
        expectSame(kept->figure, last.frameOf(series.query)->data->figure());
    }
}

TEST(KeptFrames, AReadingUnderEditsIsNotKept)
{
    TestFolder folder;
    LensQuery touched = keptState;
    touched.edit = "lstm.c = 0";
    const Snapshot last = trainWith({touched, keptState}, {.runFolder = folder / "run"});
    ASSERT_NE(last.frames.at(0)->data, nullptr) << last.frames.at(0)->trouble;
    const auto series = keptSeries(framesFolder(folder / "run"));
    ASSERT_EQ(series.size(), 1u);
    ASSERT_EQ(keptUpdates(folder / "run").back(), 30);
    const auto kept = readKeptFrame(series.front(), 30);
    ASSERT_TRUE(kept) << kept.error().text();
    expectSame(kept->figure, last.frames.at(1)->data->figure());
    EXPECT_NE(last.frames.at(0)->data->figure().panels.at(0).cells->values,
              last.frames.at(1)->data->figure().panels.at(0).cells->values);
}

TEST(KeptFrames, ChangeNoNumberOfTraining)
{
    TestFolder folder;
    const auto without = testing::trainAll(tinyExperiment(), {.runFolder = folder / "without"});
    const auto with = testing::trainAll(tinyExperiment(), {.runFolder = folder / "with", .lookBudget = 10},
                                        {{"lstm", "c"}, {"lstm", "h"}});
    EXPECT_EQ(without, with);
    EXPECT_TRUE(keptUpdates(folder / "without").empty());
    EXPECT_FALSE(std::filesystem::exists(framesFolder(folder / "without")));
    EXPECT_GE(keptUpdates(folder / "with").size(), 2u);
}

TEST(KeptFrames, ARunThatIsResumedKeepsNothingOfWhatItLost)
{
    TestFolder folder;
    {
        const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        session->ask({keptState});
        ASSERT_TRUE(testing::stepAndWait(*session, 5));
        session->stop();
        ASSERT_TRUE(session->finish(240));
    }
    ASSERT_EQ(keptUpdates(folder / "run").back(), 5);
    // As a run that was killed leaves it: what it kept is later than its checkpoint.
    const KeptSeries series = keptSeries(framesFolder(folder / "run")).at(0);
    std::filesystem::copy_file(series.folder / frameName(5), series.folder / frameName(7));
    ASSERT_EQ(keptUpdates(folder / "run").back(), 7);
    const Snapshot last = trainWith({keptState}, {.runFolder = folder / "run", .resume = true});
    const auto updates = keptUpdates(folder / "run");
    EXPECT_EQ(std::count(updates.begin(), updates.end(), 5), 1) << "what was before the checkpoint stays";
    EXPECT_EQ(updates.back(), 30);
    for (const std::int64_t update : updates)
        EXPECT_EQ(readKeptFrame(keptSeries(framesFolder(folder / "run")).at(0), update)->step, update);
    EXPECT_EQ(last.framesKept, std::ssize(updates));
}

TEST(KeptFrames, AnEndedRunIsOnlyRead)
{
    TestFolder folder;
    trainWith({keptState}, {.runFolder = folder / "run"});
    const auto before = keptUpdates(folder / "run");
    const RunRecord record = readRunRecord(folder / "run").value();
    const auto session =
        startSession(record.experiment, allSpecs(), allBuilders(),
                     {.runFolder = folder / "run", .ended = std::make_shared<const Snapshot>(record.snapshot)});
    session->ask({keptState, stateQuery({"lstm", "h"})});
    ASSERT_TRUE(waitUntil([&] { return session->snapshot()->frames.size() == 2; }));
    EXPECT_EQ(keptUpdates(folder / "run"), before);
    EXPECT_TRUE(keptUpdates(folder / "run", stateQuery({"lstm", "h"})).empty());
}

/// The folder cannot be made, for there is a file of its name.
TEST(KeptFrames, ADiskThatRefusesIsSaidOnceAndTrainingGoesOn)
{
    TestFolder folder;
    const auto session =
        startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run", .lookBudget = 10});
    ASSERT_TRUE(testing::stepAndWait(*session, 1));
    writeContent(folder.path() / "run" / "frames", "in the way");
    session->ask({keptState, stateQuery({"lstm", "h"})});
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto last = session->snapshot();
    EXPECT_EQ(last->state, RunState::Finished);
    EXPECT_EQ(last->step, 30);
    EXPECT_NE(last->framesNotKept, "");
    EXPECT_EQ(last->framesKept, 0);
    EXPECT_EQ(std::count_if(last->problems.begin(), last->problems.end(),
                            [](const Diagnostic& problem) {
                                return problem.sentence.find("frames of lenses are not kept") != std::string::npos;
                            }),
              1);
    EXPECT_EQ(last->checkpointed, 30);
}

TEST(KeptFrames, GoWhereTheFolderGoes)
{
    TestFolder folder;
    const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run"});
    session->ask({keptState});
    ASSERT_TRUE(testing::stepAndWait(*session, 2));
    std::filesystem::rename(folder / "run", folder / "moved");
    session->folderMoved(folder / "moved");
    ASSERT_TRUE(testing::stepAndWait(*session, 2));
    EXPECT_THAT(keptUpdates(folder / "moved"), ::testing::IsSupersetOf<std::int64_t>({0, 2, 4})); // where it rested
    EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

TEST(KeptFrames, ARunThatBeginsAnewHasNoneOfTheOneBefore)
{
    TestFolder folder;
    {
        const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        session->ask({keptState});
        ASSERT_TRUE(waitUntil([&] { return session->snapshot()->framesKept > 0; }));
    }
    std::filesystem::remove_all(folder.path() / "run" / "checkpoints");
    ASSERT_FALSE(keptUpdates(folder / "run").empty());
    const auto session =
        startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run", .anew = true});
    ASSERT_TRUE(testing::stepAndWait(*session, 1));
    EXPECT_TRUE(keptUpdates(folder / "run").empty());
}

} // namespace
} // namespace unroll
