// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/probe.h"

#include "core/data/labelled_text.h"
#include "core/data/series_dataset.h"
#include "core/data/tasks/adding_task.h"
#include "core/data/tasks/copy_task.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/parity_task.h"
#include "core/data/test_labelled.h"
#include "core/data/text_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace unroll {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using From = ReadingRequest::From;

/// 36 characters to train on, 4 to validate.
std::shared_ptr<const TextDataset> shortText(const std::string& validation = {})
{
    TextSource source;
    source.name = "a.txt";
    for (int i = 0; i < 5; ++i)
        source.text += "abcdefgh";
    source.validationName = validation.empty() ? "" : "b.txt";
    source.validationText = validation;
    TextOptions options;
    options.steps = 16;
    return TextDataset::fromSource(std::move(source), options).value();
}

/// Rows 0 .. 29 of a column that counts them, and of its squares; the square three rows later is asked for.
std::shared_ptr<const SeriesDataset> countedRows()
{
    NumberTable table{.name = "t.csv", .rows = 30, .columns = {{"n", {}}, {"square", {}}}};
    for (int row = 0; row < 30; ++row) {
        table.columns[0].values.push_back(row);
        table.columns[1].values.push_back(row * row);
    }
    SeriesOptions options;
    options.inputColumns = "n";
    options.targetColumns = "square";
    options.horizon = 3;
    options.steps = 4;
    options.normalisation = Normalisation::None;
    return SeriesDataset::fromTable(table, options).value();
}

std::shared_ptr<const ParityTask> parity()
{
    ParityOptions options;
    options.validationShortest = 3;
    options.validationLongest = 40;
    options.everyStep = false;
    options.evaluationSequences = 64;
    return ParityTask::create(options).value();
}

ProbeText place(const Dataset& data, std::int64_t at, std::int64_t length = 0)
{
    return makeReading(data, {.from = From::Place, .at = at, .length = length});
}

std::string troubleOf(const Dataset& data, const ReadingRequest& request)
{
    const ProbeText text = makeReading(data, request);
    EXPECT_EQ(text.tokens, makeReading(data, {}).tokens) << "the start of validation in its place";
    return text.trouble;
}

TEST(ProbeText, IsEncodedAndCut)
{
    const ProbeText probe = makeProbeText(*shortText(), "head", 3);
    EXPECT_THAT(probe.tokens, ElementsAre(7, 4, 0));
    EXPECT_THAT(probe.characters, ElementsAre("h", "e", "a"));
    EXPECT_THAT(probe.asked, ElementsAre(4, 0, 3)) << "what is cut off is still what came";
    EXPECT_EQ(probe.of, "the first 3 steps of the given text");
    EXPECT_EQ(probe.trouble, "");
}

TEST(ProbeText, AsksForNothingWhereAGivenTextEnds)
{
    const ProbeText probe = makeProbeText(*shortText(), "head");
    EXPECT_THAT(probe.asked, ElementsAre(4, 0, 3, kIgnoredTarget));
    EXPECT_EQ(probe.of, "the given text");
    EXPECT_EQ(probe.labels, shortText()->alphabet());
}

TEST(ProbeText, TheStartOfTheValidationSplitEndsWherePaddingBegins)
{
    const ProbeText probe = makeProbeText(*shortText(), "");
    EXPECT_THAT(probe.characters, ElementsAre("d", "e", "f", "g")) << "the window has 16 steps, 4 of them real";
    EXPECT_THAT(probe.asked, ElementsAre(4, 5, 6, 7));
    EXPECT_EQ(probe.of, "the validation split (steps 1 to 4)");
    EXPECT_EQ(probe.trouble, "");
}

TEST(ProbeText, SaysWhyATextIsNotTaken)
{
    const ProbeText probe = makeProbeText(*shortText(), "had\u00E9");
    EXPECT_THAT(probe.trouble, HasSubstr("U+00E9"));
    EXPECT_EQ(probe.tokens, makeProbeText(*shortText(), "").tokens);
    const ProbeText mark = makeProbeText(*shortText(), "\uFEFF");
    EXPECT_EQ(mark.trouble, "") << "nothing but a byte order mark is no text";
    EXPECT_EQ(mark.tokens, probe.tokens);
}

TEST(Reading, OfAPlaceGoesOnWhateverTheWindows)
{
    const ProbeText text = place(*shortText(), 3, 30);
    ASSERT_EQ(text.steps(), 30u) << "T is 16";
    for (std::size_t t = 0; t < 30; ++t) {
        EXPECT_EQ(text.tokens[t], static_cast<std::int32_t>((t + 3) % 8));
        EXPECT_EQ(text.asked[t], static_cast<std::int32_t>((t + 4) % 8));
    }
    EXPECT_EQ(text.of, "the data (steps 4 to 33)");
}

