// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_folder.h"

#include "core/experiment/gallery.h"
#include "core/format/csv.h"
#include "core/graph/edit.h"
#include "tests/support/test_folder.h"

#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Experiment someExperiment()
{
    Experiment experiment;
    experiment.title = "Some";
    experiment.seed = 18446744073709551615u;
    experiment.folder = "/somewhere/else";
    return experiment;
}

RunEnvironment someEnvironment()
{
    return {"0.1", "2.11", "cpu", 3, "AMX", 18446744073709551615u, "a text", "abc", 5, 16, {"a", "ü", "\n", "\"", "😀"},
            {}};
}

MetricRow row(std::int64_t step, double loss)
{
    return {step, step * 10, static_cast<double>(step) / 4, {{"train/loss", loss}, {"odd/metric", 1.5}}};
}

std::vector<std::int64_t> stepsOf(const RunCheckpoints& checkpoints)
{
    std::vector<std::int64_t> steps;
    for (const CheckpointPlace& place : checkpoints.all())
        steps.push_back(place.step);
    return steps;
}

/// The best so far was that of step `best`, 0: none.
void writeCheckpointOf(RunCheckpoints& checkpoints, std::int64_t step, std::size_t keep,
                       const std::string& content = "x", std::int64_t best = 0, double loss = 0)
{
    const auto folder = checkpoints.begin(step);
    ASSERT_TRUE(folder) << folder.error().text();
    writeContent(*folder / "weights", content);
    writeContent(*folder / "progress.json",
                 fmt::format(R"({{"best_step": {}, "best_validation_loss": {}}})", best, loss));
    const auto finished = checkpoints.finish(step, keep);
    ASSERT_TRUE(finished) << finished.error().text();
}

TEST(RunFolder, WritesAndReadsBack)
{
    TestFolder folder;
    {
        auto run = RunFolder::create(folder / "run", someExperiment(), someEnvironment());
        ASSERT_TRUE(run) << run.error().text();
        run->append(row(1, 2.5));
        run->append(row(2, std::nan("")));
        run->addSample({2, "text\n== step 9, 1 bytes ==\nmore"});
        EXPECT_THAT(run->takeProblems(), IsEmpty());
    }
    const auto run = RunFolder::open(folder / "run");
    ASSERT_TRUE(run) << run.error().text();
    RunEnvironment expected = someEnvironment();
    expected.folder = "/somewhere/else";
    EXPECT_EQ(run->environment(), expected);
    EXPECT_EQ(run->experiment(), someExperiment());
    const auto table = format::readCsvLog(folder / "run/metrics.csv");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->columns, metricColumns());
    ASSERT_EQ(table->rows.size(), 2u);
    EXPECT_THAT(table->rows[0].values,
                ElementsAre(std::pair("tokens", 10.0), std::pair("seconds", 0.25), std::pair("train/loss", 2.5)));
    EXPECT_THAT(contentOf(folder / "run/metrics.jsonl"), HasSubstr(R"("odd/metric":1.5)"));
    EXPECT_THAT(contentOf(folder / "run/metrics.jsonl"), HasSubstr(R"("train/loss":"NaN")"));
}

TEST(RunFolder, ResumeCutsWhatTheCheckpointDoesNotKnow)
{
    TestFolder folder;
    {
        auto run = RunFolder::create(folder / "run", someExperiment(), someEnvironment());
        ASSERT_TRUE(run);
        for (std::int64_t step = 1; step <= 5; ++step) {
            run->append(row(step, 1.0 / static_cast<double>(step)));
            run->addSample({step, fmt::format("sample {}\n== step 1, 3 bytes ==\n", step)});
        }
    }
    std::ofstream(folder / "run/metrics.csv", std::ios::app) << "6,60"; // torn by a crash
    auto run = RunFolder::open(folder / "run");
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->resumeAt(3));
    run->append(row(4, 0.5));
    run->addSample({4, "new"});
    const auto table = format::readCsvLog(folder / "run/metrics.csv");
    ASSERT_TRUE(table);
    ASSERT_EQ(table->rows.size(), 4u);
    EXPECT_EQ(table->rows[3].values[2].second, 0.5);
    const std::string samples = contentOf(folder / "run/samples.txt");
    EXPECT_THAT(samples, HasSubstr("sample 3"));
    EXPECT_THAT(samples, Not(HasSubstr("sample 4")));
    EXPECT_THAT(samples, HasSubstr("== step 4, 3 bytes ==\nnew\n"));
    EXPECT_THAT(contentOf(folder / "run/log.txt"), HasSubstr("resumed after step 3"));
}

