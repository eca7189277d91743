// SPDX-License-Identifier: GPL-3.0-or-later
// Hidden variables of formal languages and of what is looked up, of sequences written by hand.
#include "core/data/features/features.h"
#include "core/data/tasks/copy_task.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/dyck_task.h"
#include "core/data/tasks/induction_task.h"
#include "core/data/tasks/modular_arithmetic_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace unroll {
namespace {

std::vector<Feature> featuresOfWritten(const Dataset& task, const std::string& text)
{
    ReadSequence read;
    read.tokens = task.encode(text).value();
    read.steps = read.to = std::ssize(read.tokens);
    return featuresOf(task, {read});
}

/// A digit at each step, '?' where nothing is known, '-' below 0; empty: there is no such feature.
std::string valuesText(const std::vector<Feature>& features, const std::string& id)
{
    std::string text;
    for (const Feature& feature : features)
        for (const float value : feature.id == id ? feature.values : std::vector<float>{})
            text += std::isnan(value) ? '?' : value < 0 ? '-' : static_cast<char>('0' + static_cast<int>(value));
    return text;
}

void haveIdsOfTheirOwn(const std::vector<Feature>& features)
{
    std::set<std::string> ids;
    for (const Feature& feature : features)
        EXPECT_TRUE(ids.insert(feature.id).second) << feature.id;
}

TEST(FormalFeatures, TwoCountersOfThreeLetters)
{
    const auto task = CountingTask::create({.letters = 3}).value();
    const auto features = featuresOfWritten(*task, "<aabbcc");
    EXPECT_EQ(valuesText(features, "count"), "0121000");
    EXPECT_EQ(valuesText(features, "last_one"), "0000100");
    EXPECT_EQ(valuesText(features, "count_c"), "0001210");
    EXPECT_EQ(valuesText(features, "last_c"), "0000001");
    EXPECT_EQ(valuesText(featuresOfWritten(*CountingTask::create({}).value(), "<aabb"), "count_c"), "");
}

TEST(FormalFeatures, BracketsKnowWhatIsOpen)
{
    const auto task = DyckTask::create({}).value();
    const auto features = featuresOfWritten(*task, "<([])[]");
    haveIdsOfTheirOwn(features);
    EXPECT_EQ(valuesText(features, "depth"), "0121010");
    EXPECT_EQ(valuesText(features, "top_("), "?101?0?");
    EXPECT_EQ(valuesText(features, "top_["), "?010?1?");
    EXPECT_EQ(valuesText(features, "second_("), "??1????");
}

TEST(FormalFeatures, ExpressionsKnowTheirValueAndTheLastTerm)
{
    const auto task = ModularArithmeticTask::create({}).value();
    const auto features = featuresOfWritten(*task, "1+2-4*3"); // values 1 3 4 1, terms 1 2 -4 -12, closed 0 1 3 3
    haveIdsOfTheirOwn(features);
    EXPECT_EQ(valuesText(features, "value_1"), "1100001");
    EXPECT_EQ(valuesText(features, "value_3"), "0011000");
    EXPECT_EQ(valuesText(features, "value_4"), "0000110");
    EXPECT_EQ(valuesText(features, "term_1"), "1100110") << "-4 is 1";
    EXPECT_EQ(valuesText(features, "term_3"), "0000001") << "-12 is 3";
    EXPECT_EQ(valuesText(features, "closed_3"), "0000111");
}

TEST(FormalFeatures, BracketedExpressionsKnowTheInnermostValue)
{
    const auto task = ModularArithmeticTask::create({.brackets = true}).value();
    const auto features = featuresOfWritten(*task, "3-(1+(2*4))*2"); // 2*4 is 3, 1+3 is 4, 3-4 is 4, 3-4*2 is 0
    haveIdsOfTheirOwn(features);
    EXPECT_EQ(valuesText(features, "depth"), "0011122221000");
    EXPECT_EQ(valuesText(features, "value_0"), "00?00?0000001") << "nothing at an opening bracket";
    EXPECT_EQ(valuesText(features, "value_3"), "11?00?0010000");
    EXPECT_EQ(valuesText(features, "value_4"), "00?00?0001110");
    EXPECT_EQ(valuesText(features, "term_3"), "11?00?0011000") << "-4*2 is 2";
    EXPECT_EQ(valuesText(featuresOfWritten(*ModularArithmeticTask::create({}).value(), "1+2"), "depth"), "");
}

TEST(FormalFeatures, InductionKnowsTheTriggerAndItsSymbol)
{
    const auto task = InductionTask::create({.symbols = 4}).value();
    const auto features = featuresOfWritten(*task, "ab!cda!");
    haveIdsOfTheirOwn(features);
    EXPECT_EQ(valuesText(features, "triggered"), "0011111");
    EXPECT_EQ(valuesText(features, "symbol_c"), "???1111");
    EXPECT_EQ(valuesText(features, "symbol_a"), "???0000");
}

TEST(FormalFeatures, SelectiveCopyingKnowsItsSymbolsWhereverTheyStand)
{
    const auto task = CopyTask::create({.symbols = 3, .length = 2, .delay = 4, .selective = true}).value();
    const auto features = featuresOfWritten(*task, "_b_c_|__");
    haveIdsOfTheirOwn(features);
    EXPECT_EQ(valuesText(features, "reads"), "01010000");
    EXPECT_EQ(valuesText(features, "symbols"), "01122222");
    EXPECT_EQ(valuesText(features, "tells"), "00000011");
    EXPECT_EQ(valuesText(features, "symbol_1_b"), "?1111111");
    EXPECT_EQ(valuesText(features, "symbol_2_c"), "???11111");
    EXPECT_EQ(valuesText(features, "back_1_a"), "") << "places differ";
    haveIdsOfTheirOwn(featuresOfWritten(*CopyTask::create({.length = 1}).value(), "a___"));
}

} // namespace
} // namespace unroll
