// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_text.h"
#include "tests/support/test_folder.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

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

/// Files for each part, as Parquet becomes them: two of five records are of `last`.
class LabelledParts : public LabelledFolders {
protected:
    void lines(const std::string& name, int count, const std::string& last = "1") const
    {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += fmt::format("{{\"text\": \"{} {}\", \"label\": {}}}\n", name, i, i % 5 < 3 ? "0" : last);
        write(name, text);
    }
    void table(const std::string& name, const std::string& rows) const { write(name, rows); }
    std::string refused(LabelledTextOptions options = {}) const
    {
        options.file = m_folder.path();
        const auto data = LabelledText::open(options);
        const std::string text = data ? "none" : data.error().text();
        const std::string folder = m_folder.path().string();
        return text.starts_with(folder) ? text.substr(folder.size()) : text;
    }
    std::shared_ptr<const LabelledText> opened(LabelledTextOptions options = {}) const
    {
        options.file = m_folder.path();
        return LabelledText::open(options).value();
    }
    /// The texts of a part.
    static std::vector<std::string> textsIn(const LabelledText& data, Split split)
    {
        std::vector<std::string> texts;
        for (int64_t i = 0; i < data.batchesInSplit(split, 1); ++i) {
            const Batch batch = data.evaluationBatch(split, i, 1);
            const auto real = std::find(batch.mask.begin(), batch.mask.end(), 0) - batch.mask.begin();
            texts.push_back(data.decode({batch.tokens.begin(), batch.tokens.begin() + real}));
        }
        return texts;
    }
};

TEST_F(LabelledParts, TrainAndTestOfJsonLines)
{
    lines("train.jsonl", 20);
    lines("test.jsonl", 10);
    write("README.md", "not data");
    lines("unsupervised.jsonl", 3, "-1");
    for (const TextUnit unit : {TextUnit::Character, TextUnit::Byte, TextUnit::Word}) {
        const auto data = opened({.unit = unit});
        EXPECT_THAT(data->labels(), ElementsAre("0", "1"));
        EXPECT_THAT(data->describe(),
                    HasSubstr("16 for training, 4 for validation, 10 for testing; labels: 0 18, 1 12"));
        EXPECT_THAT(data->notices(),
                    IsSupersetOf({"Read as: JSON Lines; texts from column text, labels from column label.",
                                  "The test part is test.jsonl.",
                                  "unsupervised.jsonl is called neither train, valid nor test: left out."}));
        for (const Split split : {Split::Train, Split::Validation})
            EXPECT_THAT(textsIn(*data, split), Each(StartsWith("train.jsonl ")));
        EXPECT_THAT(textsIn(*data, Split::Test), AllOf(SizeIs(10), Each(Not(StartsWith("train.jsonl ")))));
    }
    EXPECT_EQ(refused({.split = {.testFraction = 0.1}}),
              "test_fraction: the data has a test part of its own: set test_fraction to 0");
}

TEST_F(LabelledParts, AValidationPartOfItsOwnIsWhole)
{
    lines("imdb-train.jsonl", 20);
    lines("imdb-dev.jsonl", 5);
    const auto data = opened({.split = {.validationFraction = 0.5}});
    EXPECT_THAT(data->describe(), HasSubstr("20 for training, 5 for validation; labels: "));
    EXPECT_THAT(textsIn(*data, Split::Validation), Each(StartsWith("imdb-dev.jsonl ")));
    EXPECT_FALSE(data->has(Split::Test));
    const auto tested = opened({.split = {.testFraction = 0.25}});
    EXPECT_THAT(tested->describe(), HasSubstr("15 for training, 5 for validation, 5 for testing"));
    EXPECT_THAT(textsIn(*tested, Split::Test), Each(StartsWith("imdb-train.jsonl ")));
    const auto ordered = opened({.split = {.byOrder = true}});
    EXPECT_THAT(textsIn(*ordered, Split::Validation),
                ElementsAre("imdb-dev.jsonl 0", "imdb-dev.jsonl 1", "imdb-dev.jsonl 2", "imdb-dev.jsonl 3",
                            "imdb-dev.jsonl 4"));
}

