// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/run_python.h"

#include "tests/support/short_runs.h"
#include "tests/support/test_folder.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stop_token>
#include <string>
#include <thread>

namespace unroll {
namespace {

/// A program in the place of Python while it lives; it needs no torch.
class StandIn {
public:
    StandIn(const TestFolder& folder, const std::string& lines)
    {
        const std::string program = folder / "python";
        std::ofstream(program) << "#!/bin/sh\n" << lines;
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        if (const char* before = std::getenv("UNROLL_PYTHON"))
            m_before = before;
        setenv("UNROLL_PYTHON", program.c_str(), 1);
    }
    ~StandIn() { m_before.empty() ? unsetenv("UNROLL_PYTHON") : setenv("UNROLL_PYTHON", m_before.c_str(), 1); }
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;

private:
    std::string m_before;
};

TEST(RunPython, GivesWhatItPrintsOrTheErrorThatItNames)
{
    const TestFolder folder;
    {
        const StandIn python(folder, "printf '%s' \"$4 $5\"\n");
        EXPECT_EQ(runPython("pass", {"one", "two"}, folder.path()).value_or(""), "one two");
    }
    const StandIn python(folder, "echo 'ValueError: too wide' >&2; exit 1\n");
    const auto failed = runPython("pass", {}, folder.path());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "ValueError: too wide");
}

TEST(RunPython, EndsItWhereItIsToStop)
{
    const TestFolder folder;
    const StandIn python(folder, "echo $$ > \"$4.tmp\"; mv \"$4.tmp\" \"$4\"; exec sleep 600\n");
    const std::string told = folder / "pid";
    std::stop_source source;
    const std::jthread stopping([&] {
        testing::waitUntil([&] { return std::filesystem::exists(told); });
        source.request_stop();
    });
    const auto began = std::chrono::steady_clock::now();
    const auto stopped = runPython("pass", {told}, folder.path(), source.get_token());
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60));
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().message, "it was stopped");
    pid_t child = 0;
    std::ifstream(told) >> child;
    ASSERT_GT(child, 0);
    EXPECT_EQ(kill(child, 0), -1);
    EXPECT_EQ(errno, ESRCH) << "it still runs";
    EXPECT_FALSE(runPython("pass", {folder / "other"}, folder.path(), source.get_token())) << "it was to stop before";
}

} // namespace
} // namespace unroll
