// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_text.h"

#include "core/data/test_labelled.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace unroll {
namespace {

using namespace testing_labelled;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

auto openText(std::string_view bytes, const LabelledTextOptions& options = {})
{
    return openBytes<LabelledText>(bytes, options);
}

std::string errorOf(std::string_view bytes, const LabelledTextOptions& options = {})
{
    return errorIn(openText(bytes, options));
}

/// "text=label" of each sequence, in the file's order.
std::vector<std::string> recordsOf(const Dataset& data)
{
    std::vector<std::string> records;
    for (int64_t i = 0; i < data.batchesInSplit(Split::All, 1); ++i) {
        const Batch batch = data.evaluationBatch(Split::All, i, 1);
        const auto real = realSteps(batch);
        EXPECT_THAT(std::vector(batch.targets.begin(), batch.targets.begin() + real - 1), Each(kIgnoredTarget));
        EXPECT_THAT(std::vector(batch.targets.begin() + real, batch.targets.end()), Each(kIgnoredTarget));
        records.push_back(data.decode({batch.tokens.begin(), batch.tokens.begin() + real}) + "=" +
                          labelOf(data, batch));
    }
    return records;
}

constexpr const char* kFour = "good,pos\nfine,pos\nbad,neg\npoor,neg\n";

TEST(LabelledText, ReadsOneSetHoweverItIsWritten)
{
    const std::string jsonl =
        "{\"text\": \"a, b\", \"label\": \"x\"}\n\n{\"label\": \"y\", \"text\": \"caf\\u00e9\"}\r\n"
        "{\"text\": \"c\", \"label\": \"x\", \"more\": 1}\n{\"text\": \"d\", \"label\": \"y\"}";
    for (const std::string& text :
         {std::string("text,label\n\"a, b\",x\ncafé,y\nc,x\nd,y\n"),
          std::string("\xEF\xBB\xBFtext,label\r\n\"a, b\",x\r\ncafé,y\r\nc,x\r\nd,y"),
          std::string("Label\tText\nx\ta, b\ny\tcafé\nx\tc\ny\td\n"), std::string("a, b;x\ncafé;y\nc;x\nd;y\n"),
          std::string("a, b|x\ncafé|y\nc|x\nd|y\n"), std::string(",text,label\n0,\"a, b\",x\n1,café,y\n2,c,x\n3,d,y\n"),
          jsonl, "\xEF\xBB\xBF" + jsonl}) {
        const auto data = openText(text);
        ASSERT_TRUE(data) << text << data.error().text();
        EXPECT_THAT((*data)->labels(), ElementsAre("x", "y"));
        EXPECT_THAT(recordsOf(**data), ElementsAre("a, b=x", "café=y", "c=x", "d=y")) << text;
        EXPECT_EQ((*data)->steps(), 4);
    }
}

TEST(LabelledText, KeepsQuotesLinesAndBlanksOfATextInQuotes)
{
    const auto data = openText("text,label\n\"he said \"\"no\"\"\",a\n\"two\nlines\",b\n\"a;b\",a\nplain,b\n");
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(recordsOf(**data), ElementsAre("he said \"no\"=a", "two\nlines=b", "a;b=a", "plain=b"));
}

TEST(LabelledText, SaysWhatItTookForWhat)
{
    const auto data = openText("id;review;stars\n1;good film;5\n2;bad film;1\n3;fair film;5\n4;poor film;1\n");
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT((*data)->labels(), ElementsAre("1", "5")) << "the one whose texts come several times";
    EXPECT_EQ(notesOf(**data).front(),
              "Read as: semicolon-separated, with header; texts from column review, labels from column stars.");
    EXPECT_THAT((*data)->describe(),
                HasSubstr("4 texts of at most 9 characters, 3 for training, 1 for validation; labels: 1 2, 5 2"));
}

TEST(LabelledText, LabelsOfNumbersStandInTheirOrder)
{
    const auto data = openText("a,10\nb,9\nc,10\nd,9\n");
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT((*data)->labels(), ElementsAre("9", "10"));
}

TEST(LabelledText, ColumnsAndNamesCanBeSet)
{
    const std::string text =
        "kind,title,body,tone\nnews,one,first,sad\nnews,two,second,glad\nblog,three,third,sad\nblog,four,fourth,glad\n";
    const auto data = openText(text, {.textColumn = "title", .labelColumn = "tone"});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(recordsOf(**data), ElementsAre("one=sad", "two=glad", "three=sad", "four=glad"));
    const auto numbered = openText(kFour, {.textColumn = "1", .labelColumn = "2"});
    ASSERT_TRUE(numbered) << numbered.error().text();
    const auto unnamed = openText("x,a\ny,b\nz,a\nw,b\nv,a\n", {.table = {.headerRows = "1"}});
    ASSERT_TRUE(unnamed) << unnamed.error().text();
    EXPECT_THAT(recordsOf(**unnamed), ElementsAre("y=b", "z=a", "w=b", "v=a"))
        << "the user says that the first row has names";
    EXPECT_THAT(errorOf(text, {.labelColumn = "mood"}), StartsWith("label_column: there is no column mood in "));
    EXPECT_THAT(errorOf(text, {.labelColumn = "mood"}), HasSubstr("it has kind, title, body, tone"));
    EXPECT_THAT(errorOf(text, {.textColumn = "tone", .labelColumn = "tone"}),
                HasSubstr("text and label are both column tone"));
}

TEST(LabelledText, WhatIsWrongIsSaidWithItsLine)
{
    EXPECT_EQ(errorOf("text,label\ngood, really,pos\nbad,neg\n"),
              "line 2 has 3 cells, line 1 has 2: a cell that contains a delimiter must be quoted");
    EXPECT_EQ(errorOf("just\nsome\nlines\n"),
              "has one column; two are needed, a text and a label, separated by comma, semicolon, tab or bar");
    EXPECT_EQ(errorOf("a,x\nb,x\nc,x\n", {.labelColumn = "2"}),
              "every sequence has the label x: there is nothing to learn");
    EXPECT_EQ(errorOf("{\"text\": \"a\", \"label\": \"x\"}\n{\"text\": \"b\", \n"),
              "line 2 is not a JSON object; a file that starts with a brace must have one on each line");
    EXPECT_EQ(errorOf("[{\"text\": \"a\", \"label\": \"x\"}]"),
              "is one JSON list; expected JSON Lines, an object on each line, or a table");
    EXPECT_THAT(errorOf("a,b\n\"c,d\n"), HasSubstr("unclosed quote"));
    EXPECT_EQ(errorOf(" \n"), "contains no record");
    EXPECT_EQ(errorOf(""), "is empty");
}

/// In the words of the other tables.
TEST(LabelledText, AHeaderAloneIsNoRecord)
{
    for (const char* header : {"text,label\n", "kommentar;klasse\n", "text\tlabel"})
        EXPECT_EQ(errorOf(header), "has a header and no rows below it") << header;
    EXPECT_EQ(errorOf("text,label\n", {.labelColumn = "label"}), "has a header and no rows below it");
    EXPECT_EQ(errorOf("text,label\n", {.table = {.headerRows = "1"}}), "has no rows below its header");
    EXPECT_THAT(errorOf("text,label\n", {.table = {.headerRows = "0"}}), HasSubstr("looks like labels"));
    EXPECT_EQ(errorOf("good,pos\n", {.labelColumn = "2"}),
              "every sequence has the label pos: there is nothing to learn");
}

TEST(LabelledText, RecordsWithoutLabelOrTextAreLeftOutAndCounted)
{
    const auto data = openText("text,label\ngood,pos\nlost,\n,pos\n   ,neg\nbad,neg\nalone\nwell,pos\npoor,neg\n");
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(recordsOf(**data), ElementsAre("good=pos", "bad=neg", "well=pos", "poor=neg"));
    EXPECT_THAT(notesOf(**data), Contains("2 records have no label, the first in line 3: left out."));
    EXPECT_THAT(notesOf(**data), Contains("2 records have no text, the first in line 4: left out."));
    EXPECT_EQ(errorOf("text,label\na,\nb,\n", {.labelColumn = "label"}),
              "no record has a text in column text and a label in column label");
    EXPECT_EQ(
        errorOf("text,label\n,a\nbad,b\npoor,b\n", {.labelColumn = "label"}),
        "every sequence has the label b: there is nothing to learn. 1 record has no text, the first in line 2: left "
        "out");
}

TEST(LabelledText, SaysWhatOfItsWordsIsUnknownInTheTextsThemselves)
{
    const auto words = openText("a <unk>,pos\nb a,pos\na b,neg\nb b,neg\n", {.unit = TextUnit::Word});
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_THAT(notesOf(**words), Contains("1 of 8 words are <unk> in the text itself."));
    const auto characters = openText(kFour, {.vocabularyLimit = 5});
    ASSERT_TRUE(characters) << characters.error().text();
    EXPECT_THAT(notesOf(**characters), Contains("vocabulary_limit has no effect: it counts where unit is words."));
    EXPECT_THAT(notesOf(**openText(kFour)), Not(Contains(HasSubstr("vocabulary_limit"))));
}

TEST(LabelledText, LongTextsAreCutAndCounted)
{
    const auto data = openText("abcdefgh,x\nab,y\nabc,x\nabcd,y\n", {.longest = 3});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(recordsOf(**data), ElementsAre("abc=x", "ab=y", "abc=x", "abc=y"));
    EXPECT_THAT(notesOf(**data), Contains("2 of the texts are longer than 3 characters: truncated."));
}

TEST(LabelledText, NotesLabelsThatMayNotBeMeant)
{
    const auto cases = openText("a,Yes\nb,no\nc,yes\nd,no\ne,yes\nf,Yes\n");
    ASSERT_TRUE(cases) << cases.error().text();
    EXPECT_THAT(notesOf(**cases), Contains("Labels that differ only in case are treated as different: Yes and yes."));
    const auto many = openText("text,label\na,1.5\nb,2.5\nc,3.5\nd,4.5\n");
    ASSERT_TRUE(many) << many.error().text();
    EXPECT_THAT(notesOf(**many),
                Contains("There are 4 labels for 4 sequences: if they are not classes, set label_column."));
}

/// Rows in the order of their labels: 60 a, 30 b, 10 c, 1 d.
std::string sortedSet()
{
    std::string text = "text,label\n";
    for (const auto& [label, count] : {std::pair("a", 60), {"b", 30}, {"c", 10}, {"d", 1}})
        for (int i = 0; i < count; ++i)
            text += fmt::format("{}{},{}\n", label, i, label);
    return text;
}

std::vector<int64_t> countsIn(const Dataset& data, Split split, int64_t most)
{
    std::vector<int64_t> counts(data.labels().size());
    for (int64_t i = 0; i < std::min(most, data.batchesInSplit(split, 1)); ++i)
        for (const int32_t target : data.evaluationBatch(split, i, 1).targets)
            if (target != kIgnoredTarget)
                ++counts[static_cast<size_t>(target)];
    return counts;
}

TEST(LabelledText, PartsHaveAsManyOfEachLabelAsTheFractionsSay)
{
    const auto data = openText(sortedSet(), {.split = {.validationFraction = 0.2, .testFraction = 0.1}});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(countsIn(**data, Split::Validation, 1000), ElementsAre(12, 6, 2, 0)) << "20 of 101";
    EXPECT_THAT(countsIn(**data, Split::Test, 1000), ElementsAre(6, 3, 1, 0));
    EXPECT_THAT(countsIn(**data, Split::Train, 1000), ElementsAre(42, 21, 7, 1)) << "a label alone is learned";
    EXPECT_THAT(countsIn(**data, Split::Validation, 8), Not(ElementsAre(8, 0, 0, 0)))
        << "the beginning, looked at on the way, is mixed";
    std::set<std::string> seen;
    for (const Split split : {Split::Train, Split::Validation, Split::Test})
        for (int64_t i = 0; i < (*data)->batchesInSplit(split, 1); ++i) {
            const Batch batch = (*data)->evaluationBatch(split, i, 1);
            const auto real = realSteps(batch);
            seen.insert((*data)->decode({batch.tokens.begin(), batch.tokens.begin() + real}));
        }
    EXPECT_EQ(seen.size(), 101u) << "each once";
    const auto again = openText(sortedSet(), {.split = {.validationFraction = 0.2, .testFraction = 0.1, .seed = 2}});
    EXPECT_NE((*again)->evaluationBatch(Split::Validation, 0, 20).tokens,
              (*data)->evaluationBatch(Split::Validation, 0, 20).tokens);
}

/// Two of each label: a fifth of two is none, but of all it is some.
TEST(LabelledText, SmallSetsAreValidatedToo)
{
    const auto data = openText(kFour);
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_EQ((*data)->batchesInSplit(Split::Validation, 1), 1);
    EXPECT_EQ((*data)->batchesInSplit(Split::Train, 1), 3);
    const auto two = openText("text,label\na,x\nb,y\n");
    ASSERT_TRUE(two) << two.error().text();
    EXPECT_THAT(notesOf(**two), Contains(HasSubstr("it cannot be learned")));
    EXPECT_EQ(errorOf("text,label\na,x\n"), "every sequence has the label x: there is nothing to learn");
}

TEST(LabelledText, InTheFilesOrderTheLastOnesAreKept)
{
    const auto data = openText(kFour, {.split = {.byOrder = true, .validationFraction = 0.25}});
    ASSERT_TRUE(data) << data.error().text();
    const Batch batch = (*data)->evaluationBatch(Split::Validation, 0, 1);
    EXPECT_EQ((*data)->decode({batch.tokens.begin(), batch.tokens.begin() + 4}), "poor");
    const auto other = openText(kFour, {.split = {.byOrder = true, .validationFraction = 0.25, .seed = 9}});
    EXPECT_EQ((*other)->evaluationBatch(Split::Validation, 0, 1).tokens, batch.tokens) << "nothing is drawn";
}

TEST(LabelledText, EachEpochReadsEverythingOnce)
{
    const auto data = openText(sortedSet());
    ASSERT_TRUE(data) << data.error().text();
    const int64_t all = (*data)->batchesInSplit(Split::Train, 1);
    std::vector<std::pair<std::vector<int32_t>, std::vector<uint8_t>>>
        orders[2]; // what is padded is told by the mask alone
    for (int64_t epoch = 0; epoch < 2; ++epoch)
        for (int64_t step = 0; step < all; ++step) {
            const Batch batch = (*data)->trainingBatch(epoch * all + step, 1, 7);
            orders[epoch].emplace_back(batch.tokens, batch.mask);
        }
    EXPECT_EQ(std::set(orders[0].begin(), orders[0].end()).size(), static_cast<size_t>(all));
    EXPECT_NE(orders[0], orders[1]);
    EXPECT_EQ((*data)->trainingBatch(3, 4, 7).tokens, (*data)->trainingBatch(3, 4, 7).tokens);
    EXPECT_NE((*data)->trainingBatch(3, 4, 7).tokens, (*data)->trainingBatch(3, 4, 8).tokens);
}

TEST(LabelledText, BaselinesAreOfTheSameSequences)
{
    const auto data = openText("a,x\nb,x\nc,x\nd,x\ne,x\nf,x\ng,y\nh,y\n", {.split = {.validationFraction = 0.5}});
    ASSERT_TRUE(data) << data.error().text();
    const auto baseline = (*data)->baseline({Split::Validation});
    ASSERT_TRUE(baseline);
    EXPECT_NEAR(baseline->loss, -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)), 1e-12);
    EXPECT_EQ(baseline->accuracy, 0.75);
    EXPECT_EQ(baseline->accuracyGuess, "always predicting x");
    EXPECT_EQ(baseline->unit, "nats/sequence");
    EXPECT_FALSE((*data)->entropyFloor({Split::Validation}));
}