/// Columns in another order; the one row of the test would be taken for names by itself.
TEST_F(LabelledParts, TablesHaveTheColumnsOfTheTrainingFile)
{
    table("train.csv", "text,label\ngood film,pos\nbad film,neg\nwell done,pos\npoor show,neg\n");
    table("test.tsv", "id\tlabel\ttext\n7\tneg\tno film\n");
    const auto data = opened();
    EXPECT_THAT(textsIn(*data, Split::Test), ElementsAre("no film"));
    EXPECT_THAT(data->describe(), HasSubstr("1 for testing; labels: neg 3, pos 2"));
    table("train.csv", "good film,pos\nbad film,neg\nwell done,pos\npoor show,neg\n");
    table("test.tsv", "no film\tneg\nfine film\tpos\n");
    EXPECT_THAT(textsIn(*opened(), Split::Test), UnorderedElementsAre("no film", "fine film"));
}

TEST_F(LabelledParts, WhatIsWrongIsSaidWithFileAndLine)
{
    lines("train.jsonl", 20);
    lines("test.jsonl", 10, "2");
    EXPECT_EQ(refused(), ": test.jsonl, line 4: no record of train.jsonl has the label 2; it has 0, 1");
    EXPECT_THAT(refused({.labels = {"0", "1"}}),
                HasSubstr("test.jsonl, line 4: unknown label 2; the model was trained with 0, 1"));
    EXPECT_EQ(refused({.labels = {"0", "1", "2"}}), "none") << "as a trained model reads them";
    write("test.jsonl", "{\"text\": \"a\"}\n{\"text\": \"b\"}\n");
    EXPECT_EQ(refused(), "/test.jsonl: has no column label, which train.jsonl has; it has text");
    write("test.jsonl", "{\"text\": \"a\", \"label\": 1}\nnothing\n");
    EXPECT_THAT(refused(), StartsWith("/test.jsonl: line 2 is not a JSON object"));
    write("test.jsonl", "");
    EXPECT_EQ(refused(), "/test.jsonl: is empty");
    write("test.jsonl", "\n\n");
    EXPECT_EQ(refused(), "/test.jsonl: contains no record");
    write("test.jsonl", "{\"text\": \"\", \"label\": 1}\n{\"text\": \"b\", \"label\": null}\n");
    EXPECT_EQ(refused(), "/test.jsonl: no record has a text in column text and a label in column label");
    write("test.jsonl", "{\"text\": \"a\", \"label\": 1}\n\n{\"text\": \"b\"}\n{\"label\": 0}\n");
    EXPECT_THAT(opened()->notices(),
                IsSupersetOf({"1 record has no label, the first in test.jsonl, line 3: left out.",
                              "1 record has no text, the first in test.jsonl, line 4: left out."}));
    lines("test-2.jsonl", 5);
    EXPECT_EQ(refused(), ": test-2.jsonl and test.jsonl are for the same part: name one of them as file, such as " +
                             (m_folder / "test-2.jsonl").string());
}

TEST_F(LabelledParts, OtherFoldersSayWhatIsExpected)
{
    lines("data/all.jsonl", 10);
    EXPECT_THAT(LabelledText::open({.file = m_folder / "data"}).value()->describe(),
                HasSubstr("8 for training, 2 for validation; labels: "))
        << "one file is all there is";
    lines("data/more.jsonl", 10);
    EXPECT_THAT(LabelledText::open({.file = m_folder / "data"}).error().text(),
                HasSubstr("contains 2 texts, none of them called train (all.jsonl, more.jsonl)"));
    write("deep/deeper/pos/1.txt", "no label is that deep");
    EXPECT_THAT(LabelledText::open({.file = m_folder / "deep"}).error().text(),
                HasSubstr("contains no text; expected a folder for each label (pos, neg), these in train and test, or "
                          "files called train, valid and test (.jsonl, .csv, .tsv)"));
    write("parquet/train-00000-of-00002.parquet", "PAR1");
    EXPECT_THAT(LabelledText::open({.file = m_folder / "parquet"}).error().text(),
                HasSubstr("contains Parquet files: unroll-cli prepare FOLDER"));
    reviews("train", 10);
    write("train.csv", "a list of the files beside the folders");
    EXPECT_THAT(LabelledText::open({.file = m_folder.path()}).value()->describe(), HasSubstr("labels: neg 10, pos 10"));
}

} // namespace
} // namespace unroll
