// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/fable_corpus.h"

#include "core/data/corpus_story.h"
#include "core/data/sha256.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <regex>
#include <set>
#include <unordered_map>

namespace unroll {
namespace {

using testing::HasSubstr;

// What the `fable` experiment trains on. Made once: every test reads it.
const FableCorpus& corpus()
{
    static const FableCorpus made = makeFableCorpus(1, 1'200'000, 0.1);
    return made;
}

std::string wholeText()
{
    return corpus().training + corpus().validation;
}

std::vector<std::string> fables(const std::string& text)
{
    std::vector<std::string> found;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find("\n\n", at) + 2;
        found.push_back(text.substr(at, end - at));
        at = end;
    }
    return found;
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
    EXPECT_NEAR(corpus().validationFloor, validation.information / static_cast<double>(corpus().validation.size()), 1e-9);
    EXPECT_GT(corpus().validationFloor, 0.5);
    EXPECT_LT(corpus().validationFloor, 1.2);
}

TEST(FableCorpus, CharactersAddUpToTheFloor)
{
    const FableReading reading = readFables(corpus().validation).value();
    ASSERT_EQ(reading.record.nats.size(), corpus().validation.size());
    EXPECT_NEAR(std::accumulate(reading.record.nats.begin(), reading.record.nats.end(), 0.0), reading.information, 1e-6);
    EXPECT_EQ(reading.record.nats[0], 0.0);                       // every fable begins with the same sign
    EXPECT_DOUBLE_EQ(reading.record.nats[2], std::log(24.0));     // then one of 24 names, told by its initial
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
        EXPECT_THAT(reading.error().message, HasSubstr("leaves the grammar"));
    }
}

// Draws options evenly, so that rare ones come up, and looks at every menu it meets.
class MenuInspector final : public Script {
public:
    explicit MenuInspector(uint64_t seed) : m_random(seed) {}
    void say(std::string_view) override {}

private:
    Choice take(const Menu& menu) override
    {
        std::vector<std::pair<std::string, Choice>> options;
        for (size_t g = 0; g < menu.groups().size(); ++g)
            for (size_t item = 0; item < menu.groups()[g].size(); ++item)
                if (menu.groups()[g].weight > 0 && item != menu.groups()[g].except)
                    options.emplace_back(std::string(menu.groups()[g].word(item)) += menu.groups()[g].suffix, Choice{g, item});
        const Choice taken = options[m_random.below(options.size())].second;
        std::sort(options.begin(), options.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (size_t i = 1; i < options.size(); ++i)
            EXPECT_FALSE(options[i].first.starts_with(options[i - 1].first)) << options[i - 1].first << "|" << options[i].first;
        return taken;
    }

    Random m_random;
};

TEST(FableGrammar, NoOptionBeginsWithAnother)
{
    for (uint64_t seed = 0; seed < 300; ++seed) {
        MenuInspector inspector(seed);
        tellFable(inspector);
    }
}

TEST(FableGrammar, VerbsAgreeWithTheirSubjects)
{
    const std::string text = wholeText();
    const std::regex state("he (?:[a-z]+ )?([a-z]+) ((?:of|by) the [a-z]+ |\\([^)]*\\) )(was|were|is|are) [a-z]+[.,!']");
    int64_t singular = 0, plural = 0;
    size_t longest = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), state), end; it != end; ++it) {
        const bool many = (*it)[1].str().back() == 's', agreesWithMany = (*it)[3] == "were" || (*it)[3] == "are";
        EXPECT_EQ(many, agreesWithMany) << it->str();
        ++(many ? plural : singular);
        longest = std::max(longest, static_cast<size_t>((*it)[2].length()));
    }
    EXPECT_GT(singular, 200);
    EXPECT_GT(plural, 200);
    EXPECT_GT(longest, 25u);
}

// Closes what it opens, in order; returns the greatest depth of quotation marks and of brackets.
std::pair<size_t, size_t> nesting(const std::string& fable)
{
    std::string open;
    size_t quotes = 0, brackets = 0, deepestQuotes = 0, deepestBrackets = 0;
    const auto change = [&](char mark, bool opens, size_t& depth, size_t& deepest) {
        EXPECT_TRUE(opens || open.ends_with(mark)) << fable;
        if (opens)
            open += mark;
        else if (!open.empty())
            open.pop_back();
        depth += opens ? size_t{1} : size_t(-1);
        deepest = std::max(deepest, depth);
    };
    for (const char c : fable) {
        const bool quote = c == '"' || c == '\'';
        if (quote)
            change(c, open.find(c) == std::string::npos, quotes, deepestQuotes);
        else if (c == '(' || c == '[')
            change(c, true, brackets, deepestBrackets);
        else if (c == ')' || c == ']')
            change(c == ')' ? '(' : '[', false, brackets, deepestBrackets);
    }
    EXPECT_TRUE(open.empty()) << fable;
    return {deepestQuotes, deepestBrackets};
}

TEST(FableGrammar, QuotesAndBracketsNestAndClose)
{
    int64_t nestedQuotes = 0, nestedBrackets = 0;
    for (const std::string& fable : fables(wholeText())) {
        const auto [quotes, brackets] = nesting(fable);
        nestedQuotes += quotes == 2;
        nestedBrackets += brackets == 2;
    }
    EXPECT_GT(nestedQuotes, 100);
    EXPECT_GT(nestedBrackets, 100);
}

