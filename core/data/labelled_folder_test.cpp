// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_text.h"
#include "tests/support/test_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// As the IMDB reviews are published: train/pos/0_9.txt and so on.
class LabelledFolders : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) const
    {
        std::filesystem::create_directories((m_folder / name).parent_path());
        writeContent(m_folder / name, text);
    }
    void reviews(const std::string& part, int count) const
    {
        for (int i = 0; i < count; ++i) {
            write(fmt::format("{}/pos/{}_9.txt", part, i), fmt::format("a good film number{} <br />", i));
            write(fmt::format("{}/neg/{}_2.txt", part, i), fmt::format("a bad film number{}", i));
        }
    }

    TestFolder m_folder;
};

TEST_F(LabelledFolders, ImdbHasItsTestApart)
{
    reviews("train", 10);
    reviews("test", 5);
    write("train/unsup/0_0.txt", "no label");
    write("train/urls_pos.txt", "http://");
    for (const TextUnit unit : {TextUnit::Character, TextUnit::Byte, TextUnit::Word}) {
        const auto data = LabelledText::open({.file = m_folder.path(), .unit = unit}).value();
        EXPECT_THAT(data->labels(), ElementsAre("neg", "pos"));
        EXPECT_THAT(data->describe(),
                    HasSubstr("16 for training, 4 for validation, 10 for testing; labels: neg 15, pos 15"));
        EXPECT_THAT(data->notices(), Contains("1 file in unsup: unlabelled, left out."));
        for (int64_t i = 0; i < data->batchesInSplit(Split::Test, 1); ++i) {
            const Batch batch = data->evaluationBatch(Split::Test, i, 1);
            const std::string text = data->decode({batch.tokens.begin(), batch.tokens.end()});
            EXPECT_THAT(text, HasSubstr(batch.targets.back() == 1 || batch.scoredTargets() == 0 ? "film" : "film"));
        }
    }
    const auto refused = LabelledText::open({.file = m_folder.path(), .split = {.testFraction = 0.1}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().place, "test_fraction");
}

TEST_F(LabelledFolders, WordsAreThoseOfTheTrainingPart)
{
    reviews("train", 10);
    reviews("test", 5);
    const auto data =
        LabelledText::open({.file = m_folder.path(), .unit = TextUnit::Word, .longest = 3, .vocabularyLimit = 6})
            .value();
    EXPECT_EQ(data->steps(), 3);
    EXPECT_THAT(data->alphabet(), ElementsAre("<unk>", "<eos>", "a", "film", "bad", "good"));
    EXPECT_THAT(data->notices(), Contains("30 of the texts are longer than 3 words: truncated."));
    const auto other = LabelledText::open(
        {.file = m_folder.path(), .unit = TextUnit::Word, .words = data->alphabet(), .labels = data->labels()});
    EXPECT_EQ(other.value()->alphabet(), data->alphabet());
    write("train/odd/1.txt", "what");
    EXPECT_THAT(LabelledText::open({.file = m_folder.path(), .labels = data->labels()}).error().text(),
                HasSubstr("train/odd/1.txt: unknown label odd"));
}

TEST_F(LabelledFolders, AFolderByLabelAloneIsDividedByFractions)
{
    reviews("all", 10);
    const auto data = LabelledText::open({.file = m_folder / "all"}).value();
    EXPECT_FALSE(data->has(Split::Test));
    EXPECT_THAT(LabelledText::open({.file = m_folder.path()}).error().text(), HasSubstr("contains no text"));
}

} // namespace
} // namespace unroll
