// SPDX-License-Identifier: GPL-3.0-or-later
// The hidden variables of the bundled tasks: what a network has to carry along to answer.
#include "core/data/features/feature_list.h"
#include "core/data/tasks/adding_task.h"
#include "core/data/tasks/copy_task.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/parity_task.h"
#include "core/data/tasks/recall_task.h"
#include "core/data/tasks/vector_copy_task.h"
#include "core/data/tasks/word_problem_task.h"

#include <algorithm>
#include <fmt/format.h>

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

void addCounting(FeatureList& list)
{
    constexpr Token a = 1, b = 2;
    const auto open = [](const ReadSequence& read) {
        std::vector<float> counts;
        float now = 0;
        for (const Token token : read.tokens)
            counts.push_back(now += token == a ? 1.0f : token == b ? -1.0f : 0.0f);
        return counts;
    };
    list.add("count", "the a's minus the b's so far", "", open);
    list.add("last_one", "the last b", "when as many b's as a's are read", [open](const ReadSequence& read) {
        std::vector<float> counts = open(read);
        for (size_t t = 0; t < counts.size(); ++t)
            counts[t] = read.tokens[t] == b && counts[t] == 0 ? 1 : 0;
        return counts;
    });
}

/// Symbols that are read before the first sign of another kind.
int64_t leadingSymbols(const ReadSequence& read, Token blank)
{
    const auto end =
        std::find_if(read.tokens.begin(), read.tokens.end(), [blank](Token token) { return token >= blank; });
    return end - read.tokens.begin();
}

void addCopy(FeatureList& list, const CopyTask& task)
{
    if (list.sequences().empty())
        return;
    const auto blank = static_cast<Token>(task.blank());
    const int64_t length = leadingSymbols(list.sequences().front(), blank), lag = task.steps() - length;
    list.addAt("reads", "the symbols being read", "while symbols are read",
               [length](const ReadSequence&, int64_t t) { return t < length ? 1.0f : 0.0f; });
    list.addAt("tells", "the symbols being asked for", "while symbols are asked for",
               [lag](const ReadSequence&, int64_t t) { return t >= lag ? 1.0f : 0.0f; });
    const std::vector<std::string> labels = task.alphabet();
    const auto symbols = static_cast<Token>(std::min<int64_t>(blank, 16));
    for (const int64_t back : {int64_t{1}, lag})
        for (Token symbol = 0; symbol < symbols; ++symbol) {
            const std::string what = fmt::format("{} {} steps back", labels[static_cast<size_t>(symbol)], back);
            list.addAt(fmt::format("back_{}_{}", back, labels[static_cast<size_t>(symbol)]), what, "at " + what,
                       [=](const ReadSequence& read, int64_t t) {
                           return t < back ? kUnknownFeature : tokenAt(read, t - back) == symbol ? 1.0f : 0.0f;
                       });
        }
    for (const int64_t place : {int64_t{0}, length - 1})
        for (Token symbol = 0; symbol < symbols; ++symbol) {
            const std::string what = fmt::format("{} as {} symbol", labels[static_cast<size_t>(symbol)],
                                                 place == 0 ? "the first" : "the last");
            list.addAt(fmt::format("symbol_{}_{}", place + 1, labels[static_cast<size_t>(symbol)]), what,
                       "after " + what, [=](const ReadSequence& read, int64_t t) {
                           return t < place ? kUnknownFeature : tokenAt(read, place) == symbol ? 1.0f : 0.0f;
                       });
        }
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
    else if (dynamic_cast<const CountingTask*>(&data) != nullptr)
        addCounting(list);
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
