// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/fable_corpus.h"

#include "core/base/sha256.h"
#include "core/data/corpus_story.h"
#include "core/data/test_fables.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <span>

namespace unroll {
namespace {

using namespace testing_fables;
using testing::HasSubstr;

/// Writes the text of given choices, which must outlive it.
class ScriptReplay final : public Script {
public:
    explicit ScriptReplay(std::span<const Choice> choices) : m_choices(choices) {}
    void say(std::string_view words) override { m_text += words; }
    const std::string& text() const { return m_text; }

private:
    Choice take(const Menu& menu) override
    {
        const Choice choice = m_choices.front();
        m_choices = m_choices.subspan(1);
        const Menu::Group& group = menu.groups()[choice.group];
        m_text += group.word(choice.item);
        m_text += group.suffix;
        return choice;
    }

    std::span<const Choice> m_choices;
    std::string m_text;
};

/// The text of choices that were read: readFables backwards.
std::string retoldFables(const FableReading& reading)
{
    ScriptReplay replay(reading.record.choices);
    for (int64_t i = 0; i < reading.fables; ++i)
        tellFable(replay);
    return replay.text();
}

TEST(FableCorpus, IsMadeInNoTime)
{
    const std::clock_t begin = std::clock();
    const FableCorpus made = makeFableCorpus(3, 1'200'000, 0.1);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_GE(made.training.size() + made.validation.size(), 1'200'000u);
    EXPECT_LT(seconds, 0.8); // of processor time; about 0.03 without sanitizers
}

// Golden: the text may never change under the same seed, or floors and runs no longer compare.
TEST(FableCorpus, IsTheGoldenText)
{
    EXPECT_EQ(sha256(wholeText()), "1fb538a1f217b551412c39c61369b51842c2ae89478d105258635f17e0fbdc01");
    EXPECT_EQ(corpus().training.substr(0, 46), "# Hal the goose, Bram the bee and the gold jug");
}

TEST(FableCorpus, FollowsItsSeed)
{
    EXPECT_EQ(makeFableCorpus(5, 5'000, 0.1).training, makeFableCorpus(5, 5'000, 0.1).training);
    EXPECT_NE(makeFableCorpus(5, 5'000, 0.1).training, makeFableCorpus(6, 5'000, 0.1).training);
    const std::string longer = makeFableCorpus(5, 50'000, 0.1).training;
    EXPECT_TRUE(longer.starts_with(makeFableCorpus(5, 5'000, 0.1).training));
}

TEST(FableCorpus, IsLargeAndVaried)
{
    const std::string text = wholeText();
    EXPECT_GE(text.size(), 1'000'000u);
    EXPECT_GE(std::set<char>(text.begin(), text.end()).size(), 50u);
    std::set<std::string> distinct;
    for (const std::string& fable : fables(text))
        distinct.insert(fable);
    EXPECT_EQ(static_cast<int64_t>(distinct.size()), corpus().trainingFables + corpus().validationFables);
}

TEST(FableCorpus, SplitsBetweenFables)
{
    EXPECT_TRUE(corpus().training.ends_with(".\n\n"));
    EXPECT_TRUE(corpus().validation.starts_with("# "));
    const double share = static_cast<double>(corpus().validation.size()) / static_cast<double>(wholeText().size());
    EXPECT_NEAR(share, 0.1, 0.005);
}

TEST(FableCorpus, ReadsBackIntoItsChoicesAndIsToldAgain)
{
    for (const std::string* part : {&corpus().training, &corpus().validation}) {
        const FableReading reading = readFables(*part).value();
        EXPECT_EQ(retoldFables(reading), *part);
        EXPECT_GT(reading.record.choices.size(), part->size() / 10);
    }
}

TEST(FableCorpus, FloorIsTheInformationOfTheChoices)
{
    const FableReading training = readFables(corpus().training).value();
    const FableReading validation = readFables(corpus().validation).value();
    EXPECT_EQ(training.fables, corpus().trainingFables);
    EXPECT_EQ(validation.fables, corpus().validationFables);
    EXPECT_NEAR(corpus().trainingFloor, training.information / static_cast<double>(corpus().training.size() - 1), 1e-9);
    EXPECT_NEAR(corpus().validationFloor, validation.information / static_cast<double>(corpus().validation.size()),
                1e-9);
    EXPECT_GT(corpus().validationFloor, 0.5);
    EXPECT_LT(corpus().validationFloor, 1.2);
}

TEST(FableCorpus, CharactersAddUpToTheFloor)
{
    const FableReading reading = readFables(corpus().validation).value();
    ASSERT_EQ(reading.record.nats.size(), corpus().validation.size());
    EXPECT_NEAR(std::accumulate(reading.record.nats.begin(), reading.record.nats.end(), 0.0), reading.information,
                1e-6);
    EXPECT_EQ(reading.record.nats[0], 0.0);                   // every fable begins with the same sign
    EXPECT_DOUBLE_EQ(reading.record.nats[2], std::log(24.0)); // then one of 24 names, told by its initial
    EXPECT_EQ(*std::min_element(reading.record.nats.begin(), reading.record.nats.end()), 0.0);
}

// The expectation is an entropy rate: many other corpora must scatter around it.
TEST(FableCorpus, ExpectationAgreesWithManyTexts)
{
    double information = 0;
    size_t characters = 0;
    for (uint64_t seed = 100; seed < 104; ++seed) {
        const FableCorpus other = makeFableCorpus(seed, 1'000'000, 0.5);
        information += other.validationFloor * static_cast<double>(other.validation.size());
        characters += other.validation.size();
    }
    EXPECT_NEAR(information / static_cast<double>(characters), corpus().expectedEntropy, 0.003);
    EXPECT_NEAR(corpus().validationFloor, corpus().expectedEntropy, 0.01);
}

TEST(FableCorpus, RefusesOtherTexts)
{
    const std::string fable = fables(corpus().training).front();
    EXPECT_TRUE(readFables(fable));
    EXPECT_TRUE(readFables(""));
    for (const std::string& text : {std::string("hello"), fable.substr(0, fable.size() / 2), fable + "\n", " " + fable})
        EXPECT_FALSE(readFables(text));
    for (size_t at = 0; at < fable.size(); ++at) {
        std::string spoilt = fable;
        spoilt[at] = '~';
        const Result<FableReading> reading = readFables(spoilt);
        ASSERT_FALSE(reading) << at;
        EXPECT_THAT(reading.error().message, HasSubstr("is not in the grammar from here on"));
    }
}

/// What is evaluated on the way has a floor of its own: the sum of what its characters tell.
TEST(FableDataset, KnowsTheFloorOfASlice)
{
    for (const ReadingOrder order : {ReadingOrder::Streams, ReadingOrder::Windows}) {
        const auto data = fableDataset({.testFraction = 0.05, .order = order}).value();
        const int64_t training = *data->tokensIn(Split::Train), validation = *data->tokensIn(Split::Validation);
        const auto heldOut = data->tokens().slice(training, data->tokens().size() - training);
        const auto nats = readFables(data->decode(heldOut)).value().record.nats;
        for (const Split split : {Split::Validation, Split::Test}) {
            const auto first = static_cast<size_t>(split == Split::Test ? validation : 0);
            const Portion slice{split, 4, 3};
            double sum = 0;
            int64_t targets = 0;
            for (const Stretch& stretch :
                 TextBatches(data->tokens(), {training + static_cast<int64_t>(first), *data->tokensIn(split), 5000},
                             order, 64)
                     .windows()
                     .evaluated(data->batchesIn(slice), 4))
                for (int64_t at = stretch.from; at < stretch.end; ++at, ++targets)
                    sum += nats.at(first + static_cast<size_t>(at));
            EXPECT_NEAR(*data->entropyFloor(slice), sum / static_cast<double>(targets), 1e-6);
            int64_t asked = 0;
            for (int64_t i = 0; i < data->batchesIn(slice); ++i)
                asked += data->evaluationBatch(split, i, 4).scoredTargets();
            EXPECT_EQ(asked, targets);
        }
    }
}

TEST(FableDataset, KnowsItsFloor)
{
    const auto data = fableDataset({}).value();
    EXPECT_TRUE(data->carriesState());
    EXPECT_EQ(data->steps(), 64);
    EXPECT_NEAR(*data->entropyFloor({Split::Validation}), corpus().validationFloor, 1e-7);
    EXPECT_EQ(data->entropyFloor({Split::Train}), corpus().trainingFloor);
    EXPECT_EQ(data->entropyExpected(Split::Validation), corpus().expectedEntropy);
    EXPECT_EQ(data->preview().training, static_cast<int64_t>(corpus().training.size()));
    EXPECT_THAT(data->notices(), testing::IsEmpty());
    EXPECT_TRUE(data->accepts(12));
    EXPECT_EQ(data->decode(data->encode("# Ada the fox").value()), "# Ada the fox");
}

// The floor divides by the targets that evaluation scores.
TEST(FableDataset, ScoresEveryCharacterOfTheValidationPart)
{
    const auto data = fableDataset({.characters = 30'000}).value();
    const FableCorpus small = makeFableCorpus(1, 30'000, 0.1);
    for (const auto& [split, expected] :
         {std::pair{Split::Validation, small.validation.size()}, {Split::Train, small.training.size() - 1}}) {
        size_t scored = 0;
        for (int64_t i = 0; i < data->batchesInSplit(split, 7); ++i) {
            const std::vector<int32_t> targets = data->evaluationBatch(split, i, 7).targets;
            scored += targets.size() - static_cast<size_t>(std::count(targets.begin(), targets.end(), kIgnoredTarget));
        }
        EXPECT_EQ(scored, expected);
    }
}

TEST(FableDataset, RefusesWhatMakesNoCorpus)
{
    EXPECT_EQ(fableDataset({.characters = 0}).error().place, "characters");
    EXPECT_EQ(fableDataset({.characters = int64_t{1} << 40}).error().place, "characters");
    EXPECT_EQ(fableDataset({.validationFraction = 0}).error().place, "validation_fraction");
    EXPECT_EQ(fableDataset({.validationFraction = std::nan("")}).error().place, "validation_fraction");
    EXPECT_EQ(fableDataset({.steps = 0}).error().place, "steps");
    EXPECT_TRUE(fableDataset({.characters = 1}));
}

} // namespace
} // namespace unroll
