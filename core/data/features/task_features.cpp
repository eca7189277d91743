// SPDX-License-Identifier: GPL-3.0-or-later
// The hidden variables of the bundled tasks: what a network has to carry along to answer.
#include "core/data/features/feature_list.h"
#include "core/data/tasks/adding_task.h"
#include "core/data/tasks/copy_task.h"
#include "core/data/tasks/parity_task.h"
#include "core/data/tasks/recall_task.h"
#include "core/data/tasks/vector_copy_task.h"
#include "core/data/tasks/word_problem_task.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace unroll {

namespace {

using Token = int32_t;

Token tokenAt(const ReadSequence& sequence, int64_t t)
{
    return sequence.tokens[static_cast<size_t>(t)];
}

Token targetAt(const ReadSequence& sequence, int64_t t)
{
    return sequence.targets.empty() ? kIgnoredTarget : sequence.targets[static_cast<size_t>(t)];
}

float numberAt(const ReadSequence& sequence, int64_t t, int64_t column, int64_t columns)
{
    return sequence.features[static_cast<size_t>(t * columns + column)];
}

/// 1 or 0, from its beginning: nothing is known of a sequence that does not begin.
void addParity(FeatureList& list, const ParityTask& task)
{
    const auto one = static_cast<Token>(task.classes() - 1);
    list.add("parity", "the parity so far", "when the number of ones so far is odd", [one](const ReadSequence& read) {
        std::vector<float> odd;
        float now = 0;
        for (const Token token : read.tokens)
            odd.push_back(now = token == one ? 1 - now : now);
        return odd;
    });
    list.add("ones", "the number of ones so far", "", [one](const ReadSequence& read) {
        std::vector<float> counts;
        float now = 0;
        for (const Token token : read.tokens)
            counts.push_back(now += token == one ? 1.0f : 0.0f);
        return counts;
    });
}

/// The product so far is what every step asks for.
void addWordProblem(FeatureList& list, const WordProblemTask& task)
{
    const std::vector<std::string> labels = task.alphabet();
    for (const Token element : frequentClasses(list.sequences(), &ReadSequence::targets, 64)) {
        const std::string& label = labels[static_cast<size_t>(element)];
        list.addAt("product_" + label, "the product " + label, "when the product so far is " + label,
                   [element](const ReadSequence& read, int64_t t) {
                       const Token asked = targetAt(read, t);
                       return asked == kIgnoredTarget ? kUnknownFeature : asked == element ? 1.0f : 0.0f;
                   });
    }
}

/// One feature for each of the first symbols: `what` says which symbol is meant where, `found` which one it is at each
/// step, kIgnoredTarget where there is none.
void addSymbols(FeatureList& list, const CopyTask& task, const std::string& id, const std::string& what,
                const std::string& when, const std::function<std::vector<Token>(const ReadSequence&)>& found)
{
    const std::vector<std::string> labels = task.alphabet();
    const auto symbols = static_cast<Token>(std::min<int64_t>(task.blank(), 16));
    for (Token symbol = 0; symbol < symbols; ++symbol) {
        const std::string& label = labels[static_cast<size_t>(symbol)];
        list.add(fmt::format("{}_{}", id, label), fmt::format("{} {}", label, what),
                 fmt::format("{} {} {}", when, label, what), [&](const ReadSequence& read) {
                     std::vector<float> values;
                     for (const Token token : found(read))
                         values.push_back(token == kIgnoredTarget ? kUnknownFeature : token == symbol ? 1.0f : 0.0f);
                     return values;
                 });
    }
}

/// The token so many steps before each step.
std::vector<Token> tokensBack(const ReadSequence& read, int64_t back)
{
    std::vector<Token> tokens(std::min(read.tokens.size(), static_cast<size_t>(back)), kIgnoredTarget);
    tokens.insert(tokens.end(), read.tokens.begin(), read.tokens.end() - std::ssize(tokens));
    return tokens;
}

/// Symbol number `which`, from 0 on, from where it is read on.
std::vector<Token> symbolRead(const ReadSequence& read, Token blank, int64_t which)
{
    std::vector<Token> symbols;
    Token now = kIgnoredTarget;
    for (const Token token : read.tokens) {
        if (token < blank && which-- == 0)
            now = token;
        symbols.push_back(now);
    }
    return symbols;
}

void addSymbolCount(FeatureList& list, Token blank)
{
    list.add("symbols", "the number of symbols so far", "", [blank](const ReadSequence& read) {
        std::vector<float> counts;
        float now = 0;
        for (const Token token : read.tokens)
            counts.push_back(now += token < blank ? 1.0f : 0.0f);
        return counts;
    });
}

/// Of the selective form nothing is a certain number of steps back.
void addCopy(FeatureList& list, const CopyTask& task)
{
    const auto blank = static_cast<Token>(task.blank());
    const int64_t length = task.length(), lag = task.steps() - length;
    list.addAt("reads", "the symbols being read", "while symbols are read",
               [blank](const ReadSequence& read, int64_t t) { return tokenAt(read, t) < blank ? 1.0f : 0.0f; });
    list.addAt("tells", "the symbols being asked for", "while symbols are asked for",
               [lag](const ReadSequence&, int64_t t) { return t >= lag ? 1.0f : 0.0f; });
    if (task.selective())
        addSymbolCount(list, blank);
    else
        for (const int64_t back : {int64_t{1}, lag})
            addSymbols(list, task, fmt::format("back_{}", back), fmt::format("{} steps back", back), "at",
                       [back](const ReadSequence& read) { return tokensBack(read, back); });
    for (const int64_t which : std::set{int64_t{0}, length - 1})
        addSymbols(list, task, fmt::format("symbol_{}", which + 1),
                   which == 0 ? "as the first symbol" : "as the last symbol", "after",
                   [=](const ReadSequence& read) { return symbolRead(read, blank, which); });
}

void addRecall(FeatureList& list, const RecallTask& task)
{
    const auto firstValue = static_cast<Token>(task.classes() / 2);
    list.addAt("key", "keys", "at keys", [=](const ReadSequence& read, int64_t t) {
        return tokenAt(read, t) > 0 && tokenAt(read, t) < firstValue ? 1.0f : 0.0f;
    });
    list.addAt("value", "values", "at values",
               [=](const ReadSequence& read, int64_t t) { return tokenAt(read, t) >= firstValue ? 1.0f : 0.0f; });
    list.addAt("asked", "keys that come back", "when a key comes back",
               [](const ReadSequence& read, int64_t t) { return targetAt(read, t) == kIgnoredTarget ? 0.0f : 1.0f; });
    const std::vector<std::string> labels = task.alphabet();
    for (const Token value : frequentClasses(list.sequences(), &ReadSequence::targets, 16)) {
        const std::string& label = labels[static_cast<size_t>(value)];
        list.addAt("asks_" + label, "the value asked for, " + label, "when " + label + " is asked for",
                   [value](const ReadSequence& read, int64_t t) {
                       const Token asked = targetAt(read, t);
                       return asked == kIgnoredTarget ? kUnknownFeature : asked == value ? 1.0f : 0.0f;
                   });
    }
}

void addAdding(FeatureList& list)
{
    constexpr int64_t number = 0, mark = 1, columns = 2;
    list.addAt("marked", "marks", "at marked numbers",
               [](const ReadSequence& read, int64_t t) { return numberAt(read, t, mark, columns); });
    list.add("marks", "the number of marks so far", "", [](const ReadSequence& read) {
        std::vector<float> counts;
        float now = 0;
        for (int64_t t = 0; t < read.steps; ++t)
            counts.push_back(now += numberAt(read, t, mark, columns));
        return counts;
    });
    list.add("sum", "the sum so far", "", [](const ReadSequence& read) {
        std::vector<float> sums;
        float now = 0;
        for (int64_t t = 0; t < read.steps; ++t)
            sums.push_back(now += numberAt(read, t, mark, columns) * numberAt(read, t, number, columns));
        return sums;
    });
}

void addVectorCopy(FeatureList& list, const VectorCopyTask& task)
{
    const int64_t columns = task.numbers().inputs, bits = columns - 1;
    if (list.sequences().empty())
        return;
    int64_t recall = 0; // the step of the signal, from which on a vector so many steps back is asked for
    while (recall < task.steps() - 1 && numberAt(list.sequences().front(), recall, bits, columns) == 0)
        ++recall;
    list.addAt("tells", "the vectors being asked for", "while vectors are asked for",
               [=](const ReadSequence&, int64_t t) { return t >= recall ? 1.0f : 0.0f; });
    for (const int64_t back : {int64_t{1}, recall})
        for (int64_t bit = 0; bit < std::min<int64_t>(bits, 16); ++bit)
            list.addAt(fmt::format("back_{}_bit_{}", back, bit + 1), fmt::format("bit {} {} steps back", bit + 1, back),
                       fmt::format("when bit {} was 1 {} steps back", bit + 1, back),
                       [=](const ReadSequence& read, int64_t t) {
                           return t < back ? kUnknownFeature : numberAt(read, t - back, bit, columns);
                       });
}

} // namespace

/// From the sequences alone: they hold all that the task draws.
void addTaskFeatures(FeatureList& list, const Dataset& data)
{
    if (const auto* parity = dynamic_cast<const ParityTask*>(&data))
        addParity(list, *parity);
    else if (const auto* words = dynamic_cast<const WordProblemTask*>(&data))
        addWordProblem(list, *words);
    else if (const auto* copy = dynamic_cast<const CopyTask*>(&data))
        addCopy(list, *copy);
    else if (const auto* recall = dynamic_cast<const RecallTask*>(&data))
        addRecall(list, *recall);
    else if (dynamic_cast<const AddingTask*>(&data) != nullptr)
        addAdding(list);
    else if (const auto* vectors = dynamic_cast<const VectorCopyTask*>(&data))
        addVectorCopy(list, *vectors);
}

} // namespace unroll
