// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/atomic_file.h"

#include "core/format/failing_calls.h"
#include "core/format/small_disk.h"
#include "tests/support/plain_user.h"
#include "tests/support/test_folder.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <gmock/gmock.h>
#include <random>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace unroll::format {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Mode = FailingCalls::Mode;

// Pieces below and above what is gathered, so that several writes reach the system.
Result<void> saveInPieces(const std::filesystem::path& path, char fill, FileCalls& calls)
{
    auto file = AtomicFile::create(path, calls);
    if (!file)
        return tl::unexpected(file.error());
    for (const std::size_t bytes : {10, 70'000, 65'536, 1, 60'000, 30'000})
        if (auto written = file->write(std::string(bytes, fill)); !written)
            return written;
    return file->commit();
}

const std::string piecesOf(char fill)
{
    return std::string(10 + 70'000 + 65'536 + 1 + 60'000 + 30'000, fill);
}

struct Fault {
    Mode mode;
    int error;
    std::string_view reason;
};

class EveryCallFails : public testing::TestWithParam<Fault> {};

TEST_P(EveryCallFails, LeavesTheOldFileOrTheNewOne)
{
    int n = 1;
    for (bool reached = true; reached; ++n) {
        SCOPED_TRACE("call " + std::to_string(n));
        const TestFolder folder;
        writeContent(folder / "model", "old");
        std::filesystem::permissions(folder / "model", std::filesystem::perms(0600));
        FailingCalls calls(n, GetParam().mode, GetParam().error);
        const auto saved = saveInPieces(folder / "model", 'n', calls);
        reached = calls.reached();
        const std::string content = contentOf(folder / "model");
        ASSERT_TRUE(content == "old" || content == piecesOf('n')) << content.size() << " bytes";
        const bool renamed = saved || saved.error().message.starts_with("saved, but");
        EXPECT_EQ(content, renamed ? piecesOf('n') : "old");
        if (!saved) {
            EXPECT_EQ(saved.error().place, (folder / "model").string());
            EXPECT_THAT(saved.error().message, HasSubstr(GetParam().reason));
        }
        ASSERT_TRUE(saveInPieces(folder / "model", 'x', systemCalls()));
        EXPECT_EQ(contentOf(folder / "model"), piecesOf('x'));
        EXPECT_EQ(folder.entries(), 1U) << "litter stays";
        EXPECT_EQ(std::filesystem::status(folder / "model").permissions(), std::filesystem::perms(0600));
    }
    EXPECT_GT(n, 12) << "fewer calls than a save makes";
}

INSTANTIATE_TEST_SUITE_P(AtomicFile, EveryCallFails,
                         testing::Values(Fault{Mode::Once, EIO, "Input/output error"},
                                         Fault{Mode::FromThere, EIO, "Input/output error"},
                                         Fault{Mode::FromThere, ENOSPC, "No space left on device"},
                                         Fault{Mode::ShortWrite, ENOSPC, "No space left on device"}));

