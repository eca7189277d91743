// SPDX-License-Identifier: GPL-3.0-or-later
// The hidden variables of formal languages and of what is looked up: brackets, expressions, induction heads.
#include "core/data/features/feature_list.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/dyck_task.h"
#include "core/data/tasks/induction_task.h"
#include "core/data/tasks/modular_arithmetic_task.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace unroll {

namespace {

constexpr int64_t kMostOfAVariable = 16; // of one variable

/// What a variable is at each step: a class, or nothing.
using VariableClasses = std::function<std::vector<int64_t>(const ReadSequence&)>;
constexpr int64_t kNoClass = -1;

/// One feature for each class: "top_(", "the innermost bracket (", "when the innermost bracket is (".
void addVariable(FeatureList& list, const std::string& id, const std::string& name,
                 const std::vector<std::string>& labels, const VariableClasses& classes)
{
    const int64_t count = std::min(std::ssize(labels), kMostOfAVariable);
    for (int64_t each = 0; each < count; ++each) {
        const std::string& label = labels[static_cast<size_t>(each)];
        list.add(id + "_" + label, fmt::format("{} {}", name, label), fmt::format("when {} is {}", name, label),
                 [&](const ReadSequence& read) {
                     std::vector<float> values;
                     for (const int64_t found : classes(read))
                         values.push_back(found == kNoClass ? kUnknownFeature : found == each ? 1.0f : 0.0f);
                     return values;
                 });
    }
}

std::vector<std::string> labelsFrom(const std::vector<std::string>& labels, int64_t from, int64_t count)
{
    return {labels.begin() + from, labels.begin() + from + count};
}

/// How many of one letter are read, minus how many of another.
std::vector<float> surplusOf(const ReadSequence& read, int32_t more, int32_t less)
{
    std::vector<float> counts;
    float now = 0;
    for (const int32_t token : read.tokens)
        counts.push_back(now += token == more ? 1.0f : token == less ? -1.0f : 0.0f);
    return counts;
}

/// Of a^n b^n c^n too.
void addCounting(FeatureList& list, const CountingTask& task)
{
    constexpr int32_t a = 1, b = 2, c = 3;
    const auto addLast = [&](const char* id, const char* name, const char* when, int32_t before, int32_t letter) {
        list.add(id, name, when, [=](const ReadSequence& read) {
            std::vector<float> counts = surplusOf(read, before, letter);
            for (size_t t = 0; t < counts.size(); ++t)
                counts[t] = read.tokens[t] == letter && counts[t] == 0 ? 1 : 0;
            return counts;
        });
    };
    list.add("count", "the a's minus the b's so far", "",
             [](const ReadSequence& read) { return surplusOf(read, a, b); });
    addLast("last_one", "the last b", "when as many b's as a's are read", a, b);
    if (task.letters() < 3)
        return;
    list.add("count_c", "the b's minus the c's so far", "",
             [](const ReadSequence& read) { return surplusOf(read, b, c); });
    addLast("last_c", "the last c", "when as many c's as b's are read", b, c);
}

/// The kinds of brackets that are open, after each step.
std::vector<std::vector<int64_t>> openBrackets(const ReadSequence& read, const DyckTask& task)
{
    std::vector<std::vector<int64_t>> stacks;
    std::vector<int64_t> open;
    for (const int32_t token : read.tokens) {
        if (token >= task.opening(0) && token < task.closing(0))
            open.push_back(token - task.opening(0));
        else if (token >= task.closing(0) && token < task.classes() - 1 && !open.empty())
            open.pop_back();
        stacks.push_back(open);
    }
    return stacks;
}

void addDyck(FeatureList& list, const DyckTask& task)
{
    list.add("depth", "the bracket depth", "", [&](const ReadSequence& read) {
        std::vector<float> depths;
        for (const auto& open : openBrackets(read, task))
            depths.push_back(static_cast<float>(open.size()));
        return depths;
    });
    const std::vector<std::string> labels = labelsFrom(task.alphabet(), task.opening(0), task.kinds());
    const auto at = [&](size_t fromTop) {
        return [&task, fromTop](const ReadSequence& read) {
            std::vector<int64_t> kinds;
            for (const auto& open : openBrackets(read, task))
                kinds.push_back(open.size() > fromTop ? open[open.size() - 1 - fromTop] : kNoClass);
            return kinds;
        };
    };
    addVariable(list, "top", "the innermost open bracket", labels, at(0));
    addVariable(list, "second", "the bracket around the innermost one", labels, at(1));
}

/// What has been read of an expression, at operators that of the numbers before; of one with brackets what the
/// innermost open one has, nothing before its first number.
void addModularArithmetic(FeatureList& list, const ModularArithmeticTask& task)
{
    using Value = ModularArithmeticTask::Value;
    const int64_t modulus = task.modulus();
    const auto read = [&task](const auto& of) {
        return [&task, of](const ReadSequence& sequence) {
            std::vector<int64_t> values;
            ModularArithmeticTask::Expression expression(task);
            for (const int32_t token : sequence.tokens) {
                expression.read(token);
                const auto& level = expression.innermost();
                values.push_back(level.begun ? of(level.value) : kNoClass);
            }
            return values;
        };
    };
    if (task.brackets())
        list.add("depth", "the bracket depth", "", [&task](const ReadSequence& sequence) {
            std::vector<float> depths;
            ModularArithmeticTask::Expression expression(task);
            for (const int32_t token : sequence.tokens) {
                expression.read(token);
                depths.push_back(static_cast<float>(expression.depth()));
            }
            return depths;
        });
    const std::vector<std::string> numbers = labelsFrom(task.alphabet(), 0, modulus);
    addVariable(list, "value", "the value so far", numbers,
                read([modulus](const Value& value) { return value.all(modulus); }));
    addVariable(list, "term", "the last term", numbers, read([](const Value& value) { return value.term; }));
    addVariable(list, "closed", "the sum before the last term", numbers,
                read([](const Value& value) { return value.closed; }));
}

void addInduction(FeatureList& list, const InductionTask& task)
{
    const auto trigger = static_cast<int32_t>(task.trigger());
    list.add("triggered", "what follows the trigger", "after the trigger", [trigger](const ReadSequence& read) {
        std::vector<float> seen;
        float now = 0;
        for (const int32_t token : read.tokens)
            seen.push_back(now = token == trigger ? 1 : now);
        return seen;
    });
    const auto followed = [trigger](const ReadSequence& read) {
        std::vector<int64_t> symbols(read.tokens.size(), kNoClass);
        const auto first = std::find(read.tokens.begin(), read.tokens.end(), trigger);
        if (read.tokens.end() - first > 1)
            std::fill(symbols.begin() + (first - read.tokens.begin()) + 1, symbols.end(), int64_t{*(first + 1)});
        return symbols;
    };
    addVariable(list, "symbol", "the symbol after the trigger", labelsFrom(task.alphabet(), 0, trigger), followed);
}

} // namespace

/// From the sequences alone.
void addFormalFeatures(FeatureList& list, const Dataset& data)
{
    if (const auto* counting = dynamic_cast<const CountingTask*>(&data))
        addCounting(list, *counting);
    else if (const auto* dyck = dynamic_cast<const DyckTask*>(&data))
        addDyck(list, *dyck);
    else if (const auto* arithmetic = dynamic_cast<const ModularArithmeticTask*>(&data))
        addModularArithmetic(list, *arithmetic);
    else if (const auto* induction = dynamic_cast<const InductionTask*>(&data))
        addInduction(list, *induction);
}

} // namespace unroll
