// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_names.h"
#include "tests/support/test_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

namespace unroll {
namespace {

namespace fs = std::filesystem;

/// A folder with what every run has, written to so many minutes ago.
void makeRun(const fs::path& folder, int minutes)
{
    fs::create_directories(folder);
    std::ofstream(folder / "environment.json") << "{}";
    fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
}

TEST(RunNames, NearOnesAreOffered)
{
    TestFolder folder;
    const fs::path place = folder.path();
    makeRun(place / "char-lstm", 1);
    fs::create_directories(place / "char-lstm/checkpoints/step-2");
    EXPECT_EQ(runsNear(place / "char-lsmt"), "; did you mean " + (place / "char-lstm").string() + "?");
    EXPECT_EQ(runsNear(place / "waves"), "");
    std::ofstream(place / "char-lstm/experiment.unroll") << "{}";
    EXPECT_NE(runsNear(place / "char-lstm/checkpoints/step-2").find("it lies in the run "), std::string::npos);
}

TEST(RunNames, TheFirstThatIsFree)
{
    TestFolder folder;
    const fs::path place = folder.path();
    EXPECT_EQ(freeRunFolder(place / "runs", "mine"), place / "runs/mine");
    fs::create_directories(place / "mine");
    EXPECT_EQ(freeRunFolder(place, "mine"), place / "mine-2");
    fs::create_directories(place / "mine-2");
    std::ofstream(place / "mine-3") << "a file";
    EXPECT_EQ(freeRunFolder(place, "mine"), place / "mine-4");
}

TEST(RunNames, TheLastIsTheOneWrittenToLast)
{
    TestFolder folder;
    const fs::path place = folder.path();
    EXPECT_EQ(lastRunFolder(place / "none", "mine"), fs::path());
    EXPECT_EQ(lastRunFolder(place, "mine"), fs::path());
    makeRun(place / "mine", 9);
    EXPECT_EQ(lastRunFolder(place, "mine"), place / "mine");
    makeRun(place / "mine-12", 5);
    makeRun(place / "mine-2", 7);
    makeRun(place / "mine-wide", 1);
    makeRun(place / "mine-", 1);
    makeRun(place / "mines", 1);
    fs::create_directories(place / "mine-13"); // no run in it
    EXPECT_EQ(lastRunFolder(place, "mine"), place / "mine-12");
}

} // namespace
} // namespace unroll
