// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/memory.h"

#include "tests/support/test_folder.h"

#include <gtest/gtest.h>

#include <limits>

namespace unroll {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

void makeGroup(const std::filesystem::path& folder, const std::string& limit, const std::string& anonymous)
{
    std::filesystem::create_directories(folder);
    writeContent(folder / "memory.max", limit + "\n");
    writeContent(folder / "memory.stat", "file 700\nanon " + anonymous + "\nkernel 3\n");
}

TEST(Memory, TheTightestControlGroupOnTheWayBinds)
{
    const TestFolder root;
    makeGroup(root / "user.slice", "9000", "4000");
    makeGroup(root / "user.slice/app.scope", "max", "10");
    makeGroup(root / "user.slice/app.scope/inner", "6000", "10");
    makeGroup(root / "other", "1", "0");
    const auto available = [&](const std::string& path) {
        return memoryOfControlGroups(root.path(), "4:memory:/other\n0::" + path + "\n");
    };
    EXPECT_EQ(available("/"), kNoLimit);
    EXPECT_EQ(available("/user.slice"), 5000u) << "what is page cache gives way";
    EXPECT_EQ(available("/user.slice/app.scope"), 5000u) << "no limit of its own";
    EXPECT_EQ(available("/user.slice/app.scope/inner"), 5000u);
    makeGroup(root / "user.slice/app.scope/inner", "6000", "2000");
    EXPECT_EQ(available("/user.slice/app.scope/inner"), 4000u);
    makeGroup(root / "user.slice/app.scope/inner", "6000", "7000");
    EXPECT_EQ(available("/user.slice/app.scope/inner"), 0u);
    EXPECT_EQ(available("/user.slice/gone"), 5000u);
}

TEST(Memory, TheRootOfAContainerHasALimitToo)
{
    const TestFolder root;
    makeGroup(root.path(), "3000", "1000");
    EXPECT_EQ(memoryOfControlGroups(root.path(), "0::/\n"), 2000u);
    EXPECT_EQ(memoryOfControlGroups(root.path(), "0::/seen/from/outside\n"), 2000u);
    EXPECT_EQ(memoryOfControlGroups(root.path(), ""), 2000u);
    EXPECT_EQ(memoryOfControlGroups(root / "none", "0::/\n"), kNoLimit);
    EXPECT_GT(availableMemory(), 0u);
}

} // namespace
} // namespace unroll
