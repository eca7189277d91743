// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/corpus_story.h"
#include "core/data/test_fables.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <regex>
#include <unordered_map>

namespace unroll {
namespace {

using namespace testing_fables;

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
                    options.emplace_back(std::string(menu.groups()[g].word(item)) += menu.groups()[g].suffix,
                                         Choice{g, item});
        const Choice taken = options[m_random.below(options.size())].second;
        std::sort(options.begin(), options.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (size_t i = 1; i < options.size(); ++i)
            EXPECT_FALSE(options[i].first.starts_with(options[i - 1].first))
                << options[i - 1].first << "|" << options[i].first;
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
    const std::regex state(
        "he (?:[a-z]+ )?([a-z]+) ((?:of|by) the [a-z]+ |\\([^)]*\\) )(was|were|is|are) [a-z]+[.,!']");
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
    EXPECT_TRUE(
        std::regex_search(fable, title, std::regex("^# ([A-Z][a-z]+) the [a-z]+, ([A-Z][a-z]+) the [a-z]+ and the ")));
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
                           "[^]* So [A-Z][a-z]+ [a-z ]+ that ([a-z]+ [a-z]+)\\.\nMoral: a [a-z]+ ([a-z]+) [a-z]+ a "
                           "[a-z]+ ([a-z]+)\\.\n\n$");
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

} // namespace
} // namespace unroll
