// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/jsonl.h"

#include "tests/support/test_folder.h"

#include <cmath>
#include <limits>

namespace unroll::format {
namespace {

TEST(Jsonl, WritesOneObjectALine)
{
    const TestFolder folder;
    auto writer = JsonlWriter::create(folder / "m");
    ASSERT_TRUE(writer);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::vector<LogRow> rows = {
        {1, {{"train/loss", 0.1}, {"tokens", 1536}}},
        {2, {{"train/loss", std::numeric_limits<double>::quiet_NaN()}, {"a", infinity}, {"b", -infinity}}},
        {3, {}},
        {4, {{"quote\" \\ \n \x01 \xff é", 1e-7}}}};
    ASSERT_TRUE(writer->write(rows));
    EXPECT_EQ(contentOf(folder / "m"), "{\"step\":1,\"train/loss\":0.1,\"tokens\":1536}\n"
                                       "{\"step\":2,\"train/loss\":\"NaN\",\"a\":\"Infinity\",\"b\":\"-Infinity\"}\n"
                                       "{\"step\":3}\n"
                                       "{\"step\":4,\"quote\\\" \\\\ \\n \\u0001 \xef\xbf\xbd é\":1e-07}\n");
}

TEST(Jsonl, ResumesAfterTheCheckpoint)
{
    const TestFolder folder;
    writeContent(folder / "m",
                 "{\"step\":1,\"a\":1}\n{\"note\":\"mine\"}\n{\"step\":2}\n{\"step\":30}\n{\"step\":2,\"a");
    auto writer = JsonlWriter::resume(folder / "m", 2);
    ASSERT_TRUE(writer);
    const LogRow row{3, {}};
    ASSERT_TRUE(writer->write(std::span(&row, 1)));
    EXPECT_EQ(contentOf(folder / "m"), "{\"step\":1,\"a\":1}\n{\"note\":\"mine\"}\n{\"step\":2}\n{\"step\":3}\n");
    EXPECT_TRUE(JsonlWriter::resume(folder / "new", 2));
}

TEST(Jsonl, ReadsItsRowsBack)
{
    const TestFolder folder;
    writeContent(folder / "m", "{\"step\":1,\"a\":0.5,\"b\":\"NaN\",\"word\":\"x\"}\n{\"note\":\"mine\"}\nnonsense\n"
                               "{\"step\":7,\"a\":\"-Infinity\"}\n{\"step\":8,\"a\":1");
    std::vector<LogRow> rows;
    ASSERT_TRUE(readJsonlRows(folder / "m", [&](LogRow row) { rows.push_back(std::move(row)); }));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].step, 1);
    ASSERT_EQ(rows[0].values.size(), 2u);
    EXPECT_EQ(rows[0].values[0], std::pair(std::string("a"), 0.5));
    EXPECT_TRUE(std::isnan(rows[0].values[1].second));
    EXPECT_EQ(rows[1].values.front().second, -std::numeric_limits<double>::infinity());
    EXPECT_FALSE(readJsonlRows(folder / "none", [](LogRow) {}));
}

} // namespace
} // namespace unroll::format