// Distances from one mention of a name to the next, within a fable; names begin with a capital and are no other word.
std::vector<size_t> returns(const std::string& fable)
{
    std::smatch title;
    EXPECT_TRUE(std::regex_search(fable, title, std::regex("^# ([A-Z][a-z]+) the [a-z]+, ([A-Z][a-z]+) the [a-z]+ and the ")));
    std::vector<size_t> distances;
    for (int i = 1; i <= 2; ++i) {
        const std::string name = title[static_cast<size_t>(i)];
        for (size_t at = fable.find(name), next = 0; (next = fable.find(name, at + 1)) != std::string::npos; at = next)
            distances.push_back(next - at);
    }
    return distances;
}

TEST(FableGrammar, NamesReturnFarApart)
{
    std::vector<size_t> all;
    for (const std::string& fable : fables(corpus().validation))
        for (const size_t distance : returns(fable))
            all.push_back(distance);
    EXPECT_GT(std::count_if(all.begin(), all.end(), [](size_t d) { return d > 64; }), 200);
    EXPECT_GT(std::count_if(all.begin(), all.end(), [](size_t d) { return d > 256; }), 10);
}

TEST(FableGrammar, TheEndRemembersTheTitle)
{
    const std::regex shape("^# [A-Z][a-z]+ the ([a-z]+), [A-Z][a-z]+ the ([a-z]+) and the ([a-z]+ [a-z]+)\n"
                           "[^]* So [A-Z][a-z]+ [a-z ]+ that ([a-z]+ [a-z]+)\\.\nMoral: a [a-z]+ ([a-z]+) [a-z]+ a [a-z]+ ([a-z]+)\\.\n\n$");
    const std::regex line("\nSo ");
    for (std::string fable : fables(corpus().validation)) {
        fable = std::regex_replace(fable, line, " So ");
        std::smatch parts;
        ASSERT_TRUE(std::regex_search(fable, parts, shape)) << fable;
        EXPECT_EQ(parts[1], parts[5]);
        EXPECT_EQ(parts[2], parts[6]);
        EXPECT_EQ(parts[3], parts[4]);
        EXPECT_GT(parts.position(4) - parts.position(3), 64);
    }
}

// Interpolated Kneser-Ney of order 5 (Chen and Goodman 1999, with one discount an order), trained on the training part.
// Keys hold up to five characters of seven bits.
class FiveGrams {
public:
    explicit FiveGrams(const std::string& text)
    {
        for (size_t end = kOrder; end <= text.size(); ++end)
            ++m_counts[kOrder][key(text, end, kOrder)];
        for (size_t n = kOrder; n > 1; --n) // lower orders count the different characters before them
            for (const auto& [gram, times] : m_counts[n])
                ++m_counts[n - 1][gram & mask(n - 1)];
        for (size_t n = 1; n <= kOrder; ++n)
            prepare(n);
    }

    // -ln p of the last character of text[0, end).
    double nats(const std::string& text, size_t end) const
    {
        double p = 1.0 / 128;
        for (size_t n = 1; n <= kOrder; ++n) {
            const auto context = m_contexts[n].find(key(text, end - 1, n - 1));
            if (context == m_contexts[n].end())
                continue;
            const auto found = m_counts[n].find(key(text, end, n));
            const double count = found == m_counts[n].end() ? 0 : static_cast<double>(found->second);
            const double backOff = m_discount[n] * static_cast<double>(context->second.kinds);
            p = (std::max(count - m_discount[n], 0.0) + backOff * p) / static_cast<double>(context->second.total);
        }
        return -std::log(p);
    }

private:
    static constexpr size_t kOrder = 5;
    struct Context {
        int64_t total = 0, kinds = 0;
    };

    static uint64_t mask(size_t n) { return (uint64_t{1} << (7 * n)) - 1; }
    static uint64_t key(const std::string& text, size_t end, size_t n)
    {
        uint64_t packed = 0;
        for (size_t i = end - n; i < end; ++i)
            packed = packed << 7 | static_cast<uint64_t>(text[i]);
        return packed;
    }
    void prepare(size_t n)
    {
        int64_t once = 0, twice = 0;
        for (const auto& [gram, times] : m_counts[n]) {
            once += times == 1;
            twice += times == 2;
            Context& context = m_contexts[n][gram >> 7];
            context.total += times;
            ++context.kinds;
        }
        m_discount[n] = once == 0 ? 0.0 : static_cast<double>(once) / static_cast<double>(once + 2 * twice);
    }

    std::unordered_map<uint64_t, int64_t> m_counts[kOrder + 1];
    std::unordered_map<uint64_t, Context> m_contexts[kOrder + 1];
    double m_discount[kOrder + 1] = {};
};

TEST(FableGrammar, FiveGramsStayFarAboveTheFloor)
{
    const FiveGrams model(corpus().training);
    const std::string text = wholeText();
    double sum = 0;
    for (size_t end = corpus().training.size() + 1; end <= text.size(); ++end)
        sum += model.nats(text, end);
    const double loss = sum / static_cast<double>(corpus().validation.size());
    RecordProperty("five_gram_loss", std::to_string(loss));
    RecordProperty("floor", std::to_string(corpus().validationFloor));
    EXPECT_GT(loss, corpus().validationFloor + 0.3);
    EXPECT_LT(loss, corpus().validationFloor + 0.6); // a poor model would make the gap look large
}

TEST(FableDataset, KnowsItsFloor)
{
    const auto data = fableDataset({}).value();
    EXPECT_TRUE(data->carriesState());
    EXPECT_EQ(data->steps(), 64);
    EXPECT_EQ(data->entropyFloor(Split::Validation), corpus().validationFloor);
    EXPECT_EQ(data->entropyFloor(Split::Train), corpus().trainingFloor);
    EXPECT_EQ(data->entropyExpected(), corpus().expectedEntropy);
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
    for (const auto& [split, expected] : {std::pair{Split::Validation, small.validation.size()}, {Split::Train, small.training.size() - 1}}) {
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
