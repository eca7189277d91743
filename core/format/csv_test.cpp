// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/csv.h"

#include "core/format/damage.h"
#include "core/format/failing_calls.h"
#include "core/format/small_disk.h"
#include "tests/support/test_folder.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace unroll::format {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Result<void> writeRow(CsvWriter& writer, LogRow row)
{
    return writer.write(std::span(&row, 1));
}

TEST(Csv, WritesHeaderOnceAndLeavesGapsEmpty)
{
    const TestFolder folder;
    auto writer = CsvWriter::create(folder / "m.csv", {"tokens", "train/loss", "a,\"b\"\n"});
    ASSERT_TRUE(writer);
    const std::vector<LogRow> rows = {{0, {{"train/loss", 4.25}, {"tokens", 0}}}, {10, {{"tokens", 1e6}}}, {20, {}}};
    ASSERT_TRUE(writer->write(rows));
    ASSERT_TRUE(writeRow(*writer, {30, {{"a,\"b\"\n", -0.0}, {"train/loss", std::nan("")}}}));
    EXPECT_EQ(contentOf(folder / "m.csv"), "step,tokens,train/loss,\"a,\"\"b\"\"\n\"\r\n"
                                           "0,0,4.25,\r\n10,1000000,,\r\n20,,,\r\n30,,NaN,-0\r\n");
}

TEST(Csv, NumbersComeBackBitForBit)
{
    const TestFolder folder;
    using limits = std::numeric_limits<double>;
    const std::vector<double> values = {0.1,
                                        1 / 3.0,
                                        limits::max(),
                                        limits::denorm_min(),
                                        limits::min(),
                                        -limits::infinity(),
                                        limits::infinity(),
                                        9007199254740992,
                                        9007199254740993e3,
                                        1e-5,
                                        123456789.125,
                                        static_cast<double>(0.1F)};
    auto writer = CsvWriter::create(folder / "m.csv", {"v"});
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_TRUE(writeRow(*writer, {static_cast<std::int64_t>(i), {{"v", values[i]}}}));
    const auto table = readCsvLog(folder / "m.csv");
    ASSERT_TRUE(table) << table.error().text();
    ASSERT_EQ(table->rows.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_THAT(table->rows[i].values, ElementsAre(Pair("v", values[i])));
}

TEST(Csv, RefusesColumnsThatDoNotFit)
{
    const TestFolder folder;
    EXPECT_THAT(CsvWriter::create(folder / "m", {"a", "a"}).error().text(),
                HasSubstr("m: the column 'a' occurs twice"));
    EXPECT_THAT(CsvWriter::create(folder / "m", {"step"}).error().text(), HasSubstr("the column 'step' occurs twice"));
    auto writer = CsvWriter::create(folder / "m", {"a"});
    const auto written = writer->write(std::vector<LogRow>{{1, {{"a", 1}}}, {2, {{"b", 1}}}});
    EXPECT_THAT(written.error().text(), HasSubstr("m: has no column 'b'"));
    EXPECT_EQ(contentOf(folder / "m"), "step,a\r\n");
}

TEST(Csv, ResumesAfterTheCheckpoint)
{
    const TestFolder folder;
    auto first = CsvWriter::create(folder / "m", {"a", "b"});
    for (const std::int64_t step : {10, 20, 30, 40})
        ASSERT_TRUE(writeRow(*first, {step, {{"b", static_cast<double>(step) / 8}}}));
    writeContent(folder / "m", contentOf(folder / "m") + "50,1,"); // killed inside a row
    auto resumed = CsvWriter::resume(folder / "m", {"b", "c"}, 30);
    ASSERT_TRUE(resumed) << resumed.error().text();
    EXPECT_THAT(resumed->columns(), ElementsAre("a", "b", "c"));
    ASSERT_TRUE(writeRow(*resumed, {40, {{"c", 7}}}));
    EXPECT_EQ(contentOf(folder / "m"), "step,a,b,c\r\n10,,1.25,\r\n20,,2.5,\r\n30,,3.75,\r\n40,,,7\r\n");
    EXPECT_TRUE(CsvWriter::resume(folder / "new", {"a"}, 5));
    EXPECT_EQ(contentOf(folder / "new"), "step,a\r\n");
    writeContent(folder / "empty", "");
    EXPECT_TRUE(CsvWriter::resume(folder / "empty", {"a"}, 5));
    EXPECT_EQ(contentOf(folder / "empty"), "step,a\r\n");
}

TEST(Csv, AFailedResumeKeepsTheFile)
{
    const TestFolder folder;
    const std::string content = "step,a\r\n1,2\r\n";
    for (int n = 1; n < 14; ++n) {
        writeContent(folder / "m", content);
        FailingCalls calls(n, FailingCalls::Mode::FromThere, EIO);
        static_cast<void>(CsvWriter::resume(folder / "m", {"a"}, 1, calls));
        EXPECT_EQ(contentOf(folder / "m"), content) << n;
    }
}

TEST(Csv, ARunStartsAndCatchesUpOnAFullDisk)
{
    const SmallDisk disk;
    if (!disk.fault().empty())
        GTEST_SKIP() << disk.fault();
    disk.fill();
    auto writer = CsvWriter::create(disk.folder() / "m", {"a"});
    ASSERT_TRUE(writer) << writer.error().text();
    EXPECT_THAT(writeRow(*writer, {1, {{"a", 1}}}).error().text(),
                HasSubstr("m: cannot write: No space left on device"));
    EXPECT_TRUE(writeRow(*writer, {2, {{"a", 2}}}));
    disk.makeRoom();
    EXPECT_TRUE(writer->sync());
    EXPECT_EQ(contentOf(disk.folder() / "m"), "step,a\r\n1,1\r\n2,2\r\n");
}

TEST(Csv, NamesTheLineThatIsWrong)
{
    const TestFolder folder;
    const auto errorOf = [&](std::string_view text) {
        writeContent(folder / "m", text);
        const auto table = readCsvLog(folder / "m");
        return table ? std::string("accepted") : table.error().text();
    };
    EXPECT_THAT(errorOf("time,a\n1,2\n"), HasSubstr("m line 1: its first column is not 'step'"));
    EXPECT_THAT(errorOf("step,a\n1,2\n3\n"), HasSubstr("m line 3: has 1 cells, the header 2"));
    EXPECT_THAT(errorOf("step,a\n1.5,2\n"), HasSubstr("m line 2: '1.5' is not a step"));
    EXPECT_THAT(errorOf("step,a\n1,\"1,5\"\n"), HasSubstr("m line 2: '1,5' in column 'a' is not a number"));
    EXPECT_EQ(errorOf("step,a\n1,\n2,\"3\"\n"), "accepted");
    EXPECT_EQ(errorOf(""), "accepted");
}

TEST(Csv, RandomDamageNeverCrashes)
{
    const TestFolder folder(TestFolder::In::Memory);
    const std::string good = "step,train/loss,\"a,b\"\r\n1,2.5,NaN\r\n2,,-3e-05\r\n100,1,2\r\n";
    Damage damage(3);
    for (int i = 0; i < 10'000; ++i) {
        writeContent(folder / "m", damage.of(good));
        static_cast<void>(readCsvLog(folder / "m"));
    }
}

} // namespace
} // namespace unroll::format
