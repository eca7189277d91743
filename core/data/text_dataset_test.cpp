// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_dataset.h"

#include "core/base/sha256.h"

#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace unroll {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string sample(size_t size)
{
    std::string text;
    for (size_t i = 0; i < size; ++i)
        text += static_cast<char>('a' + (i * i + i / 7) % 26);
    return text;
}

Result<std::shared_ptr<const TextDataset>> make(const std::string& text, const TextOptions& options,
                                                const std::string& validation = "", bool follows = false)
{
    TextSource source;
    source.name = "a.txt";
    source.text = text;
    source.validationName = "b.txt";
    source.validationText = validation;
    source.follow = follows;
    return TextDataset::fromSource(source, options);
}

std::string refusal(const std::string& text, const TextOptions& options, const std::string& validation = "")
{
    const auto made = make(text, options, validation);
    return made ? "accepted" : made.error().text();
}

// All scored targets of the split in the order of the text, for a batch of one sequence.
std::string scoredText(const TextDataset& data, Split split)
{
    std::vector<int32_t> scored;
    for (int64_t i = 0; i < data.batchesInSplit(split, 1); ++i)
        for (const int32_t target : data.evaluationBatch(split, i, 1).targets)
            if (target != kIgnoredTarget)
                scored.push_back(target);
    return data.decode(scored);
}

TEST(TextDataset, ScoresTheWholeValidationPart)
{
    const std::string text = sample(1003); // training takes floor(902.7)
    for (const ReadingOrder order : {ReadingOrder::Streams, ReadingOrder::Windows}) {
        const auto data = make(text, {.order = order, .steps = 10}).value();
        EXPECT_EQ(scoredText(*data, Split::Validation), text.substr(902));
        EXPECT_EQ(scoredText(*data, Split::Train), text.substr(1, 901));
        EXPECT_EQ(data->carriesState(), order == ReadingOrder::Streams);
    }
}

TEST(TextDataset, ItsBaselineIsOfTheTargetsThatAreScored)
{
    const std::string text = sample(3000);
    for (const ReadingOrder order : {ReadingOrder::Streams, ReadingOrder::Windows}) {
        const auto data =
            make(text, {.validationFraction = 0.1, .testFraction = 0.1, .order = order, .steps = 10}).value();
        const auto whole = data->baseline({Split::Validation, 4}), slice = data->baseline({Split::Validation, 4, 2});
        ASSERT_TRUE(whole && slice);
        EXPECT_EQ(whole->unit, "nats/token");
        EXPECT_THAT(whole->guess, HasSubstr("-gram, Kneser-Ney"));
        const NgramBaseline& ngrams = data->ngrams();
        const double all = std::accumulate(ngrams.validation.begin(), ngrams.validation.end(), 0.0);
        EXPECT_NEAR(whole->loss, all / 300, 1e-12);
        EXPECT_LT(whole->loss, std::log(26));
        int64_t targets = 0;
        const Portion portion{Split::Validation, 4, 2};
        for (int64_t i = 0; i < data->batchesIn(portion); ++i)
            targets += data->evaluationBatch(Split::Validation, i, 4).scoredTargets();
        if (order == ReadingOrder::Windows) {
            EXPECT_EQ(targets, 80);
            const double sum = std::accumulate(ngrams.validation.begin(), ngrams.validation.begin() + 80, 0.0);
            EXPECT_NEAR(slice->loss, sum / 80, 1e-12);
        }
        EXPECT_TRUE(data->baseline({Split::Test, 4}));
        EXPECT_FALSE(data->baseline({Split::Train, 4}));
        EXPECT_EQ(data->whyNoBaseline({Split::Train, 4}), "n-grams are counted on the training part itself");
        EXPECT_EQ(data->whyNoBaseline({Split::Validation, 4}), "");
    }
    const auto other = make(text, {.toTrain = false, .steps = 10}).value();
    EXPECT_FALSE(other->baseline({Split::Validation, 4}));
    EXPECT_EQ(other->whyNoBaseline({Split::Validation, 4}),
              "n-grams are counted on the training text, and this text is not read as it was for training");
}

TEST(TextDataset, ItsNgramsAreCountedOnceForTheSameText)
{
    const std::string text = sample(2000);
    const auto first = make(text, {.steps = 10}).value(), again = make(text, {.steps = 20}).value();
    EXPECT_EQ(&first->ngrams(), &again->ngrams());
    const auto otherParts = make(text, {.validationFraction = 0.2, .steps = 10}).value();
    EXPECT_NE(&first->ngrams(), &otherParts->ngrams());
    EXPECT_EQ(otherParts->ngrams().validation.size(), 400U);
    EXPECT_NE(&first->ngrams(), &make(text + "z", {.steps = 10}).value()->ngrams());
}

TEST(TextDataset, ReadsASeparateValidationText)
{
    const auto data = make("abcabcabcabc", {.steps = 4}, "cbacbz").value();
    EXPECT_EQ(data->classes(), 4); // of both
    EXPECT_EQ(scoredText(*data, Split::Validation), "bacbz");
    EXPECT_EQ(scoredText(*data, Split::Train), "bcabcabcabc");
    EXPECT_THAT(data->notices(), Contains(HasSubstr("1 character that never occurs")));
    EXPECT_NE(data->contentHash(), make("abcabcabcabc", {.steps = 4}, "cbacba").value()->contentHash());
}

