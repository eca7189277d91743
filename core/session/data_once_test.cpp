// SPDX-License-Identifier: GPL-3.0-or-later
// A check and the run that follows it share what was read.
#include "core/runs/run_folder.h"
#include "tests/support/short_runs.h"
#include "tests/support/test_folder.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace unroll {
namespace {

namespace fs = std::filesystem;

std::atomic<int> readings = 0; ///< each reads, hashes and tokenises the file

Result<std::shared_ptr<const Dataset>> openAndCount(const SourceSetup& setup)
{
    static const OpenSource open = allBuilders().source("text");
    ++readings;
    return open(setup);
}

class DataOnce : public ::testing::Test {
protected:
    DataOnce() : m_builders(allBuilders())
    {
        m_builders.addSource("text", openAndCount);
        readings = 0;
        m_cache = std::make_unique<DataCache>(m_builders);
        writeContent(m_file, textOf("ab cd, "));
        m_experiment = testing::tinyExperiment();
        m_experiment.graph = edits::setParam(1, "file", m_file.string()).apply(m_experiment.graph).value();
        m_experiment.training.steps = 3;
        m_experiment.training.warmup = 1;
        m_experiment.training.evaluateEvery = 0;
    }

    static std::string textOf(const std::string& words)
    {
        std::string text;
        for (int i = 0; i < 600; ++i)
            text += words;
        return text;
    }

    bool check() { return checkExperiment(m_experiment, testing::registry(), *m_cache).runnable(); }

    /// To its end; the hash of the data it says it was trained on.
    std::string run(SessionOptions options)
    {
        options.runFolder = m_folder / "run";
        const auto session = startSession(m_experiment, testing::registry(), m_builders, options);
        session->run();
        EXPECT_TRUE(session->finish(240));
        EXPECT_EQ(session->snapshot()->state, RunState::Finished) << session->snapshot()->failure;
        return RunFolder::open(options.runFolder).value().environment().dataHash;
    }

    std::string hashOfFile() const
    {
        DataCache fresh(allBuilders());
        const CheckedGraph checked = checkExperiment(m_experiment, testing::registry(), fresh);
        return fresh.open("text", checked.nodes.at(1).params, m_experiment.folder).value()->contentHash();
    }

    TestFolder m_folder;
    fs::path m_file = m_folder / "text.txt";
    Builders m_builders;
    std::unique_ptr<DataCache> m_cache;
    Experiment m_experiment;
};

TEST_F(DataOnce, ACheckAndTheRunThatFollowsReadAFileOnce)
{
    ASSERT_TRUE(check());
    ASSERT_TRUE(check());
    EXPECT_EQ(run({.data = m_cache.get()}), hashOfFile());
    EXPECT_TRUE(check());
    EXPECT_EQ(readings, 1);
}

TEST_F(DataOnce, ARunWithoutThemReadsForItself)
{
    ASSERT_TRUE(check());
    EXPECT_EQ(run({}), hashOfFile());
    EXPECT_EQ(readings, 2);
}

TEST_F(DataOnce, AFileThatHasChangedInBetweenIsReadAgain)
{
    ASSERT_TRUE(check());
    const std::string before = hashOfFile();
    writeContent(m_file, textOf("ab cd, ef "));
    const std::string trained = run({.data = m_cache.get()});
    EXPECT_NE(trained, before);
    EXPECT_EQ(trained, hashOfFile());
    EXPECT_EQ(readings, 2);
}

/// As a copy that keeps the time of writing puts it there.
TEST_F(DataOnce, AnotherFileOfTheSameSizeAndTimeIsReadToo)
{
    ASSERT_TRUE(check());
    const std::string before = hashOfFile();
    const fs::path other = m_folder / "other.txt";
    writeContent(other, textOf("xy zz. "));
    fs::last_write_time(other, fs::last_write_time(m_file));
    fs::rename(other, m_file);
    const std::string trained = run({.data = m_cache.get()});
    EXPECT_NE(trained, before);
    EXPECT_EQ(trained, hashOfFile());
    EXPECT_EQ(readings, 2);
}

/// By its alphabet, which the file need not give any more.
TEST_F(DataOnce, ARunThatGoesOnReadsByWhatItHasLearned)
{
    ASSERT_TRUE(check());
    run({.data = m_cache.get()});
    writeContent(m_file, textOf("ab ab, "));
    m_experiment.training.steps = 5;
    ASSERT_TRUE(check());
    EXPECT_EQ(readings, 2);
    run({.resume = true, .data = m_cache.get()});
    EXPECT_EQ(readings, 3);
}

TEST_F(DataOnce, ThoseWhoAskAtTheSameTimeWaitForOneReading)
{
    std::atomic<int> runnable = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] { runnable += check() ? 1 : 0; });
    }
    EXPECT_EQ(runnable, 4);
    EXPECT_EQ(readings, 1);
}

} // namespace
} // namespace unroll