TEST(RunFolder, LeavesOthersFoldersAlone)
{
    TestFolder folder;
    writeContent(folder / "notes", "mine");
    const auto run = RunFolder::create(folder.path(), someExperiment(), someEnvironment());
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().place, folder.path().string());
    EXPECT_EQ(folder.entries(), 1u);
    EXPECT_THAT(RunFolder::create(folder / "notes", someExperiment(), someEnvironment()).error().message,
                HasSubstr("not a folder"));
    EXPECT_THAT(RunFolder::open(folder.path()).error().message, HasSubstr("no experiment.unroll"));
    EXPECT_THAT(RunFolder::open(folder / "none").error().message, HasSubstr("no run here"));
}

/// While it lives no file of this process grows beyond so many bytes: a disk that is full, without one.
class SmallFiles {
public:
    explicit SmallFiles(rlim_t bytes) : m_signal(std::signal(SIGXFSZ, SIG_IGN))
    {
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit small{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles()
    {
        setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_signal);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

private:
    rlimit m_before = {};
    void (*m_signal)(int);
};

TEST(RunFolder, ARunThatCannotBeginLeavesNothing)
{
    TestFolder folder;
    std::filesystem::create_directory(folder / "empty");
    RunEnvironment large = someEnvironment();
    large.data = std::string(1 << 20, 'x');
    for (const char* name : {"new", "empty"}) {
        {
            const SmallFiles small(1 << 16);
            const auto run = RunFolder::create(folder / name, someExperiment(), large);
            ASSERT_FALSE(run);
            EXPECT_THAT(run.error().place, HasSubstr("environment.json"));
        }
        EXPECT_EQ(std::filesystem::exists(folder / name), std::string(name) == "empty");
        EXPECT_TRUE(RunFolder::create(folder / name, someExperiment(), someEnvironment()));
    }
}

TEST(RunFolder, LostRecordsAreTold)
{
    TestFolder folder;
    auto run = RunFolder::create(folder / "run", someExperiment(), someEnvironment());
    ASSERT_TRUE(run);
    {
        const SmallFiles small(1 << 16);
        run->addSample({1, std::string(5 << 20, 'a')}); // held
        EXPECT_EQ(run->takeProblems().size(), 2u) << "samples.txt and the events: cannot write";
        for (int i = 0; i < 3; ++i)
            run->addSample({2, std::string(5 << 20, 'b')});
    }
    std::vector<std::string> lossy;
    for (const Error& problem : run->takeProblems())
        if (problem.message.find("lost") != std::string::npos)
            lossy.push_back(std::filesystem::path(problem.place).filename().string().substr(0, 6));
    EXPECT_THAT(lossy, ElementsAre("sample", "events")) << "once each";
    run->addSample({3, "c"});
    EXPECT_THAT(contentOf(folder / "run/samples.txt"), HasSubstr("== step 3, 1 bytes ==\nc\n"))
        << "there is room again";
}

TEST(RunFolder, OneWriterAtATime)
{
    TestFolder folder;
    auto first = RunFolder::create(folder / "run", someExperiment(), someEnvironment());
    ASSERT_TRUE(first);
    auto second = RunFolder::open(folder / "run");
    ASSERT_TRUE(second);
    EXPECT_THAT(second->resumeAt(1).error().message, HasSubstr("is training this run"));
    {
        const RunFolder gone = std::move(*first);
    }
    EXPECT_TRUE(second->resumeAt(1));
}

TEST(RunCheckpoints, KeepsTheNewestAndTheBest)
{
    TestFolder folder;
    RunCheckpoints checkpoints(folder.path());
    EXPECT_THAT(checkpoints.all(), IsEmpty());
    for (const std::int64_t step : {90, 100, 110})
        writeCheckpointOf(checkpoints, step, 2, "x", 90, 1.5);
    EXPECT_THAT(stepsOf(checkpoints), ElementsAre(110, 100, 90));
    writeCheckpointOf(checkpoints, 1000, 2, "x", 90, 1.5);
    EXPECT_THAT(stepsOf(checkpoints), ElementsAre(1000, 110, 90)) << "ordered as numbers, not as text";
    EXPECT_EQ(checkpoints.best()->place.step, 90);
    EXPECT_EQ(checkpoints.best()->validationLoss, 1.5);
    writeCheckpointOf(checkpoints, 1005, 2, "x", 1005, 1.0);
    writeCheckpointOf(checkpoints, 1010, 2, "x", 1005, 1.0);
    EXPECT_THAT(stepsOf(checkpoints), ElementsAre(1010, 1005));
    EXPECT_EQ(checkpoints.best()->validationLoss, 1.0);
}

/// One whose checkpoint could not be written is known to all later ones; the best of those that are there stays.
TEST(RunCheckpoints, TheBestIsAmongThoseThatAreThere)
{
    TestFolder folder;
    RunCheckpoints checkpoints(folder.path());
    writeCheckpointOf(checkpoints, 5, 2, "x", 5, 1.5);
    for (const std::int64_t step : {7, 8, 9})
        writeCheckpointOf(checkpoints, step, 2, "x", 6, 1.25);
    EXPECT_THAT(stepsOf(checkpoints), ElementsAre(9, 8, 5));
    EXPECT_EQ(checkpoints.best()->place.step, 5);
}

TEST(RunCheckpoints, WhatWasBegunCanBeDiscarded)
{
    TestFolder folder;
    RunCheckpoints checkpoints(folder.path());
    writeCheckpointOf(checkpoints, 5, 3);
    writeContent(*checkpoints.begin(6) / "weights", "half");
    checkpoints.discard(6);
    EXPECT_THAT(stepsOf(checkpoints), ElementsAre(5));
    EXPECT_FALSE(std::filesystem::exists(folder / "checkpoints/step-6.tmp"));
}

TEST(RunCheckpoints, TheSameStepAgainReplaces)
{
    TestFolder folder;
    RunCheckpoints checkpoints(folder.path());
    writeCheckpointOf(checkpoints, 5, 3, "old");
    writeCheckpointOf(checkpoints, 5, 3, "new");
    ASSERT_THAT(stepsOf(checkpoints), ElementsAre(5));
    EXPECT_EQ(contentOf(checkpoints.all()[0].folder / "weights"), "new");
}

TEST(RunCheckpoints, UnfinishedOnesAreNotSeenAndSwept)
{
    TestFolder folder;
    RunCheckpoints checkpoints(folder.path());
    writeCheckpointOf(checkpoints, 5, 3, "whole");
    writeContent(*checkpoints.begin(6) / "weights", "half");
    std::filesystem::rename(folder / "checkpoints/step-5",
                            folder / "checkpoints/step-5.old"); // killed between two renames
    std::filesystem::create_directory(folder / "checkpoints/step-x");
    ASSERT_THAT(stepsOf(checkpoints), ElementsAre(5));
    EXPECT_EQ(contentOf(checkpoints.all()[0].folder / "weights"), "whole");
    checkpoints.sweep();
    EXPECT_THAT(stepsOf(checkpoints), ElementsAre(5));
    EXPECT_EQ(contentOf(checkpoints.all()[0].folder / "weights"), "whole");
    EXPECT_FALSE(std::filesystem::exists(folder / "checkpoints/step-6.tmp"));
}

TEST(RunCheckpoints, ADamagedCheckpointIsNotTheBest)
{
    TestFolder folder;
    RunCheckpoints checkpoints(folder.path());
    writeCheckpointOf(checkpoints, 5, 3);
    for (const char* text : {"", "{", "[]", R"({"best_step": 5})", R"({"best_step": 7, "best_validation_loss": 1})",
                             R"({"best_step": 5, "best_validation_loss": "NaN"})"}) {
        writeContent(folder / "checkpoints/step-5/progress.json", text);
        EXPECT_FALSE(checkpoints.best()) << text;
    }
    writeContent(folder / "checkpoints/step-5/progress.json", R"({"best_step": 5, "best_validation_loss": 0})");
    EXPECT_TRUE(checkpoints.best());
}

TEST(Gallery, NamesAndPaths)
{
    ASSERT_THAT(galleryExperiments(), Not(IsEmpty()));
    const auto first = galleryExperiments().front();
    EXPECT_EQ(findExperiment(first.stem().string()), first);
    EXPECT_EQ(findExperiment(first.string()), first);
    const auto missing = findExperiment("no such thing");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr(first.stem().string()));
}

} // namespace
} // namespace unroll