TEST(TextDataset, MayKeepATestPartAtItsEnd)
{
    const std::string text = sample(1000);
    for (const ReadingOrder order : {ReadingOrder::Streams, ReadingOrder::Windows}) {
        const auto data =
            make(text, {.validationFraction = 0.05, .testFraction = 0.05, .order = order, .steps = 10}).value();
        EXPECT_EQ(scoredText(*data, Split::Train), text.substr(1, 899));
        EXPECT_EQ(scoredText(*data, Split::Validation), text.substr(900, 50));
        EXPECT_EQ(scoredText(*data, Split::Test), text.substr(950));
        EXPECT_EQ(scoredText(*data, Split::All), text.substr(1));
        EXPECT_EQ(data->tokensIn(Split::Test), 50);
        EXPECT_EQ(data->decode(data->beginning(Split::Test, 5)), text.substr(950, 5));
        EXPECT_THAT(data->describe(), HasSubstr("900 for training, 50 for validation, 50 for testing"));
        EXPECT_THAT(data->evaluationText(Split::Test), HasSubstr("characters 951 to 1,000 of 1,000 of a.txt, "));
        EXPECT_THAT(data->evaluationText(Split::All), HasSubstr("characters 2 to 1,000 of 1,000 of a.txt, "));
    }
    const auto without = make(text, {.steps = 10}).value();
    EXPECT_FALSE(without->has(Split::Test));
    EXPECT_EQ(scoredText(*without, Split::Validation), text.substr(900)) << "as it always was";
    EXPECT_EQ(refusal(text, {.testFraction = 0.95, .steps = 10}),
              "test_fraction: validation and test leave nothing to train on: 0.1 and 0.95 of the text");
}

TEST(TextDataset, ReadsASeparateTestText)
{
    TextSource source{.name = "a.txt", .text = "abcabcabcabcabcabcab", .testName = "t.txt", .testText = "cbacb"};
    const auto cut = TextDataset::fromSource(source, {.steps = 4}).value();
    EXPECT_EQ(scoredText(*cut, Split::Validation), "ab") << "of the first text";
    EXPECT_EQ(scoredText(*cut, Split::Test), "bacb");
    EXPECT_EQ(scoredText(*cut, Split::All), "bcabcabcabcabcabcab"
                                            "bacb")
        << "no text is read on from another";
    EXPECT_THAT(cut->evaluationText(Split::Test),
                HasSubstr("characters 2 to 5 of 5 of t.txt, as one stream from a zero state"));
    source.validationName = "v.txt";
    source.validationText = "ccc";
    const auto three = TextDataset::fromSource(source, {.steps = 4}).value();
    EXPECT_EQ(scoredText(*three, Split::Train), "bcabcabcabcabcabcab");
    EXPECT_EQ(scoredText(*three, Split::Validation), "cc");
    EXPECT_EQ(scoredText(*three, Split::Test), "bacb");
    EXPECT_NE(three->contentHash(), cut->contentHash());
}

/// A model that is trained reads other texts however short they are.
TEST(TextDataset, ThatIsNotTrainedOnMayBeShort)
{
    const auto data = make("abc", {.toTrain = false, .steps = 64}).value();
    EXPECT_EQ(scoredText(*data, Split::All), "bc");
    EXPECT_FALSE(data->accepts(1));
    EXPECT_EQ(refusal("a", {.toTrain = false, .steps = 64}).substr(0, 22), "a.txt: is too short: o");
}

TEST(TextDataset, ScoresTheFirstCharacterOfATextThatFollows)
{
    const auto data = make("abcabcabcabc", {.steps = 4}, "cbacb", true).value();
    EXPECT_EQ(scoredText(*data, Split::Validation), "cbacb");
}

TEST(TextDataset, TrainsOnTheTrainingPartOnly)
{
    const std::string text = std::string(900, 'a') + std::string(100, 'b');
    for (const ReadingOrder order : {ReadingOrder::Streams, ReadingOrder::Windows}) {
        const auto data = make(text, {.order = order, .steps = 7}).value();
        for (int64_t step = 0; step < 200; ++step) {
            const Batch batch = data->batch(Split::Train, step, 9, 4);
            EXPECT_EQ(std::count(batch.targets.begin(), batch.targets.end(), 0), 63);
        }
    }
}

TEST(TextDataset, ValidationBatchesAreTheEvaluationBatches)
{
    const auto data = make(sample(1000), {.steps = 8}).value();
    const int64_t count = data->batchesInSplit(Split::Validation, 3);
    EXPECT_EQ(data->batch(Split::Validation, count + 1, 3, 1), data->evaluationBatch(Split::Validation, 1, 3));
}