/// As a run that was trained reads another file: its classes stay what they were, and one record is enough.
TEST(LabelledText, ATrainedModelsAlphabetAndLabelsAreKept)
{
    const auto one =
        openText("text,label\nabba,y\n",
                 {.labelColumn = "label", .split = {.toTrain = false}, .alphabet = "abc", .labels = {"z", "y"}});
    ASSERT_TRUE(one) << one.error().text();
    EXPECT_THAT(recordsOf(**one), ElementsAre("abba=y"));
    EXPECT_EQ((*one)->classes(), 3);
    EXPECT_EQ((*one)->batchesInSplit(Split::Test, 8), 0);
    EXPECT_EQ((*one)->trainingBatch(0, 2, 1).targets.back(), 1) << "a batch, as the check looks at one for its padding";
    EXPECT_EQ(errorOf("text,label\nabba,y\nabc,w\n",
                      {.labelColumn = "label", .split = {.toTrain = false}, .alphabet = "abc", .labels = {"z", "y"}}),
              "line 3: unknown label w; the model was trained with z, y");
    EXPECT_THAT(errorOf("text,label\nabba,y\nabé,y\n",
                        {.labelColumn = "label", .split = {.toTrain = false}, .alphabet = "abc", .labels = {"z", "y"}}),
                HasSubstr("line 3: character 3: 'é' (U+00E9) is not in the alphabet of 3 characters"));
}

TEST(LabelledText, TheBundledSentencesAreToldApartByTheirOrderAlone)
{
    const auto data = LabelledText::open({});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT((*data)->labels(), ElementsAre("cat", "fox", "hare", "hen", "mole", "owl"));
    EXPECT_THAT(
        (*data)->describe(),
        HasSubstr(
            "2,400 texts of at most 44 characters, 1,920 for training, 480 for validation; labels: cat 400, fox 400"));
    EXPECT_THAT(countsIn(**data, Split::Validation, 1000), Each(80));
    EXPECT_EQ((*data)->entropyFloor({Split::Validation}), 0.0);
    EXPECT_THAT(recordsOf(**data),
                AllOf(Contains("the fox chased the hen.=fox"), Contains("the fox was chased by the hen.=hen")));
    EXPECT_THAT(notesOf(**data), IsEmpty());
}

} // namespace
} // namespace unroll