TEST(Reading, EndsWithTheDataAndAsksForNothingThere)
{
    const ProbeText text = place(*shortText(), 38);
    EXPECT_THAT(text.characters, ElementsAre("g", "h"));
    EXPECT_THAT(text.asked, ElementsAre(7, kIgnoredTarget));
    EXPECT_THAT(place(*shortText("cab"), 38).asked, ElementsAre(7, kIgnoredTarget)) << "another text is none of its";
    EXPECT_THAT(place(*shortText("cab"), 40).characters, ElementsAre("c", "a", "b"));
    EXPECT_THAT(place(*shortText(), 39).asked, ElementsAre(kIgnoredTarget)) << "one step";
}

TEST(Reading, HasAtMostSoManySteps)
{
    TextSource source{.name = "long.txt", .text = std::string(4000, 'a') + "b"};
    const auto data = TextDataset::fromSource(std::move(source), {}).value();
    EXPECT_EQ(place(*data, 0, 100'000).steps(), kLongestReading);
    EXPECT_EQ(place(*data, 0).steps(), kUsualReading);
    EXPECT_EQ(place(*data, 0, 1).steps(), 1u);
    EXPECT_EQ(makeReading(*data, {.length = 300}).steps(), 300u) << "of validation";
    EXPECT_EQ(makeReading(*data, {.from = From::Text, .text = std::string(4000, 'a'), .length = 512}).steps(), 512u);
}

TEST(Reading, SaysWhatCannotBeRead)
{
    const auto data = shortText();
    EXPECT_THAT(troubleOf(*data, {.from = From::Place, .at = 40}),
                HasSubstr("there is no step 41: the data has 40 steps"));
    EXPECT_THAT(troubleOf(*data, {.from = From::Place, .at = -1}), HasSubstr("no step"));
    EXPECT_THAT(troubleOf(*data, {.from = From::Text, .text = "x"}), HasSubstr("x"));
    EXPECT_NE(troubleOf(*data, {.from = From::Text, .text = ""}), "");
    EXPECT_NE(troubleOf(*data, {.from = From::Sample}), "");
    EXPECT_THAT(troubleOf(*parity(), {.from = From::Place, .at = 64}), HasSubstr("there is no sequence 65"));
    const auto rows = countedRows();
    EXPECT_THAT(troubleOf(*rows, {.from = From::Text, .text = "abc"}), HasSubstr("numbers"));
    EXPECT_EQ(makeReading(*rows, {.from = From::Text, .text = "abc"}).features, makeReading(*rows, {}).features);
}

TEST(Reading, OfATableIsRowsWithWhatIsAskedForLater)
{
    const ProbeText text = place(*countedRows(), 5, 6);
    EXPECT_THAT(text.features, ElementsAre(5, 6, 7, 8, 9, 10)) << "T is 4";
    EXPECT_THAT(text.values, ElementsAre(64, 81, 100, 121, 144, 169));
    EXPECT_EQ(text.targets.at(0).name, "square");
    EXPECT_TRUE(text.labels.empty() && text.characters.empty() && text.asked.empty());
    const ProbeText end = place(*countedRows(), 26);
    EXPECT_THAT(end.features, ElementsAre(26, 27, 28, 29));
    EXPECT_EQ(end.values.at(0), 29 * 29);
    for (std::size_t t = 1; t < 4; ++t)
        EXPECT_TRUE(std::isnan(end.values.at(t))) << "behind the last row nothing is known";
    const ProbeText start = makeReading(*countedRows(), {});
    EXPECT_THAT(start.features, ElementsAre(21, 22, 23, 24, 25, 26)) << "what validation asks for are rows 24 to 29";
    EXPECT_THAT(start.values, ElementsAre(24 * 24, 25 * 25, 26 * 26, 27 * 27, 28 * 28, 29 * 29));
}

TEST(Reading, OfATaskIsAWholeSequence)
{
    const auto task = parity();
    for (const std::int64_t number : {0, 1, 17, 63}) {
        const ProbeText text = place(*task, number);
        const Batch batch = task->evaluationBatch(Split::Validation, number, 1);
        ASSERT_LE(text.steps(), 40u);
        for (std::size_t t = 0; t < text.steps(); ++t) {
            EXPECT_EQ(text.tokens[t], batch.tokens[t]);
            EXPECT_EQ(text.asked[t], batch.targets[t]);
        }
        EXPECT_NE(text.asked.back(), kIgnoredTarget) << "the answer comes last";
        EXPECT_EQ(text.of, "sequence " + std::to_string(number + 1) + " of 64 of the validation split");
    }
    EXPECT_EQ(makeReading(*task, {}).tokens, place(*task, 0).tokens);
    EXPECT_TRUE(makeReading(*task, {.from = From::Text, .text = "0110"}).asked.empty())
        << "what comes next is not what a task asks for";
}

TEST(Reading, OfATaskHasTheLengthThatIsAskedFor)
{
    const auto task = parity(); // 3 to 40 bits
    for (const std::int64_t length : {1, 12, 40, 96, 300})
        for (const From from : {From::Start, From::Place}) {
            const ProbeText text =
                makeReading(*task, {.from = from, .at = 5 * (from == From::Place), .length = length});
            EXPECT_EQ(std::ssize(text.tokens), length) << "the usual length too, and one that the data have not";
            EXPECT_EQ(text.asked.back(), std::accumulate(text.tokens.begin(), text.tokens.end(), 0) % 2);
            EXPECT_THAT(text.of, HasSubstr(" of 64 like those of validation, of "));
            EXPECT_THAT(text.of, HasSubstr(from == From::Place ? "sequence 6 " : "sequence 1 "));
        }
    EXPECT_EQ(place(*task, 5).of, "sequence 6 of 64 of the validation split") << "whole where nothing is asked for";
}

TEST(Reading, OfATaskSaysWhereItHasNotThatLength)
{
    const auto counting = CountingTask::create({}).value(); // a start, n a's, n b's
    EXPECT_EQ(place(*counting, 0, 21).steps(), 21u);
    EXPECT_THAT(place(*counting, 0, 21).of, Not(HasSubstr("asked for")));
    EXPECT_EQ(place(*counting, 0, 20).steps(), 21u);
    EXPECT_THAT(place(*counting, 0, 20).of, HasSubstr("(20 steps were asked for; this task has none of that length)"));
    const auto copy = CopyTask::create({}).value(); // 10 symbols and their copy at least
    EXPECT_EQ(place(*copy, 0, 33).steps(), 33u);
    EXPECT_EQ(place(*copy, 0, 15).steps(), 40u);
    EXPECT_THAT(place(*copy, 0, 15).of, HasSubstr("15 steps were asked for"));
}

TEST(Reading, OfATextInATaskHasTheTextAndTheLength)
{
    const auto task = parity();
    const auto find = [&](std::int64_t length, std::int64_t further) {
        return makeReading(*task, {.from = From::Place, .text = "01101", .length = length, .further = further});
    };
    for (const std::int64_t length : {12, 30}) {
        EXPECT_EQ(std::ssize(find(length, 0).tokens), length);
        EXPECT_THAT(task->written(find(length, 0).tokens, true), HasSubstr("01101"));
        EXPECT_THAT(task->written(find(length, 2).tokens, true), HasSubstr("01101"));
        EXPECT_NE(find(length, 0).tokens, find(length, 2).tokens);
    }
    EXPECT_THAT(find(4, 0).trouble, HasSubstr("of sequences of 4 steps: "));
}

TEST(Reading, OfNumbersOfATaskNamesTheirTargets)
{
    const auto task = AddingTask::create({}).value();
    const ProbeText text = makeReading(*task, {});
    EXPECT_EQ(text.width, task->numbers().inputs);
    ASSERT_EQ(std::ssize(text.targets), task->numbers().targets);
    EXPECT_EQ(text.targets[0].name, "target");
    EXPECT_EQ(text.targets[0].scale, 1);
    EXPECT_EQ(text.values.size(), text.steps() * text.targets.size());
}

TEST(Reading, OfLabelledTextAsksForItsLabelAtTheEnd)
{
    const auto data = LabelledText::open({}).value(); // the bundled sentences
    const auto sentences = makeLabelledSentences();
    for (const std::int64_t number : {0, 7, 100}) {
        const ProbeText text = place(*data, number);
        const auto& [sentence, label] = sentences.at(static_cast<std::size_t>(number));
        EXPECT_EQ(data->decode(text.tokens), sentence);
        EXPECT_EQ(text.labels.at(static_cast<std::size_t>(text.asked.back())), label);
        EXPECT_THAT(std::vector<std::int32_t>(text.asked.begin(), text.asked.end() - 1), Each(kIgnoredTarget));
    }
    EXPECT_TRUE(makeReading(*data, readingOfText("the fox chased the hen")).asked.empty()) << "nobody said what it is";
}

TEST(FindText, SaysWhereItIs)
{
    const auto data = shortText();
    EXPECT_EQ(findText(*data, "cd").value(), 2);
    EXPECT_EQ(findText(*data, "cd", 3).value(), 10);
    EXPECT_EQ(findText(*data, "habcdefgha", 8).value(), 15);
    EXPECT_EQ(place(*data, findText(*data, "fgh", 30).value(), 3).characters,
              (std::vector<std::string>{"f", "g", "h"}));
    EXPECT_THAT(findText(*data, "ba").error().text(), HasSubstr("does not have this text"));
    EXPECT_THAT(findText(*data, "ab", 33).error().text(), HasSubstr("from step 34 on"));
    EXPECT_FALSE(findText(*data, "ab", 500));
    EXPECT_FALSE(findText(*data, ""));
    const auto from = ReadingRequest::From::Place;
    EXPECT_EQ(makeReading(*data, {.from = from, .text = "cd", .at = 3, .length = 2, .seed = 0}).characters,
              (std::vector<std::string>{"c", "d"}));
    EXPECT_THAT(makeReading(*data, {.from = from, .text = "ba", .at = 0, .length = 2, .seed = 0}).trouble,
                HasSubstr("does not have this text"));
    EXPECT_FALSE(findText(*data, "x"));
    EXPECT_EQ(findText(*shortText("cab"), "cab").value(), 40) << "and not across two texts";
    EXPECT_FALSE(findText(*shortText("cab"), "hcab"));
    EXPECT_FALSE(findText(*countedRows(), "1"));
}

TEST(FindText, FurtherPlacesComeOneByOneAndThenTheFirstAgain)
{
    const auto data = shortText();
    const auto read = [&](std::int64_t further) {
        return makeReading(*data, {.from = From::Place, .text = "cd", .length = 2, .further = further}).of;
    };
    const auto at = [&](std::int64_t from) { return place(*data, findText(*data, "cd", from).value(), 2).of; };
    EXPECT_EQ(read(0), at(0));
    EXPECT_EQ(read(1), at(3));
    EXPECT_EQ(read(2), at(11));
    std::int64_t places = 1;
    for (std::int64_t from = 3; findText(*data, "cd", from); from = findText(*data, "cd", from).value() + 1)
        ++places;
    EXPECT_EQ(read(places), at(0));
}

/// The sequence that has the text, whole where no length is asked for.
TEST(FindText, OfATaskGivesTheSequenceItself)
{
    const auto task = parity();
    std::int64_t number = 5; // of a long one, that no other begins with
    while (place(*task, number).steps() < 30)
        ++number;
    const ProbeText wanted = place(*task, number);
    const std::string words = task->decode(wanted.tokens);
    const ProbeText found = makeReading(*task, {.from = From::Place, .text = words});
    EXPECT_EQ(found.of, wanted.of) << found.trouble;
    EXPECT_THAT(task->decode(found.tokens), HasSubstr(words));
}

TEST(FindText, LooksPastTheFirstPiece)
{
    for (const std::size_t before : {65'534, 65'535, 65'536, 65'537, 140'000}) {
        TextSource source{.name = "long.txt", .text = std::string(before, 'a') + "bc" + std::string(300, 'a')};
        const auto data = TextDataset::fromSource(std::move(source), {}).value();
        EXPECT_EQ(findText(*data, "bc").value(), static_cast<std::int64_t>(before));
        EXPECT_EQ(findText(*data, "abca").value(), static_cast<std::int64_t>(before) - 1);
    }
}

TEST(FindText, FindsTheSequenceThatHasIt)
{
    const auto data = LabelledText::open({}).value();
    const std::string sentence = makeLabelledSentences().at(12).text;
    EXPECT_EQ(findText(*data, sentence).value(), 12);
    const auto task = parity();
    const auto found = findText(*task, "0101", 3);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_GE(*found, 3);
    EXPECT_THAT(task->written(place(*task, *found).tokens, true), HasSubstr("0101"));
}

TEST(Probe, LabelsOfClassesAreNoCharacters)
{
    EXPECT_TRUE(readsCharacters({.characters = {"a", "␣", "é"}}));
    EXPECT_FALSE(readsCharacters({.characters = {"1", "231"}}));
    EXPECT_FALSE(readsCharacters({})) << "numbers";
}

} // namespace
} // namespace unroll