TEST(TextDataset, RefusesWithNumbers)
{
    EXPECT_EQ(refusal(sample(50), {.steps = 64}),
              "a.txt: is too short: one window of 64 steps needs 65 characters, and the training part has 45");
    EXPECT_EQ(refusal("abcdefghij", {.steps = 4}, "x"),
              "b.txt: leaves nothing to validate on: the validation part has 1 character");
    EXPECT_EQ(refusal(sample(50), {.steps = 0}), "steps: expected 1 to 1,000,000 steps; got 0");
    EXPECT_EQ(refusal(sample(50), {.steps = int64_t{1} << 40}),
              "steps: expected 1 to 1,000,000 steps; got 1099511627776");
    EXPECT_EQ(refusal("a", {.steps = 1}),
              "a.txt: is too short: one window of 1 step needs 2 characters, and the training part has 0");
}

TEST(TextDataset, RefusesBatchesLargerThanTheData)
{
    for (const ReadingOrder order : {ReadingOrder::Streams, ReadingOrder::Windows}) {
        const auto data = make(sample(1000), {.order = order, .steps = 64}).value();
        EXPECT_TRUE(data->accepts(14));
        const Result<void> refused = data->accepts(15);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().text(), "batch: a batch of 15 sequences of 64 steps is larger than the data: the "
                                          "training part has 900 characters, enough for 14 sequences");
        EXPECT_FALSE(data->accepts(0));
        EXPECT_FALSE(data->accepts(-1));
        EXPECT_FALSE(data->accepts(int64_t{1} << 62));
    }
}

TEST(TextDataset, SaysWhenTheValidationPartIsShort)
{
    const auto data = make(sample(200), {.steps = 64}).value();
    EXPECT_THAT(data->notices(),
                Contains("The validation part (20 characters) is shorter than one window of 64 steps."));
    EXPECT_EQ(data->batchesInSplit(Split::Validation, 4), 4) << "warmed up on the 179 characters before";
}

TEST(TextDataset, DescribesItself)
{
    const auto data = make(sample(2000), {.steps = 10}).value();
    EXPECT_EQ(data->describe(), "a.txt: 2,000 characters, " + std::to_string(data->classes()) +
                                    " different; 1,800 for training, 200 for validation");
    EXPECT_EQ(data->contentHash(), sha256(sample(2000)));
    EXPECT_EQ(data->entropyFloor({Split::Validation}), std::nullopt);
}

TEST(TextDataset, ShowsHowItsPartsBegin)
{
    const std::string text = sample(1003); // training takes floor(902.7)
    for (const ReadingOrder order : {ReadingOrder::Streams, ReadingOrder::Windows}) {
        const auto data = make(text, {.order = order, .steps = 10}).value();
        EXPECT_EQ(data->tokensIn(Split::Train), 902);
        EXPECT_EQ(data->tokensIn(Split::Validation), 101);
        EXPECT_EQ(data->decode(data->beginning(Split::Train, 25)), text.substr(0, 25));
        EXPECT_EQ(data->decode(data->beginning(Split::Validation, 25)), text.substr(902, 25));
        EXPECT_EQ(data->decode(data->beginning(Split::Validation, 1000)), text.substr(902)); // not beyond its end
        EXPECT_TRUE(data->beginning(Split::Train, 0).empty());
        // What every dataset has: the inputs of its evaluation, without what pads the last batch.
        EXPECT_EQ(data->decode(data->Dataset::beginning(Split::Train, 2000)), text.substr(0, 901));
        EXPECT_EQ(data->decode(data->Dataset::beginning(Split::Train, 25)), text.substr(0, 25));
    }
    const auto two = make("abcabcabcabc", {.steps = 4}, "cbacbz").value();
    EXPECT_EQ(two->tokensIn(Split::Validation), 6);
    EXPECT_EQ(two->decode(two->beginning(Split::Validation, 3)), "cba");
    EXPECT_EQ(two->decode(two->beginning(Split::Train, 100)), "abcabcabcabc");
}

std::filesystem::path tinyShakespeare()
{
    if (const char* named = std::getenv("UNROLL_TINYSHAKESPEARE"))
        return named;
    return std::filesystem::path(UNROLL_SOURCE_DIR) / "../shared/data/tinyshakespeare.txt";
}

TEST(TinyShakespeare, HasItsKnownShape)
{
    if (!std::filesystem::exists(tinyShakespeare()))
        GTEST_SKIP() << "set UNROLL_TINYSHAKESPEARE to the file to run this";
    const auto data = TextDataset::open({.file = tinyShakespeare()}).value();
    const TextPreview& preview = data->preview();
    EXPECT_EQ(preview.bytes, 1'115'394);
    EXPECT_EQ(data->classes(), 65);
    EXPECT_EQ(preview.training, 1'003'854);
    EXPECT_EQ(preview.validation, 111'540);
    EXPECT_EQ(preview.recognised, "tiny Shakespeare");
    EXPECT_THAT(data->describe(), HasSubstr("tiny Shakespeare: 1,115,394 characters, 65 different"));
    EXPECT_THAT(preview.notices, testing::IsEmpty());
    EXPECT_EQ(TextDataset::open({.file = tinyShakespeare(), .unit = TextUnit::Byte}).value()->classes(), 256);
}

} // namespace
} // namespace unroll
