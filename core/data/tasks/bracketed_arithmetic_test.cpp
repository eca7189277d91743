// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions with brackets. Golden items: drawn by a second implementation of the generator and the task; they may
// never change, or old runs no longer repeat.
#include "core/data/tasks/modular_arithmetic_task.h"
#include "core/data/tasks/task_test.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace unroll {
namespace {

TEST(BracketedArithmetic, FirstItemsAreTheGoldenOnes)
{
    const auto task = ModularArithmeticTask::create({.everyNumber = true, .brackets = true}).value();
    const Batch batch = task->batch(Split::Train, 0, 4, 0);
    EXPECT_EQ(task->decode(sequence(batch, 0).tokens), "0-4+3-0+0+4+4+4+1*4+1*(3-1)");
    EXPECT_EQ(askedText(*task, sequence(batch, 0)), "0.1.4.4.4.3.2.1.2.0.1.....2");
    EXPECT_EQ(task->decode(sequence(batch, 3).tokens), "((2-0)+2)");
    EXPECT_EQ(askedText(*task, sequence(batch, 3)), "........4");
    const auto last = ModularArithmeticTask::create({.brackets = true}).value();
    EXPECT_EQ(askedText(*last, sequence(last->batch(Split::Train, 0, 1, 0), 0)), "..........................2");
    const Read fixed = sequence(last->evaluationBatch(Split::Validation, 0, 1), 0);
    EXPECT_EQ(fixed.tokens.size(), 181u);
    EXPECT_EQ(last->decode(fixed.tokens).substr(0, 60), "(1-4)-2*((3-(4+(4+3+1*3*2)*(1*1))+(4*0))*0*3)+2*4-3+3*3-((1*");
    EXPECT_EQ(fixed.targets.back(), 0);
    const auto sums = ModularArithmeticTask::create({.modulus = 7, .products = false, .brackets = true, .depth = 1});
    EXPECT_EQ((*sums)->decode(sequence((*sums)->batch(Split::Train, 0, 1, 0), 0).tokens),
              "5-6-4-5-3-4+3+5+2-5-3+(1-2)");
    EXPECT_EQ((*sums)->classes(), 11);
    EXPECT_EQ((*sums)->alphabet().back(), ")");
    EXPECT_EQ((*sums)->contentHash(), "modular-arithmetic-1:7:sums:1:40:41:500:last:1000:brackets:1");
    EXPECT_EQ(ModularArithmeticTask::create({}).value()->contentHash(),
              "modular-arithmetic-1:5:products:1:40:41:500:last:1000")
        << "the plain form keeps its name";
    EXPECT_EQ(ModularArithmeticTask::create({.depth = 0}).error().place, "depth");
}

/// By recursion, which the task does without: a sum of products of numbers and sums in brackets. Not reduced before the
/// end.
class Evaluator {
public:
    explicit Evaluator(std::string text) : m_text(std::move(text)) {}

    double sum()
    {
        double value = product();
        while (m_at < m_text.size() && (m_text[m_at] == '+' || m_text[m_at] == '-')) {
            const bool minus = m_text[m_at++] == '-';
            value += minus ? -product() : product();
        }
        return value;
    }
    bool isAtEnd() const { return m_at == m_text.size(); }

private:
    double product()
    {
        double value = factor();
        while (m_at < m_text.size() && m_text[m_at] == '*') {
            ++m_at;
            value *= factor();
        }
        return value;
    }
    double factor()
    {
        if (m_text[m_at] != '(')
            return m_text[m_at++] - '0';
        ++m_at;
        const double value = sum();
        EXPECT_EQ(m_text[m_at], ')') << m_text << " at " << m_at;
        ++m_at;
        return value;
    }

    std::string m_text;
    size_t m_at = 0;
};

int64_t bracketedValue(const std::string& text, int64_t modulus)
{
    Evaluator evaluator(text);
    const double value = evaluator.sum(); // exact: far below 2^53
    EXPECT_TRUE(evaluator.isAtEnd()) << text;
    EXPECT_LT(std::abs(value), 0x1p53);
    return (static_cast<int64_t>(value) % modulus + modulus) % modulus;
}

TEST(BracketedArithmetic, ValuesAreThoseOfAnEvaluatorWhereNoBracketIsOpen)
{
    EXPECT_EQ(bracketedValue("2*(1-4)*(3+(1-2*2))", 5), 0);
    EXPECT_EQ(bracketedValue("4-(1-(2-4))*3", 5), 0);
    const auto task = ModularArithmeticTask::create(
        {.shortest = 1, .longest = 29, .everyNumber = true, .brackets = true, .depth = 3});
    const Batch batch = (*task)->batch(Split::Train, 0, 2000, 2);
    std::set<size_t> lengths;
    std::map<int64_t, int> deepest;
    for (int64_t b = 0; b < 2000; ++b) {
        const Read read = sequence(batch, b);
        const std::string text = (*task)->decode(read.tokens);
        int64_t open = 0, most = 0;
        for (size_t t = 0; t < text.size(); ++t) {
            open += text[t] == '(' ? 1 : text[t] == ')' ? -1 : 0;
            most = std::max(most, open);
            const bool isWhole = open == 0 && (text[t] == ')' || (text[t] >= '0' && text[t] <= '4'));
            ASSERT_EQ(read.targets[t], isWhole ? bracketedValue(text.substr(0, t + 1), 5) : kIgnoredTarget) << text;
            EXPECT_FALSE(text[t] == ')' && text[t - 2] == '(') << text << ": one operand";
        }
        EXPECT_EQ(open, 0) << text;
        ++deepest[most];
        lengths.insert(text.size());
    }
    EXPECT_EQ(lengths.size(), 15u);
    EXPECT_EQ(deepest.size(), 4u) << "none, 1, 2 and 3";
    EXPECT_GT(deepest[3], 100);
    EXPECT_DOUBLE_EQ((*task)->baseline({})->loss, std::log(5.0));
    EXPECT_EQ((*task)->entropyFloor({}), 0.0);
}

/// The longest as the shortest: what is drawn fills the length exactly, and nothing is asked before its end.
TEST(BracketedArithmetic, EveryLengthIsFilledAtEveryDepth)
{
    for (const int64_t depth : {1, 2, 7, 100})
        for (const int64_t length : {1, 3, 5, 7, 9, 21, 199}) {
            const auto task = ModularArithmeticTask::create(
                {.shortest = length, .longest = length, .brackets = true, .depth = depth});
            const Batch batch = (*task)->batch(Split::Train, 0, 50, 3);
            EXPECT_EQ(batch.scoredTargets(), 50);
            for (int64_t b = 0; b < 50; ++b) {
                const Read read = sequence(batch, b);
                ASSERT_EQ(std::ssize(read.tokens), length);
                ASSERT_NE(read.targets.back(), kIgnoredTarget);
                const std::string text = (*task)->decode(read.tokens);
                EXPECT_EQ(std::count(text.begin(), text.end(), '('), std::count(text.begin(), text.end(), ')'));
                EXPECT_NE(text.back(), '(');
            }
        }
}

} // namespace
} // namespace unroll
