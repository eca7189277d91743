// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/csv_pieces.h"

#include "tests/support/test_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll::format {
namespace {

using ::testing::HasSubstr;

/// A log of `rows` steps, as a writer leaves it.
void writeLog(const std::filesystem::path& path, std::int64_t rows)
{
    auto writer = CsvWriter::create(path, {"train/loss", "val/loss"});
    ASSERT_TRUE(writer);
    std::vector<LogRow> all;
    for (std::int64_t step = 1; step <= rows; ++step)
        all.push_back({step, {{"train/loss", 1.0 / static_cast<double>(step)}}});
    ASSERT_TRUE(writer->write(all));
}

std::vector<LogRow> rowsOf(const std::filesystem::path& path, Result<void>& outcome)
{
    std::vector<LogRow> rows;
    outcome = readCsvRows(path, [&rows](LogRow row) { rows.push_back(std::move(row)); });
    return rows;
}

TEST(CsvPieces, GiveWhatTheWholeFileGives)
{
    TestFolder folder;
    writeLog(folder / "long.csv", 120'000); // several pieces
    ASSERT_GT(std::filesystem::file_size(folder / "long.csv"), 2u << 20);
    const auto whole = readCsvLog(folder / "long.csv");
    ASSERT_TRUE(whole);
    Result<void> outcome;
    const auto rows = rowsOf(folder / "long.csv", outcome);
    ASSERT_TRUE(outcome) << outcome.error().text();
    ASSERT_EQ(rows.size(), whole->rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i].step, whole->rows[i].step);
        ASSERT_EQ(rows[i].values, whole->rows[i].values);
    }
}

TEST(CsvPieces, TheTailHoldsTheNewestWholeRows)
{
    TestFolder folder;
    writeLog(folder / "log.csv", 500);
    std::ofstream(folder / "log.csv", std::ios::app) << "501,0.0"; // torn
    for (const std::uint64_t bytes : {0u, 1u, 20u, 100u, 1000u, 1u << 20}) {
        const auto tail = readCsvTail(folder / "log.csv", bytes);
        ASSERT_TRUE(tail) << tail.error().text();
        EXPECT_EQ(tail->columns, (std::vector<std::string>{"train/loss", "val/loss"}));
        if (bytes >= 100) {
            EXPECT_EQ(tail->rows.back().step, 500) << bytes;
        }
        for (std::size_t i = 1; i < tail->rows.size(); ++i)
            EXPECT_EQ(tail->rows[i].step, tail->rows[i - 1].step + 1);
        EXPECT_LE(tail->rows.size() * 5, bytes + 5);
    }
    EXPECT_EQ(readCsvTail(folder / "log.csv", 1 << 20)->rows.size(), 500u);
}

TEST(CsvPieces, BeginningsAndDamageAreNoCrash)
{
    TestFolder folder;
    Result<void> outcome;
    for (const char* begun : {"", "step,train"}) { // a writer that has come no further yet
        writeContent(folder / "begun.csv", begun);
        EXPECT_TRUE(rowsOf(folder / "begun.csv", outcome).empty());
        EXPECT_TRUE(outcome);
        EXPECT_TRUE(readCsvTail(folder / "begun.csv", 100)->rows.empty());
    }
    for (const std::string damaged : {"a,b\n1,2\n", "step,x\n1,2,3\n", "step,x\none,2\n", "step,x\n1,two\n"}) {
        writeContent(folder / "damaged.csv", damaged);
        rowsOf(folder / "damaged.csv", outcome);
        ASSERT_FALSE(outcome) << damaged;
        EXPECT_THAT(outcome.error().text(), HasSubstr("damaged.csv"));
        EXPECT_FALSE(readCsvTail(folder / "damaged.csv", 1 << 20)) << damaged;
    }
    writeContent(folder / "endless.csv", "step,x\n" + std::string(3 << 20, '7'));
    rowsOf(folder / "endless.csv", outcome);
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().text(), HasSubstr("a line of more than"));
    EXPECT_FALSE(readCsvTail(folder / "nowhere.csv", 10));
}

} // namespace
} // namespace unroll::format
