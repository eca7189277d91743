// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_summary.h"

#include "core/runs/folder_lock.h"
#include "core/runs/run_care.h"
#include "core/runs/run_folder.h"
#include "core/runs/sample_file.h"
#include "tests/support/plain_user.h"
#include "tests/support/tiny_experiment.h"

#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace unroll {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

RunEnvironment onTwoThreads()
{
    RunEnvironment environment;
    environment.device = "cpu";
    environment.threads = 2;
    return environment;
}

/// A run of 30 planned steps that has written some.
RunFolder begunRun(const fs::path& folder, std::int64_t steps)
{
    RunFolder run = RunFolder::create(folder, testing::tinyExperiment(), onTwoThreads()).value();
    for (std::int64_t step = 1; step <= steps; ++step)
        run.append({step, step * 64, static_cast<double>(step) / 2, {{"train/loss", 3.0 / static_cast<double>(step)}}});
    return run;
}

void checkpointAt(RunFolder& run, std::int64_t step, double loss)
{
    const auto folder = run.checkpoints().begin(step);
    ASSERT_TRUE(folder);
    writeContent(*folder / "weights", std::string(1000, 'w'));
    writeContent(*folder / "progress.json",
                 fmt::format(R"({{"best_step": {}, "best_validation_loss": {}}})", step, loss));
    ASSERT_TRUE(run.checkpoints().finish(step, 3));
}

