// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_status.h"
#include "tests/support/test_folder.h"

#include <gtest/gtest.h>
#include <set>

namespace unroll {
namespace {

TEST(RunState, HasAWordOfItsOwnThereAndBack)
{
    std::set<std::string> words;
    for (int i = 0; i <= static_cast<int>(RunState::Unknown); ++i) {
        const auto state = static_cast<RunState>(i);
        EXPECT_EQ(runStateFromWord(runStateWord(state)), state);
        EXPECT_TRUE(words.insert(runStateWord(state)).second) << runStateWord(state);
    }
    EXPECT_FALSE(runStateFromWord("dancing"));
    EXPECT_FALSE(runStateFromWord(""));
}

TEST(RunState, IsStoredAsRunningUntilTheRunHasEnded)
{
    const TestFolder folder;
    for (const RunState state : {RunState::Idle, RunState::Building, RunState::Running, RunState::Paused}) {
        ASSERT_TRUE(writeRunStatus(folder.path(), {state, {}, 1, 2, 3}));
        EXPECT_EQ(readRunStatus(folder.path()).value().state, RunState::Running) << runStateWord(state);
        EXPECT_FALSE(hasEnded(state));
    }
    for (const RunState state : {RunState::Finished, RunState::Stopped, RunState::Failed}) {
        const RunStatus status{state, "why", 1, 2, 3};
        ASSERT_TRUE(writeRunStatus(folder.path(), status));
        EXPECT_EQ(readRunStatus(folder.path()).value(), status);
        EXPECT_TRUE(hasEnded(state));
    }
}

TEST(RunState, WordsOfEarlierVersionsAreRead)
{
    const TestFolder folder;
    writeContent(folder / "status.json", R"({"state": "going", "started": 5, "changed": 6, "process": 7})");
    const RunStatus status{RunState::Running, {}, 5, 6, 7};
    EXPECT_EQ(readRunStatus(folder.path()).value(), status);
}

TEST(RunState, WhatNoFolderSaysIsAnError)
{
    const TestFolder folder;
    for (const char* word : {"paused", "building", "idle", "interrupted", "unknown", "dancing"}) {
        writeContent(folder / "status.json", std::string(R"({"state": ")") + word + "\"}");
        EXPECT_FALSE(readRunStatus(folder.path())) << word;
    }
}

} // namespace
} // namespace unroll
