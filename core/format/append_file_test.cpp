// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/append_file.h"

#include "core/format/failing_calls.h"
#include "core/format/small_disk.h"
#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <optional>
#include <sys/stat.h>

namespace unroll::format {
namespace {

using Start = AppendFile::Start;
using Mode = FailingCalls::Mode;

std::string record(int i)
{
    return std::to_string(i) + std::string(static_cast<std::size_t>(i), '.') + "\n";
}

class EveryAppendCallFails : public testing::TestWithParam<std::pair<Mode, int>> {};

TEST_P(EveryAppendCallFails, NoRecordIsLostOrTwice)
{
    constexpr int records = 6;
    bool reached = true;
    for (int n = 1; reached; ++n) {
        SCOPED_TRACE("call " + std::to_string(n));
        const TestFolder folder;
        FailingCalls calls(n, GetParam().first, GetParam().second);
        std::string all;
        {
            auto file = AppendFile::open(folder / "log", Start::New, calls);
            if (!file)
                continue;
            for (int i = 0; i < records; ++i) {
                all += record(i);
                const bool told = !file->append(record(i));
                EXPECT_FALSE(told && !file->failing());
                // What is there is a beginning of the log; it may stop inside a record only while the cut has failed
                // too.
                EXPECT_THAT(all, testing::StartsWith(contentOf(folder / "log")));
            }
        }
        reached = calls.reached();
        if (GetParam().first != Mode::FromThere || !reached) {
            EXPECT_EQ(contentOf(folder / "log"), all);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(AppendFile, EveryAppendCallFails,
                         testing::Values(std::pair(Mode::Once, EIO), std::pair(Mode::FromThere, EIO),
                                         std::pair(Mode::ShortWrite, ENOSPC)));

TEST(AppendFile, TellsAFailureOnceAndCatchesUp)
{
    const SmallDisk disk;
    if (!disk.fault().empty())
        GTEST_SKIP() << disk.fault();
    auto file = AppendFile::open(disk.folder() / "log", Start::New);
    ASSERT_TRUE(file && file->append("first\n"));
    disk.fill();
    const std::string row(10'000, 'r');
    const auto failed = file->append(row);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error(), (Error{"cannot write: No space left on device", (disk.folder() / "log").string()}));
    EXPECT_TRUE(file->append(row)) << "told twice";
    EXPECT_TRUE(file->failing());
    EXPECT_FALSE(file->sync()) << "a question gets an answer";
    EXPECT_EQ(contentOf(disk.folder() / "log"), "first\n") << "a torn record is left";
    disk.makeRoom();
    EXPECT_TRUE(file->append("last\n"));
    EXPECT_FALSE(file->failing());
    EXPECT_EQ(contentOf(disk.folder() / "log"), "first\n" + row + row + "last\n");
    disk.fill();
    EXPECT_FALSE(file->append(row)) << "a new failure is told again";
}

TEST(AppendFile, GivesUpTheNewestWhenTooMuchIsHeld)
{
    const TestFolder folder;
    FailingCalls calls(3, Mode::FromThere, EIO);
    auto file = AppendFile::open(folder / "log", Start::New, calls);
    ASSERT_TRUE(file);
    file->begin("header");
    EXPECT_FALSE(file->failing()) << "a header fails silently";
    EXPECT_FALSE(file->append("row"));
    EXPECT_TRUE(file->append(std::string(AppendFile::kHoldLimit, 'x')));
    EXPECT_EQ(file->lostRecords(), 1U);
    EXPECT_TRUE(file->append("row"));
    EXPECT_EQ(file->lostRecords(), 1U);
}

TEST(AppendFile, StartsAsAsked)
{
    const TestFolder folder;
    writeContent(folder / "log", "old");
    EXPECT_FALSE(AppendFile::open(folder / "log", Start::New));
    ASSERT_TRUE(AppendFile::open(folder / "log", Start::Continue).value().append("+new"));
    EXPECT_EQ(contentOf(folder / "log"), "old+new");
    ASSERT_TRUE(AppendFile::open(folder / "log", Start::Replace).value().append("new"));
    EXPECT_EQ(contentOf(folder / "log"), "new");
    EXPECT_FALSE(AppendFile::open(folder / "no/log", Start::New));
    EXPECT_FALSE(AppendFile::open(folder.path(), Start::Continue));
    ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
    EXPECT_FALSE(AppendFile::open(folder / "fifo", Start::Continue));
}

} // namespace
} // namespace unroll::format