TEST(RunSummary, SaysWhatARunHasDone)
{
    TestFolder folder;
    {
        RunFolder run = begunRun(folder / "mine-1", 12);
        checkpointAt(run, 10, 1.25);
        run.mark(RunState::Stopped);
    }
    ASSERT_TRUE(writeRunNote(folder / "mine-1", "wider\nslower"));
    const RunSummary run = readRunSummary(folder / "mine-1");
    EXPECT_EQ(run.name(), "mine-1");
    EXPECT_EQ(run.title, "tiny");
    EXPECT_EQ(run.state, RunState::Stopped);
    EXPECT_EQ(run.trouble, "");
    EXPECT_FALSE(run.isHeld);
    EXPECT_EQ(run.step, 12);
    EXPECT_EQ(run.steps, 30);
    EXPECT_EQ(run.best, 1.25);
    EXPECT_EQ(run.bestStep, 10);
    EXPECT_EQ(run.last, 0.25);
    EXPECT_EQ(run.seconds, 6);
    EXPECT_EQ(run.device, "cpu, 2 threads");
    EXPECT_EQ(run.note, "wider\nslower");
    EXPECT_EQ(run.checkpoint, 10);
    EXPECT_GT(run.bytes, 2000u);
    EXPECT_GT(run.started, 1'600'000'000);
    EXPECT_GE(run.changed, run.started);
}

TEST(RunSummary, TellsWhatHasBecomeOfIt)
{
    TestFolder folder;
    {
        const RunFolder going = begunRun(folder / "run", 3);
        const RunSummary seen = readRunSummary(folder / "run");
        EXPECT_EQ(seen.state, RunState::Running);
        EXPECT_TRUE(seen.isHeld);
    }
    EXPECT_EQ(readRunSummary(folder / "run").state, RunState::Interrupted) << "it has said nothing of its end";
    auto again = RunFolder::open(folder / "run");
    ASSERT_TRUE(again);
    ASSERT_TRUE(again->resumeAt(2));
    EXPECT_EQ(readRunSummary(folder / "run").state, RunState::Running);
    again->mark(RunState::Failed, "lstm gave NaN");
    EXPECT_EQ(readRunSummary(folder / "run").state, RunState::Failed);
    EXPECT_EQ(readRunSummary(folder / "run").failure, "lstm gave NaN");
    again->mark(RunState::Finished);
    EXPECT_EQ(readRunSummary(folder / "run").state, RunState::Finished);
    EXPECT_TRUE(readRunSummary(folder / "run").isHeld) << "open, though it has ended";
}

TEST(RunSummary, RunsWithoutAStatusAreGuessed)
{
    TestFolder folder;
    (void)begunRun(folder / "all", 30);
    (void)begunRun(folder / "some", 7);
    (void)begunRun(folder / "none", 0);
    for (const char* name : {"all", "some", "none"})
        fs::remove(folder / name / "status.json");
    EXPECT_EQ(readRunSummary(folder / "none").state, RunState::Interrupted) << "killed while it made its folder";
    EXPECT_EQ(readRunSummary(folder / "all").state, RunState::Finished);
    EXPECT_EQ(readRunSummary(folder / "some").state, RunState::Stopped);
    EXPECT_GT(readRunSummary(folder / "some").started, 1'600'000'000) << "from its files";
    writeContent(folder / "some/status.json", "{\"state\": \"dancing\"}");
    EXPECT_EQ(readRunSummary(folder / "some").state, RunState::Stopped);
}

TEST(RunSummary, OfALongFileTheEndIsRead)
{
    TestFolder folder;
    (void)begunRun(folder / "run", 1);
    {
        std::ofstream csv(folder / "run/metrics.csv", std::ios::binary | std::ios::app);
        const std::string junk(1 << 20, 'x'); // were it read, it would be an error
        for (int i = 0; i < 64; ++i)
            csv << junk;
        csv << "\r\n";
        for (int step = 2000; step < 6000; ++step)
            csv << step << ",1,99.5,2.5,,,,,,,,,,,\r\n";
    }
    const RunSummary run = readRunSummary(folder / "run");
    EXPECT_EQ(run.trouble, "");
    EXPECT_EQ(run.step, 5999);
    EXPECT_EQ(run.last, 2.5);
    EXPECT_EQ(run.seconds, 99.5);
}

TEST(RunSummary, WhatIsDamagedForeignOrHalfIsSaid)
{
    TestFolder folder;
    for (const char* name : {"foreign", ".hidden", "half", "damaged", "metrics", "empty"})
        fs::create_directory(folder / name);
    writeContent(folder / "foreign/readme.txt", "mine");
    writeContent(folder / "a file", "not a run");
    (void)saveExperiment(testing::tinyExperiment(), (folder / "half/experiment.unroll").string());
    fs::remove(folder / "damaged");
    (void)begunRun(folder / "damaged", 3);
    writeContent(folder / "damaged/experiment.unroll", "{\"unroll\": 1, ");
    fs::remove(folder / "metrics");
    (void)begunRun(folder / "metrics", 3);
    writeContent(folder / "metrics/metrics.csv", std::string("\0\0\0\n", 4));
    fs::remove(folder / "empty");
    (void)begunRun(folder / "empty", 0);
    const auto runs = listRuns(folder.path());
    ASSERT_EQ(runs.size(), 5u) << "neither hidden folders nor files";
    const auto named = [&](const std::string& name) {
        return *std::find_if(runs.begin(), runs.end(), [&](const RunSummary& run) { return run.name() == name; });
    };
    EXPECT_THAT(named("foreign").trouble, HasSubstr("this is not a run"));
    EXPECT_EQ(named("foreign").state, RunState::Unknown);
    EXPECT_EQ(named("foreign").bytes, 4u);
    EXPECT_THAT(named("half").trouble, HasSubstr("environment.json"));
    EXPECT_THAT(named("damaged").trouble, HasSubstr("experiment.unroll"));
    EXPECT_TRUE(named("metrics").trouble.starts_with("metrics.csv")) << named("metrics").trouble;
    EXPECT_TRUE(named("foreign").trouble.starts_with("this is not a run")) << "the folder is known";
    EXPECT_EQ(named("metrics").title, "tiny") << "what can be read is there";
    EXPECT_EQ(named("empty").trouble, "");
    EXPECT_EQ(named("empty").step, 0);
    EXPECT_EQ(named("empty").last, std::nullopt);
    EXPECT_TRUE(listRuns(folder / "nowhere").empty());
    int asked = 0;
    EXPECT_EQ(listRuns(folder.path(), [&] { return ++asked > 2; }).size(), 2u) << "it can be called off";
}

TEST(RunSummary, AFolderThatMayNotBeReadIsSaid)
{
    TestFolder folder;
    (void)begunRun(folder / "closed", 3);
    fs::permissions(folder / "closed", fs::perms::none);
    {
        const PlainUser user(folder.path());
        const RunSummary run = readRunSummary(folder / "closed");
        EXPECT_EQ(run.state, RunState::Unknown);
        EXPECT_FALSE(run.trouble.empty());
    }
    fs::permissions(folder / "closed", fs::perms::owner_all);
}

TEST(RunSummary, ASlowLookDoesNotKeepAWriterOut)
{
    TestFolder folder;
    (void)begunRun(folder / "run", 3);
    const int look = ::open((folder / "run").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_EQ(::flock(look, LOCK_SH), 0);
    EXPECT_FALSE(FolderLock::isTaken(folder / "run")) << "it is no writer";
    auto writer = std::async(std::launch::async, [&] { return std::make_unique<FolderLock>(folder / "run"); });
    EXPECT_EQ(writer.wait_for(std::chrono::milliseconds(500)), std::future_status::timeout);
    ::close(look);
    const auto lock = writer.get();
    EXPECT_TRUE(lock->held());
    EXPECT_TRUE(FolderLock::isTaken(folder / "run"));
    EXPECT_FALSE(FolderLock(folder / "run").held());
}

TEST(RunSummary, LooksDoNotKeepAWriterOut)
{
    TestFolder folder;
    (void)begunRun(folder / "run", 3);
    std::jthread looker([&](const std::stop_token& stop) {
        while (!stop.stop_requested())
            (void)FolderLock::isTaken(folder / "run");
    });
    for (int round = 0; round < 50; ++round)
        EXPECT_TRUE(FolderLock(folder / "run").held());
}

TEST(RunCare, RenamesWhatDoesNotGo)
{
    TestFolder folder;
    {
        RunFolder run = begunRun(folder / "one", 3);
        EXPECT_THAT(renameRun(folder / "one", "two").error().text(), HasSubstr("stop it first"));
        run.mark(RunState::Finished);
        const auto to = renameRun(folder / "one", "zwölf runs"); // open, but at its end
        ASSERT_TRUE(to) << to.error().text();
        EXPECT_EQ(*to, folder / "zwölf runs");
        run.moved(*to);
        checkpointAt(run, 3, 1);
        EXPECT_TRUE(fs::exists(*to / "checkpoints/step-3"));
    }
    EXPECT_FALSE(fs::exists(folder / "one"));
    fs::create_directory(folder / "taken");
    for (const char* name : {"", "  ", ".", "..", ".x", "a/b", "a\nb", "taken"}) {
        const auto refused = renameRun(folder / "zwölf runs", name);
        ASSERT_FALSE(refused) << name;
        EXPECT_GT(refused.error().message.size(), 10u);
    }
    EXPECT_FALSE(renameRun(folder / "zwölf runs", std::string(201, 'x')));
    EXPECT_TRUE(fs::exists(folder / "taken")) << "and nothing was replaced";
    EXPECT_TRUE(renameRun(folder / "zwölf runs", "zwölf runs"));
    EXPECT_FALSE(renameRun(folder / "gone", "there"));
}

TEST(RunCare, NotesComeAndGo)
{
    TestFolder folder;
    EXPECT_EQ(readRunNote(folder.path()), "");
    ASSERT_TRUE(writeRunNote(folder.path(), "größer\n"));
    EXPECT_EQ(readRunNote(folder.path()), "größer\n");
    ASSERT_TRUE(writeRunNote(folder.path(), ""));
    EXPECT_EQ(folder.entries(), 0u);
    EXPECT_TRUE(writeRunNote(folder.path(), "")) << "nothing to take away";
    EXPECT_FALSE(writeRunNote(folder.path(), std::string(1 << 17, 'x')));
    EXPECT_FALSE(writeRunNote(folder / "nowhere", "x"));
}

TEST(SampleFile, GivesBackWhatWasWritten)
{
    const std::string file =
        sampleRecord({5, "one\n== step 9, 1 bytes ==\nx\n\n"}) + sampleRecord({7, ""}) + sampleRecord({9, "end"});
    const auto samples = samplesIn(file);
    ASSERT_EQ(samples.size(), 3u);
    EXPECT_EQ(samples[0].text, "one\n== step 9, 1 bytes ==\nx\n\n");
    EXPECT_EQ(samples[1].step, 7);
    for (std::size_t cut = 0; cut < file.size(); ++cut)
        EXPECT_LT(samplesIn(std::string_view(file).substr(0, cut)).size(), 3u);
    EXPECT_EQ(samplesIn(samplesUpTo(file, 8)).size(), 2u);
    EXPECT_EQ(samplesIn("== step 1, 99999999999999999999 bytes ==\nx\n\n").size(), 0u);
}

} // namespace
} // namespace unroll
