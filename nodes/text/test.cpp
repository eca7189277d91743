// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/dataset.h"
#include "tests/contract/block_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace unroll::nodes {

namespace {

using namespace contract;

Result<std::shared_ptr<const Dataset>> openText(const Params& given, const std::string& folder = "")
{
    const Params params = registry().find("text")->withDefaults(given);
    return builders().source("text")({params, folder});
}

/// A folder with one text in it, gone with the test.
struct TextFolder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("unroll_text_" + std::to_string(getpid()));

    explicit TextFolder(const std::string& text)
    {
        std::filesystem::create_directories(path);
        std::ofstream(path / "some.txt") << text;
    }
    ~TextFolder() { std::filesystem::remove_all(path); }
};

} // namespace

TEST(Text, WithoutAFileIsTheBundledCorpus)
{
    const auto corpus = openText({});
    ASSERT_TRUE(corpus) << corpus.error().text();
    EXPECT_GE((*corpus)->classes(), 50);
    EXPECT_EQ((*corpus)->steps(), 64);
    EXPECT_TRUE((*corpus)->carriesState());
    EXPECT_TRUE((*corpus)->entropyFloor({Split::Validation}).has_value());
}

TEST(Text, TheBundledCorpusHasNoLimitOfWords)
{
    const auto corpus = openText({{"vocabulary_limit", std::int64_t{5}}});
    ASSERT_TRUE(corpus) << corpus.error().text();
    const auto notes = (*corpus)->notes();
    ASSERT_EQ(notes.size(), openText({}).value()->notes().size() + 1);
    EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const DataNote& note) {
        return note.sentence == "vocabulary_limit has no effect: it counts where unit is words.";
    }));
}

TEST(Text, LooksForRelativePathsInTheExperimentsFolder)
{
    std::string text;
    for (int i = 0; i < 100; ++i)
        text += "hello world ";
    const TextFolder folder(text);
    const auto found =
        openText({{"file", std::string("some.txt")}, {"order", std::string("windows")}, {"steps", std::int64_t{8}}},
                 folder.path.string());
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ((*found)->classes(), 8);
    EXPECT_EQ((*found)->steps(), 8);
    EXPECT_FALSE((*found)->carriesState());
    const auto bytes = openText({{"file", (folder.path / "some.txt").string()}, {"unit", std::string("bytes")}});
    ASSERT_TRUE(bytes) << bytes.error().text();
    EXPECT_EQ((*bytes)->classes(), 256);
}

TEST(Text, NamesTheFileThatIsMissing)
{
    const auto missing = openText({{"file", std::string("no such file.txt")}});
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().text().find("no such file.txt"), std::string::npos);
}

TEST(Text, RefusesWhatTheBundledCorpusCannotDo)
{
    EXPECT_EQ(openText({{"unit", std::string("bytes")}}).error().place, "unit");
    EXPECT_EQ(openText({{"validation_file", std::string("x.txt")}}).error().place, "validation_file");
}

} // namespace unroll::nodes
