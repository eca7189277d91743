// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/lens_rows.h"

#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace unroll {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> stepsIn(const std::filesystem::path& run)
{
    std::vector<std::int64_t> steps;
    const auto rows = LensRows::read(run);
    EXPECT_TRUE(rows) << rows.error().text();
    for (const format::LogRow& row : rows.value())
        steps.push_back(row.step);
    return steps;
}

TEST(LensRows, AFileBeginsWithItsFirstRow)
{
    const TestFolder folder;
    LensRows rows;
    EXPECT_THAT(stepsIn(folder.path()), ElementsAre());
    ASSERT_TRUE(rows.sync());
    EXPECT_FALSE(std::filesystem::exists(LensRows::file(folder.path())));
    ASSERT_TRUE(rows.add(folder.path(), {3, {{"tracks/auc.a", 0.75}, {"tracks/r.b", -0.5}}}));
    ASSERT_TRUE(rows.add(folder.path(), {9, {{"weights/weights.lstm", 2}}}));
    const auto read = LensRows::read(folder.path()).value();
    ASSERT_EQ(read.size(), 2u);
    EXPECT_THAT(read[0].values, ElementsAre(std::pair("tracks/auc.a", 0.75), std::pair("tracks/r.b", -0.5)));
}

TEST(LensRows, ResumingCutsWhatTheCheckpointDoesNotKnowAndATornLine)
{
    const TestFolder folder;
    writeContent(folder / "lenses.jsonl",
                 "{\"step\":1,\"a/x\":1}\n{\"step\":5,\"a/x\":2}\n{\"step\":6,\"a/x\":3}\n{\"st");
    EXPECT_THAT(stepsIn(folder.path()), ElementsAre(1, 5, 6)) << "the torn line is passed over";
    LensRows rows;
    ASSERT_TRUE(rows.resume(folder.path(), 5));
    ASSERT_TRUE(rows.add(folder.path(), {7, {}}));
    EXPECT_THAT(stepsIn(folder.path()), ElementsAre(1, 5, 7));
}

TEST(LensRows, ReplacingGoesOnBehindTheNewRows)
{
    const TestFolder folder;
    LensRows rows;
    for (std::int64_t step = 1; step <= 4; ++step)
        ASSERT_TRUE(rows.add(folder.path(), {step, {{"a/x", 1}}}));
    const std::vector<format::LogRow> kept{{2, {{"a/x", 1}}}, {4, {{"a/x", 1}}}};
    ASSERT_TRUE(rows.replace(folder.path(), kept));
    ASSERT_TRUE(rows.add(folder.path(), {5, {}}));
    EXPECT_THAT(stepsIn(folder.path()), ElementsAre(2, 4, 5));
}

} // namespace
} // namespace unroll