TEST(AtomicFile, GivesTheFirstFailureAgain)
{
    const TestFolder folder;
    FailingCalls calls(5, Mode::Once, EDQUOT);
    auto file = AtomicFile::create(folder / "f", calls);
    ASSERT_TRUE(file);
    const auto failed = file->write(std::string(200'000, 'a'));
    ASSERT_FALSE(failed);
    EXPECT_EQ(file->write("b").error(), failed.error());
    EXPECT_EQ(file->commit().error(), failed.error());
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(AtomicFile, NothingAppearsWithoutCommit)
{
    const TestFolder folder;
    {
        auto file = AtomicFile::create(folder / "f");
        ASSERT_TRUE(file && file->write("half"));
        EXPECT_FALSE(std::filesystem::exists(folder / "f"));
    }
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(AtomicFile, ASecondCommitIsAnError)
{
    const TestFolder folder;
    auto file = AtomicFile::create(folder / "f");
    ASSERT_TRUE(file && file->write("once") && file->commit());
    EXPECT_FALSE(file->commit());
    EXPECT_EQ(contentOf(folder / "f"), "once");
}

TEST(AtomicFile, FollowsLinksAlsoToAFileThatIsNotThereYet)
{
    const TestFolder folder;
    std::filesystem::create_directory(folder / "deep");
    std::filesystem::create_symlink("deep/target", folder / "middle");
    std::filesystem::create_symlink("middle", folder / "link");
    ASSERT_TRUE(writeFileAtomically(folder / "link", "first"));
    ASSERT_TRUE(writeFileAtomically(folder / "link", "second"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(contentOf(folder / "deep/target"), "second");
}

TEST(AtomicFile, WritesIntoTheWorkingFolderAndLongNames)
{
    const TestFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    EXPECT_TRUE(writeFileAtomically("plain", "x"));
    EXPECT_TRUE(writeFileAtomically(std::string(255, 'n'), "y"));
    std::filesystem::current_path(before);
    EXPECT_EQ(contentOf(folder / "plain"), "x");
    EXPECT_EQ(contentOf(folder / std::string(255, 'n')), "y");
}

TEST(AtomicFile, RefusesWhatIsNoOrdinaryFile)
{
    const TestFolder folder;
    std::filesystem::create_directory(folder / "folder");
    for (const auto& path : {folder / "folder", std::filesystem::path("/dev/null")}) {
        const auto saved = writeFileAtomically(path, "x");
        ASSERT_FALSE(saved);
        EXPECT_EQ(saved.error(), (Error{"cannot write: it is not an ordinary file", path.string()}));
    }
    const auto lost = writeFileAtomically(folder / "no/such", "x");
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().text(), (folder / "no/such").string() + ": cannot write: No such file or directory");
}

TEST(AtomicFile, RefusesAFileThatMayNotBeWritten)
{
    const TestFolder folder;
    writeContent(folder / "f", "old");
    std::filesystem::permissions(folder / "f", std::filesystem::perms(0444));
    const PlainUser user(folder.path());
    const auto saved = writeFileAtomically(folder / "f", "new");
    ASSERT_FALSE(saved);
    EXPECT_NE(saved.error().message.find("Permission denied"), std::string::npos) << saved.error().text();
    EXPECT_EQ(contentOf(folder / "f"), "old");
}

TEST(AtomicFile, SweepsWhatTheDeadLeftAndNothingElse)
{
    const TestFolder folder;
    writeContent(folder / ".unroll-0123456789abcdef.tmp", "dead");
    writeContent(folder / ".unroll-0123456789abcdeX.tmp", "not ours");
    writeContent(folder / ".unroll-0123456789abcdef.tmp2", "not ours");
    auto living = AtomicFile::create(folder / "a");
    ASSERT_TRUE(living && living->write("a"));
    ASSERT_TRUE(writeFileAtomically(folder / "b", "b"));
    EXPECT_FALSE(std::filesystem::exists(folder / ".unroll-0123456789abcdef.tmp"));
    ASSERT_TRUE(living->commit()) << "its sibling was swept while it was alive";
    EXPECT_EQ(folder.entries(), 4U);
}

TEST(AtomicFile, ManyWritersShareAFolder)
{
    const TestFolder folder;
    constexpr int writers = 4, rounds = 100;
    std::array<int, writers> failures = {};
    std::vector<std::thread> threads;
    for (int w = 0; w < writers; ++w)
        threads.emplace_back([&, w] {
            for (int i = 0; i < rounds; ++i)
                failures[static_cast<std::size_t>(w)] +=
                    writeFileAtomically(folder / ("f" + std::to_string(w % 2)), std::string(1000, char('a' + w))) ? 0
                                                                                                                  : 1;
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_THAT(failures, testing::Each(0));
    EXPECT_EQ(folder.entries(), 2U);
}

TEST(AtomicFile, AFullDiskKeepsTheOldFile)
{
    const SmallDisk disk;
    if (!disk.fault().empty())
        GTEST_SKIP() << disk.fault();
    const auto path = disk.folder() / "model";
    ASSERT_TRUE(writeFileAtomically(path, std::string(100'000, 'o')));
    for (const std::size_t bytes : {200'000, 1'000'000}) {
        const auto saved = writeFileAtomically(path, std::string(bytes, 'n'));
        ASSERT_FALSE(saved);
        EXPECT_EQ(saved.error(), (Error{"cannot write: No space left on device", path.string()}));
        EXPECT_EQ(contentOf(path), std::string(100'000, 'o'));
        EXPECT_EQ(disk.folder().entries(), 1U);
    }
    EXPECT_TRUE(writeFileAtomically(path, std::string(120'000, 'n')));
    EXPECT_EQ(contentOf(path), std::string(120'000, 'n'));
}

[[noreturn]] void saveForever(const std::filesystem::path& path)
{
    for (unsigned generation = 0;; ++generation)
        if (!saveInPieces(path, static_cast<char>('a' + generation % 26), systemCalls()))
            ::_exit(1);
}

// UNROLL_KILL_ROUNDS asks for more than the few that every test run makes.
TEST(AtomicFile, SurvivesBeingKilledWhileSaving)
{
    const char* const asked = std::getenv("UNROLL_KILL_ROUNDS");
    const int rounds = asked != nullptr ? std::atoi(asked) : 200;
    const TestFolder folder;
    const auto path = folder / "model";
    ASSERT_TRUE(saveInPieces(path, 'A', systemCalls()));
    std::mt19937 random(7);
    int litter = 0;
    for (int i = 0; i < rounds; ++i) {
        const pid_t child = ::fork();
        if (child == 0)
            saveForever(path);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
        ::kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "a save failed";
        const std::string content = contentOf(path);
        ASSERT_EQ(content, piecesOf(content.empty() ? '?' : content[0])) << "round " << i;
        litter += folder.entries() > 1 ? 1 : 0;
    }
    sweepStaleSiblings(folder.path());
    EXPECT_EQ(folder.entries(), 1U);
    RecordProperty("roundsWithLitter", litter);
}

} // namespace
} // namespace unroll::format
