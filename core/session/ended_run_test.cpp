// SPDX-License-Identifier: GPL-3.0-or-later
// The model of a run that has ended, opened again to be examined.
#include "core/runs/run_summary.h"
#include "core/session/run_record.h"
#include "tests/support/short_runs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace unroll {
namespace {

using testing::EndedRun;
using testing::lookIn;
using testing::statesOf;
using testing::tinyExperiment;
using testing::waitUntil;

const std::vector<WatchedSignal> watched{{"lstm", "c"}};

/// Every file below a folder with its bytes.
std::map<std::string, std::string> contentsOf(const std::string& folder)
{
    std::map<std::string, std::string> contents;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) {
            std::ifstream file(entry.path(), std::ios::binary);
            contents[entry.path().string()] = {std::istreambuf_iterator<char>(file), {}};
        }
    return contents;
}

/// A viewer of what lies in a folder.
struct Viewer {
    RunRecord record;
    std::unique_ptr<Session> session;

    explicit Viewer(const std::string& folder, const std::string& checkpoint = kNewestCheckpoint)
        : record(readRunRecord(folder).value()),
          session(startSession(record.experiment, allSpecs(), allBuilders(),
                               {.runFolder = folder,
                                .ended = std::make_shared<const Snapshot>(record.snapshot),
                                .checkpoint = checkpoint}))
    {}

    std::shared_ptr<const ProbeFrame> look()
    {
        session->ask(statesOf(watched));
        EXPECT_TRUE(waitUntil([&] { return lookIn(*session->snapshot()) || !session->snapshot()->notOpened.empty(); }));
        return lookIn(*session->snapshot());
    }
};

/// What its own session shows of a run when it has ended; its last snapshot comes after its end.
Snapshot trainedAndLookedAt(const std::string& folder)
{
    const auto session = startSession(tinyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder});
    session->ask(statesOf(watched));
    session->run();
    EXPECT_TRUE(session->finish(240));
    EXPECT_TRUE(waitUntil([&] { return lookIn(*session->snapshot())->step == 30; }));
    return *session->snapshot();
}

TEST(EndedRun, ShowsWhatItsNewestCheckpointHolds)
{
    TestFolder folder;
    const Snapshot last = trainedAndLookedAt(folder / "run");
    Viewer viewer(folder / "run");
    EXPECT_EQ(viewer.session->snapshot()->state, RunState::Finished) << "from the first moment on";
    const auto frame = viewer.look();
    ASSERT_NE(frame, nullptr) << viewer.session->snapshot()->notOpened;
    EXPECT_EQ(frame->step, 30);
    EXPECT_EQ(frame->characters, lookIn(last)->characters);
    ASSERT_EQ(frame->signalFrames.size(), 1u);
    EXPECT_EQ(frame->signalFrames[0].values, lookIn(last)->signalFrames[0].values);
    const Snapshot seen = *viewer.session->snapshot();
    EXPECT_EQ(seen.state, RunState::Finished);
    EXPECT_EQ(seen.step, 30);
    EXPECT_EQ(seen.device, last.device);
    EXPECT_EQ(seen.measures, last.measures);
    EXPECT_EQ(seen.bestValidationLoss, last.bestValidationLoss);
}

TEST(EndedRun, IsNeitherTrainedNorWritten)
{
    TestFolder folder;
    EndedRun(tinyExperiment(), {.runFolder = folder / "run"});
    const auto before = contentsOf(folder / "run");
    {
        Viewer viewer(folder / "run");
        viewer.session->setReading(readingOfText("another text"));
        ASSERT_NE(viewer.look(), nullptr);
        viewer.session->run();
        viewer.session->step(3);
        viewer.session->checkpoint();
        viewer.session->sample("the", 8, {.temperature = 1.0}, 1);
        viewer.session->stop();
        viewer.session->keepWeights();
        EXPECT_TRUE(waitUntil([&] { return viewer.session->snapshot()->keptWeights != nullptr; }));
        EXPECT_EQ(viewer.session->snapshot()->samples.size(), 1u);
        EXPECT_EQ(viewer.session->snapshot()->step, 30);
        EXPECT_TRUE(viewer.session->takeMetrics().empty());
    }
    EXPECT_EQ(contentsOf(folder / "run"), before);
}

TEST(EndedRun, HoldsNobodyUp)
{
    TestFolder folder;
    EndedRun(tinyExperiment(), {.runFolder = folder / "run"});
    Viewer viewer(folder / "run");
    ASSERT_NE(viewer.look(), nullptr);
    EXPECT_FALSE(readRunSummary(folder / "run").isHeld);
    Experiment longer = tinyExperiment();
    longer.training.steps = 40;
    const EndedRun on(longer, {.runFolder = folder / "run", .resume = true});
    EXPECT_EQ(on.last.state, RunState::Finished) << on.last.failure;
    EXPECT_EQ(on.last.step, 40);
    std::filesystem::rename(folder / "run", folder / "moved");
    viewer.session->folderMoved(folder / "moved");
    EXPECT_TRUE(waitUntil([&] { return viewer.session->snapshot()->runFolder == folder / "moved"; }));
}

TEST(EndedRun, ThatCannotBeOpenedStaysAsItWas)
{
    TestFolder folder;
    EndedRun(tinyExperiment(), {.runFolder = folder / "run"});
    std::filesystem::remove_all(folder / "run/checkpoints");
    Viewer viewer(folder / "run");
    EXPECT_EQ(viewer.look(), nullptr);
    const Snapshot seen = *viewer.session->snapshot();
    EXPECT_NE(seen.notOpened.find("no checkpoint"), std::string::npos) << seen.notOpened;
    EXPECT_EQ(seen.state, RunState::Finished);
    EXPECT_TRUE(seen.problems.empty());
    EXPECT_TRUE(seen.failure.empty());
}

TEST(EndedRun, ShowsAnEarlierCheckpointByItsStep)
{
    TestFolder folder;
    Experiment experiment = tinyExperiment();
    experiment.training.checkpointEvery = 10;
    EndedRun(experiment, {.runFolder = folder / "run"});
    Viewer newest(folder / "run"), earlier(folder / "run", "20");
    const auto last = newest.look(), before = earlier.look();
    ASSERT_NE(last, nullptr);
    ASSERT_NE(before, nullptr) << earlier.session->snapshot()->notOpened;
    EXPECT_EQ(before->step, 20);
    EXPECT_EQ(before->characters, last->characters);
    EXPECT_NE(before->signalFrames.at(0).values, last->signalFrames.at(0).values);
    Viewer none(folder / "run", "21");
    EXPECT_EQ(none.look(), nullptr);
    EXPECT_NE(none.session->snapshot()->notOpened.find("there are newest, best and 30"), std::string::npos)
        << none.session->snapshot()->notOpened;
}

} // namespace
} // namespace unroll
