// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class RunEdits : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::filesystem::remove_all(m_run);
        std::filesystem::create_directories(m_run);
    }
    void TearDown() override { std::filesystem::remove_all(m_run); }

    const std::filesystem::path m_run =
        std::filesystem::temp_directory_path() / ("run_edits_" + std::to_string(::getpid()));
};

TEST_F(RunEdits, AreKeptByName)
{
    EXPECT_THAT(readNamedEdits(m_run).value(), IsEmpty());
    ASSERT_TRUE(nameEdit(m_run, "quiet", "lstm.h[3] = 0 from 40"));
    ASSERT_TRUE(nameEdit(m_run, "other-text_2", "start \"a; \\\"b\""));
    ASSERT_TRUE(nameEdit(m_run, "quiet", "lstm.h[4] = 0"));
    EXPECT_THAT(readNamedEdits(m_run).value(),
                ElementsAre(Pair("other-text_2", "start \"a; \\\"b\""), Pair("quiet", "lstm.h[4] = 0")));
    ASSERT_TRUE(nameEdit(m_run, "quiet", " "));
    EXPECT_EQ(readNamedEdits(m_run).value().size(), 1u);
}

TEST_F(RunEdits, SayWhatIsWrong)
{
    for (const char* name : {"", "two words", "a/b", "@a"})
        EXPECT_THAT(nameEdit(m_run, name, "lstm.h = 0").error().message, HasSubstr("letters, digits")) << name;
    std::ofstream(m_run / "edits.json") << "{\"a\": 3}";
    EXPECT_THAT(readNamedEdits(m_run).error().message, HasSubstr("the edit a is a text"));
    EXPECT_FALSE(nameEdit(m_run, "b", "lstm.h = 0")) << "what is not understood is not written over";
    std::ofstream(m_run / "edits.json") << "[";
    EXPECT_FALSE(readNamedEdits(m_run));
}

TEST_F(RunEdits, StandWhereTheirNamesStand)
{
    const NamedEdits named{{"quiet", "lstm.h[3] = 0; lstm.c[1] = 2"}, {"loud", "gru.z *= 2"}};
    EXPECT_EQ(withNamedEdits("@quiet", named).value(), "lstm.h[3] = 0; lstm.c[1] = 2");
    EXPECT_EQ(withNamedEdits("a.h = 1; @loud ;b.h = 2", named).value(), "a.h = 1;gru.z *= 2;b.h = 2");
    EXPECT_EQ(withNamedEdits("start \"x; @quiet\"", named).value(), "start \"x; @quiet\"");
    EXPECT_EQ(withNamedEdits("", named).value(), "");
    EXPECT_THAT(withNamedEdits("@queit", named).error().message, HasSubstr("did you mean quiet?"));
    EXPECT_THAT(withNamedEdits("@quiet", {}).error().message, HasSubstr("none with a name"));
}

} // namespace
} // namespace unroll
