// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ngram.h"

#include "core/data/ngram_baseline.h"
#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace unroll {
namespace {

using Tokens = std::vector<int32_t>;

/// The definition, word for word, from lists of all n-grams.
class PlainKneserNey {
public:
    PlainKneserNey(const Tokens& text, int64_t classes, size_t order) : m_classes(classes)
    {
        for (size_t n = 1; n <= order; ++n) {
            std::map<Tokens, std::set<int>> before; // -1: the beginning of the text
            for (size_t t = 0; t + n <= text.size(); ++t) {
                const Tokens gram(text.begin() + static_cast<long>(t), text.begin() + static_cast<long>(t + n));
                before[gram].insert(t == 0 ? -1 : text[t - 1]);
                if (n == order)
                    ++m_counts[gram];
            }
            for (const auto& [gram, tokens] : before)
                if (n < order)
                    m_counts[gram] = static_cast<double>(tokens.size());
        }
    }

    double chance(const Tokens& text, size_t t, size_t n) const
    {
        if (n == 0)
            return 1 / static_cast<double>(m_classes);
        if (t + 1 < n)
            return chance(text, t, n - 1);
        const Tokens gram(text.begin() + static_cast<long>(t + 1 - n), text.begin() + static_cast<long>(t + 1));
        double all = 0, kinds = 0, once = 0, twice = 0;
        for (const auto& [other, count] : m_counts) {
            if (other.size() != n)
                continue;
            once += count == 1;
            twice += count == 2;
            if (std::equal(gram.begin(), gram.end() - 1, other.begin())) {
                all += count;
                ++kinds;
            }
        }
        if (kinds == 0)
            return chance(text, t, n - 1);
        const double discount = once == 0 ? 0.5 : once / (once + 2 * twice);
        const auto found = m_counts.find(gram);
        const double count = found == m_counts.end() ? 0 : found->second;
        return (std::max(count - discount, 0.0) + discount * kinds * chance(text, t, n - 1)) / all;
    }

private:
    int64_t m_classes;
    std::map<Tokens, double> m_counts;
};

Tokens drawn(size_t count, int32_t classes, unsigned seed)
{
    std::mt19937 random(seed);
    Tokens tokens;
    for (size_t i = 0; i < count; ++i) // with a memory of two tokens
        tokens.push_back(i > 1 && random() % 3 > 0
                             ? (tokens[i - 1] + 2 * tokens[i - 2] + static_cast<int32_t>(random() % 2)) % classes
                             : static_cast<int32_t>(random() % static_cast<unsigned>(classes)));
    return tokens;
}

TEST(Ngrams, AreTheDefinitionAtEveryOrder)
{
    for (const int32_t classes : {2, 5, 40}) {
        const Tokens text = drawn(300, classes, static_cast<unsigned>(classes));
        Tokens other = drawn(60, classes, 99);
        other[20] = classes; // occurs nowhere
        const NgramModel model(text, classes + 1, {.orders = 5});
        ASSERT_EQ(model.orders(), 5);
        std::vector<std::vector<double>> found;
        model.read(other, 0, std::ssize(other), [&](const auto& chances) { found.push_back(chances); });
        for (size_t n = 1; n <= 5; ++n) {
            const PlainKneserNey plain(text, classes + 1, n);
            for (size_t t = 0; t < other.size(); ++t)
                ASSERT_NEAR(found[t][n], plain.chance(other, t, n), 1e-14) << n << " " << t;
        }
    }
}

TEST(Ngrams, ChancesOfAllTokensAddUpToOne)
{
    const Tokens text = drawn(400, 6, 1);
    const NgramModel model(text, 7, {.orders = 6});
    for (const Tokens& context : {Tokens{}, Tokens{1}, Tokens{6, 6}, Tokens{0, 1, 2, 3, 4}, drawn(20, 6, 2)}) {
        std::vector<double> sums(7);
        for (int32_t token = 0; token < 7; ++token) {
            Tokens whole = context;
            whole.push_back(token);
            model.read(whole, std::ssize(context), std::ssize(whole), [&](const std::vector<double>& chances) {
                for (size_t n = 0; n <= 6; ++n) {
                    EXPECT_GT(chances[n], 0);
                    sums[n] += chances[n];
                }
            });
        }
        for (const double sum : sums)
            EXPECT_NEAR(sum, 1, 1e-12);
    }
}

/// What is read from the middle of a text is what is read from its beginning.
TEST(Ngrams, ReadFromAnyPlaceAlike)
{
    const Tokens text = drawn(500, 9, 4);
    const NgramModel model(std::span<const int32_t>(text).first(300), 9, {.orders = 7});
    std::vector<double> whole, part;
    model.read(text, 0, 500, [&](const auto& chances) { whole.insert(whole.end(), chances.begin(), chances.end()); });
    model.read(text, 350, 500, [&](const auto& chances) { part.insert(part.end(), chances.begin(), chances.end()); });
    EXPECT_EQ(part, std::vector<double>(whole.end() - std::ssize(part), whole.end()));
}

TEST(Ngrams, KeepToTheirLimit)
{
    const Tokens text = drawn(4000, 30, 3);
    const NgramModel all(text, 30), few(text, 30, {.orders = 10, .grams = 1500});
    EXPECT_EQ(all.orders(), 10);
    EXPECT_EQ(few.orders(), 2);
    EXPECT_EQ(NgramModel(Tokens{}, 30).orders(), 0);
    EXPECT_EQ(NgramModel(Tokens{1, 2}, 30).orders(), 2);
}

TokenStore stored(const Tokens& tokens)
{
    return std::vector<uint16_t>(tokens.begin(), tokens.end());
}

TEST(NgramBaseline, TakesTheOrderThatDoesBest)
{
    const Tokens tokens = drawn(6000, 8, 5);
    const NgramBaseline made =
        NgramBaseline::of({stored(tokens), {1, 4999, 0}, {5000, 600, 4999}, {5600, 400, 5599}, 8, "character"});
    EXPECT_EQ(made.why, "");
    EXPECT_EQ(made.triedOn + made.validationOn + made.testOn, "") << "all of them";
    EXPECT_EQ(made.order, 3) << "the source remembers two tokens";
    EXPECT_EQ(made.guess, "3-gram, Kneser-Ney");
    ASSERT_EQ(made.orders.size(), 10u);
    EXPECT_EQ(made.orders[0].grams, 8);
    EXPECT_EQ(made.orders[1].grams, 8 + 64);
    EXPECT_NEAR(made.orders[2].nats, std::accumulate(made.validation.begin(), made.validation.end(), 0.0) / 600, 1e-6);
    ASSERT_EQ(made.validation.size(), 600u);
    ASSERT_EQ(made.test.size(), 400u);
    const NgramModel model(std::span<const int32_t>(tokens).first(5000), 8);
    size_t at = 0;
    model.read(tokens, 5000, 5600, [&](const std::vector<double>& chances) {
        EXPECT_FLOAT_EQ(made.validation[at++], static_cast<float>(-std::log(chances[3])));
    });
}

TEST(NgramBaseline, SaysWhyThereIsNone)
{
    const Tokens tokens = drawn(100, 8, 5);
    EXPECT_EQ(NgramBaseline::of({stored(tokens), {1, 0, 0}, {1, 50, 0}, {}, 8, "byte"}).why, "no byte to count");
    EXPECT_EQ(NgramBaseline::of({stored(tokens), {1, 99, 0}, {99, 0, 0}, {}, 8, "byte"}).why,
              "no byte to choose the order by");
}

/// Tokens in a file, of which the first two bytes are alike for pairs of classes.
TEST(NgramBaseline, CountsVocabulariesOfManyWords)
{
    constexpr int32_t kHigh = 1 << 16, kWords = 300'000;
    const Tokens few = drawn(6000, 8, 5);
    const TestFolder folder;
    std::string bytes;
    for (size_t i = 0; i < few.size(); ++i) {
        const int32_t token = few[i] % 4 + few[i] / 4 * kHigh; // 8 words
        for (const int shift : {0, 8, 16, 24})
            bytes += static_cast<char>(token >> shift);
    }
    writeContent(folder / "tokens", bytes);
    const auto file = std::make_shared<const InputFile>(InputFile::open(folder / "tokens").value());
    const TokenStore many = TokenStore::inFiles({{.file = file, .count = std::ssize(few), .width = 4}});
    const TargetRange training{1, 4999, 0}, validation{5000, 600, 4999}, test{5600, 400, 5599};
    const NgramBaseline found = NgramBaseline::of({many, training, validation, test, kWords, "word"});
    const NgramBaseline same = NgramBaseline::of({stored(few), training, validation, test, kWords, "word"});
    EXPECT_EQ(found.why, "");
    EXPECT_EQ(found.orders[0].grams, 8);
    EXPECT_EQ(found.validation, same.validation);
    EXPECT_EQ(found.test, same.test);
}

TEST(NgramBaseline, ScoresTheFirstOfLargeParts)
{
    const TokenStore tokens = stored(drawn(6000, 8, 5));
    const auto of = [&](int64_t validation, int64_t scored) {
        return NgramBaseline::of(
            {tokens, {1, 4999, 0}, {5000, validation, 4999}, {5000 + validation, 300, 5599}, 8, "byte"},
            {.scored = scored, .tried = 150});
    };
    const NgramBaseline all = of(600, 900), some = of(600, 700), half = of(600, 400);
    EXPECT_EQ(all.validationOn + all.testOn, "");
    EXPECT_EQ(all.triedOn, "the first 150 bytes of the validation part");
    EXPECT_EQ(some.validation, std::vector<float>(all.validation.begin(), all.validation.begin() + 400));
    EXPECT_EQ(some.validationOn, "the first 400 bytes of the validation part");
    EXPECT_EQ(some.test, all.test) << "the smaller part is scored whole";
    EXPECT_EQ(half.validation.size(), 200U);
    EXPECT_EQ(half.test, std::vector<float>(all.test.begin(), all.test.begin() + 200));
    EXPECT_EQ(half.testOn, "the first 200 bytes of the test part");

    const auto whole = half.over(Split::Validation, {{0, 50, 0}, {150, 200, 150}});
    const auto cut = half.over(Split::Validation, {{0, 50, 0}, {150, 400, 150}, {500, 600, 500}});
    ASSERT_TRUE(whole && cut);
    EXPECT_EQ(whole->guess, half.guess);
    EXPECT_EQ(cut->guess, half.guess + ", on the first 200 bytes of the validation part");
    EXPECT_EQ(cut->loss, whole->loss);
    const auto& nats = half.validation;
    EXPECT_NEAR(
        cut->loss,
        (std::accumulate(nats.begin(), nats.begin() + 50, 0.0) + std::accumulate(nats.begin() + 150, nats.end(), 0.0)) /
            100,
        1e-12);
    EXPECT_FALSE(half.over(Split::Test, {{200, 300, 200}}));
}

TEST(NgramBaseline, CountsTheLastOfALargeTrainingPart)
{
    const Tokens tokens = drawn(6000, 8, 5);
    const Tokens last(tokens.begin() + 3000, tokens.end());
    const NgramBaseline made = NgramBaseline::of(
        {stored(tokens), {1, 4999, 0}, {5000, 600, 4999}, {5600, 400, 5599}, 8, "byte"}, {.counted = 2000});
    const NgramBaseline same =
        NgramBaseline::of({stored(last), {1, 1999, 0}, {2000, 600, 1999}, {2600, 400, 2599}, 8, "byte"});
    EXPECT_EQ(made.guess, same.guess + ", of the last 2,000 bytes");
    EXPECT_EQ(made.validation, same.validation);
    EXPECT_EQ(made.test, same.test);
}

} // namespace
} // namespace unroll
