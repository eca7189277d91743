// SPDX-License-Identifier: GPL-3.0-or-later
// Formal languages, expressions and what is looked up. Golden items: drawn by a second implementation of the generator
// and the tasks; they may never change, or old runs no longer repeat.
#include "core/data/tasks/copy_task.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/dyck_task.h"
#include "core/data/tasks/induction_task.h"
#include "core/data/tasks/modular_arithmetic_task.h"
#include "core/data/tasks/task_test.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

namespace unroll {
namespace {

TEST(SelectiveCopy, FirstItemsAreTheGoldenOnes)
{
    const auto task = CopyTask::create({.selective = true}).value();
    const Batch batch = task->batch(Split::Train, 0, 2, 0);
    EXPECT_EQ(task->decode(sequence(batch, 0).tokens), "ddh__a__h_c_______f_b__ad____|__________");
    EXPECT_EQ(task->decode(sequence(batch, 0).targets), "______________________________ddhahcfbad");
    EXPECT_EQ(task->decode(sequence(batch, 1).tokens), "______b___ffe_bd____g__hgd___|__________");
    const Read fixed = sequence(task->evaluationBatch(Split::Validation, 0, 1), 0);
    EXPECT_EQ(task->decode(fixed.tokens), "_a___d__f____ff__bg_h_d____h_|__________");
    EXPECT_EQ(CopyTask::create({}).value()->contentHash(), "copy-1:8:10:20:1000") << "the plain form keeps its name";
    EXPECT_EQ(task->contentHash(), "copy-1:8:10:20:1000:selective");
}

TEST(SelectiveCopy, AsksForTheSymbolsInTheirOrderAndUsesEveryPlace)
{
    const auto task = CopyTask::create({.symbols = 4, .length = 3, .delay = 5, .selective = true}).value();
    const Batch batch = task->batch(Split::Train, 0, 4200, 1);
    std::map<std::string, int> choices; // of places: 7 over 3 are 35
    for (int64_t b = 0; b < batch.sequences; ++b) {
        const Read read = sequence(batch, b);
        std::vector<int32_t> symbols;
        std::string places;
        for (size_t t = 0; t < 7; ++t) {
            places += read.tokens[t] < 4 ? 'x' : '_';
            if (read.tokens[t] < 4)
                symbols.push_back(read.tokens[t]);
        }
        ASSERT_EQ(symbols.size(), 3u);
        EXPECT_EQ(std::vector(read.targets.end() - 3, read.targets.end()), symbols);
        EXPECT_EQ(read.tokens[7], task->delimiter());
        EXPECT_EQ(std::accumulate(read.scored.begin(), read.scored.end(), 0), 3);
        ++choices[places];
    }
    EXPECT_EQ(choices.size(), 35u);
    for (const auto& [places, times] : choices)
        EXPECT_NEAR(times, 120, 55) << places; // five standard deviations
    const auto full = CopyTask::create({.length = 6, .delay = 1, .selective = true}).value(); // no blank between
    EXPECT_EQ(full->decode(sequence(full->batch(Split::Train, 0, 1, 0), 0).tokens).find('_'), 7u);
}

TEST(CountingTask, ThreeLettersAreCountedTwice)
{
    const auto task =
        CountingTask::create({.validationShortest = 2, .validationLongest = 4, .evaluationSequences = 60, .letters = 3})
            .value();
    EXPECT_EQ(task->classes(), 5);
    EXPECT_EQ(task->alphabet(), (std::vector<std::string>{"<", "a", "b", "c", ">"}));
    EXPECT_EQ(task->steps(), 61);
    const Read first = sequence(task->batch(Split::Train, 0, 2, 0), 1); // n as of two letters: 20, 5, 1
    EXPECT_EQ(task->decode(first.tokens), "<aaaaabbbbbccccc");
    EXPECT_EQ(task->decode(first.targets), "aaaaabbbbbccccc>");
    for (size_t t = 0; t < first.scored.size(); ++t)
        EXPECT_EQ(first.scored[t], t > 5);
    const Batch all = task->evaluationBatch(Split::Validation, 0, 60);
    EXPECT_NEAR(*task->entropyFloor({Split::Validation}), 60 * std::log(3.0) / static_cast<double>(all.scoredTargets()),
                1e-12);
    EXPECT_DOUBLE_EQ(*task->entropyExpected(Split::Validation), std::log(3.0) / 10);
    EXPECT_EQ(CountingTask::create({}).value()->contentHash(), "anbn-1:1:20:21:60:1000");
    EXPECT_NE(task->contentHash(),
              CountingTask::create({.validationShortest = 2, .validationLongest = 4}).value()->contentHash());
    EXPECT_EQ(CountingTask::create({.letters = 4}).error().place, "letters");
    EXPECT_EQ(CountingTask::create({.longest = 400'000, .letters = 3}).error().place, "longest");
}

TEST(InductionTask, FirstItemsAreTheGoldenOnes)
{
    const auto task = InductionTask::create({.length = 24, .validationLength = 30}).value();
    const Batch batch = task->batch(Split::Train, 0, 2, 0);
    EXPECT_EQ(task->decode(sequence(batch, 0).tokens), "ibalabdaaamnih!olfmibdg!");
    EXPECT_EQ(askedText(*task, sequence(batch, 0)), ".......................o");
    EXPECT_EQ(task->decode(sequence(batch, 1).tokens), "ingfnckb!gkbipbchpeghdl!");
    const Read fixed = sequence(task->evaluationBatch(Split::Validation, 0, 1), 0);
    EXPECT_EQ(task->decode(fixed.tokens), "dnaefbdf!aelhenpcfmhdcalenehe!");
    EXPECT_EQ(fixed.targets.back(), 0);
}

TEST(InductionTask, AsksForWhatFollowedTheTrigger)
{
    const auto task = InductionTask::create({.symbols = 5, .length = 9}).value();
    std::set<int64_t> places;
    const Batch batch = task->batch(Split::Train, 0, 500, 0);
    for (int64_t b = 0; b < 500; ++b) {
        const Read read = sequence(batch, b);
        const auto first = std::find(read.tokens.begin(), read.tokens.end(), 5);
        EXPECT_EQ(std::count(read.tokens.begin(), read.tokens.end(), 5), 2);
        EXPECT_EQ(read.tokens.back(), 5);
        EXPECT_EQ(read.targets.back(), *(first + 1));
        EXPECT_EQ(std::count(read.targets.begin(), read.targets.end(), kIgnoredTarget), 8);
        places.insert(first - read.tokens.begin());
    }
    EXPECT_EQ(places, (std::set<int64_t>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_DOUBLE_EQ(task->baseline({})->loss, std::log(5.0));
    EXPECT_EQ(task->entropyFloor({}), 0.0);
    EXPECT_EQ(InductionTask::create({.length = 2}).error().place, "length");
    EXPECT_EQ(InductionTask::create({.symbols = 53}).error().place, "symbols");
    EXPECT_EQ(InductionTask::create({.validationLength = 2}).error().place, "validation_length");
    const auto shortest = InductionTask::create({.length = 3}).value();
    const Read read = sequence(shortest->batch(Split::Train, 0, 1, 0), 0);
    EXPECT_EQ(read.targets.back(), read.tokens[1]);
}

TEST(ModularArithmeticTask, FirstItemsAreTheGoldenOnes)
{
    const auto task = ModularArithmeticTask::create({.everyNumber = true}).value();
    const Batch batch = task->batch(Split::Train, 0, 3, 0);
    EXPECT_EQ(task->decode(sequence(batch, 0).tokens), "4-4-4+0-1*0+2-1-4+0+1*4+4*0");
    EXPECT_EQ(askedText(*task, sequence(batch, 0)), "4.0.1.1.0.1.3.2.3.3.4.2.1.2");
    EXPECT_EQ(task->decode(sequence(batch, 1).tokens), "0+1");
    EXPECT_EQ(askedText(*task, sequence(batch, 2)), "2.2.2.3.1.1") << "2-0*3+1-2-0";
    const auto last = ModularArithmeticTask::create({}).value();
    EXPECT_EQ(askedText(*last, sequence(last->batch(Split::Train, 0, 1, 0), 0)), "..........................2");
    const Read fixed = sequence(last->evaluationBatch(Split::Validation, 0, 1), 0);
    EXPECT_EQ(fixed.tokens.size(), 181u);
    EXPECT_EQ(last->decode(fixed.tokens).substr(0, 20), "1*1-3-4-4*2+2*3-4-4+");
    EXPECT_EQ(fixed.targets.back(), 4);
    const auto sums = ModularArithmeticTask::create({.modulus = 7, .products = false, .everyNumber = true}).value();
    EXPECT_EQ(sums->classes(), 9);
    EXPECT_EQ(sums->decode(sequence(sums->batch(Split::Train, 0, 1, 0), 0).tokens), "4+2-6-6-4-5-6-4+4+5-2-5+3-6");
}

/// Terms first, then their sum: what the task does in one pass.
int64_t expressionValue(const std::string& text, int64_t modulus)
{
    int64_t sum = 0;
    for (size_t at = 0; at < text.size();) {
        const bool minus = at > 0 && text[at - 1] == '-';
        int64_t term = text[at] - '0';
        for (++at; at < text.size() && text[at] == '*'; at += 2)
            term *= text[at + 1] - '0';
        sum += minus ? -term % modulus : term % modulus;
        ++at; // the sign
    }
    return (sum % modulus + modulus) % modulus;
}

TEST(ModularArithmeticTask, ProductsCountBeforeSums)
{
    EXPECT_EQ(expressionValue("1+2-4*3", 5), 1);
    EXPECT_EQ(expressionValue("2*3*4-1", 5), 3);
    const auto task = ModularArithmeticTask::create({.shortest = 2, .longest = 24, .everyNumber = true}).value();
    EXPECT_EQ(task->steps(), 23);
    const Batch batch = task->batch(Split::Train, 0, 500, 2);
    std::set<size_t> lengths;
    for (int64_t b = 0; b < 500; ++b) {
        const Read read = sequence(batch, b);
        const std::string text = task->decode(read.tokens);
        for (size_t t = 0; t < text.size(); ++t)
            EXPECT_EQ(read.targets[t], t % 2 == 1 ? kIgnoredTarget : expressionValue(text.substr(0, t + 1), 5)) << text;
        lengths.insert(text.size());
    }
    EXPECT_EQ(lengths, (std::set<size_t>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23}));
    EXPECT_DOUBLE_EQ(task->baseline({})->loss, std::log(5.0));
    EXPECT_EQ(ModularArithmeticTask::create({.modulus = 11}).error().place, "modulus");
    EXPECT_EQ(ModularArithmeticTask::create({.shortest = 9, .longest = 8}).error().place, "longest");
}

TEST(DyckTask, FirstItemsAreTheGoldenOnes)
{
    const auto task = DyckTask::create({}).value();
    const Batch batch = task->batch(Split::Train, 0, 4, 0);
    const char* golden[] = {"[[()]([(())]()((((())()[[()]])[[(()[]())[]]])))][()]([[][]]([]))", "()()[]", "[]",
                            "[[[()]]()([][])]((()))[]"};
    for (int64_t b = 0; b < 4; ++b) {
        const Read read = sequence(batch, b);
        EXPECT_EQ(task->decode(read.tokens), std::string("<") + golden[b]);
        EXPECT_EQ(task->decode(read.targets), std::string(golden[b]) + ">");
    }
    const auto three = DyckTask::create({.kinds = 3, .depth = 3, .shortest = 3, .longest = 9}).value();
    EXPECT_EQ(three->decode(sequence(three->batch(Split::Train, 0, 1, 0), 0).tokens), "<{(())}({[]()})[()]");
    const Read fixed = sequence(task->evaluationBatch(Split::Validation, 0, 1), 0);
    EXPECT_EQ(fixed.tokens.size(), 257u);
    EXPECT_EQ(task->decode(fixed.tokens).substr(0, 21), "<([((([()()]))((([[](");
}

TEST(DyckTask, BracketsCloseAndOnlyThatIsScored)
{
    const auto task = DyckTask::create({.kinds = 3, .depth = 4, .shortest = 5, .longest = 12}).value();
    const Batch batch = task->batch(Split::Train, 0, 1000, 0);
    std::set<size_t> lengths, depths;
    for (int64_t b = 0; b < 1000; ++b) {
        const Read read = sequence(batch, b);
        const std::string text = task->decode(read.targets);
        std::string open;
        size_t deepest = 0;
        for (size_t t = 0; t + 1 < text.size(); ++t) {
            const size_t opens = std::string("([{").find(text[t]), closes = std::string(")]}").find(text[t]);
            EXPECT_EQ(read.scored[t], closes != std::string::npos);
            if (opens != std::string::npos) {
                open += ")]}"[opens];
            } else {
                ASSERT_FALSE(open.empty()) << text;
                EXPECT_EQ(open.back(), text[t]) << text;
                open.pop_back();
            }
            deepest = std::max(deepest, open.size());
        }
        EXPECT_TRUE(open.empty()) << text;
        EXPECT_EQ(text.back(), '>');
        EXPECT_EQ(read.scored.back(), 0);
        lengths.insert(text.size() / 2);
        depths.insert(deepest);
    }
    EXPECT_EQ(lengths, (std::set<size_t>{5, 6, 7, 8, 9, 10, 11, 12}));
    EXPECT_EQ(*depths.rbegin(), 4u);
}

// Worked out by hand: one pair or two, one open at most. Which of two kinds: ln 2 a pair. After the first pair it ends
// in one case of four.
TEST(DyckTask, FloorIsTheEntropyOfWhatIsDrawn)
{
    DyckOptions options{.depth = 1, .longest = 2, .validationShortest = 1, .validationLongest = 2};
    options.evaluationSequences = 2000;
    const auto task = DyckTask::create(options).value();
    const Batch batch = task->evaluationBatch(Split::Validation, 0, 2000);
    double nats = 0, guessed = 0;
    for (int64_t b = 0; b < 2000; ++b) {
        const auto pairs = static_cast<double>(sequence(batch, b).tokens.size() / 2);
        nats += pairs * std::log(2.0) - std::log(pairs == 1 ? 0.25 : 0.75);
        guessed += pairs * std::log(2.0);
    }
    const auto targets = static_cast<double>(batch.scoredTargets());
    EXPECT_NEAR(*task->entropyFloor({Split::Validation}), nats / targets, 1e-12);
    EXPECT_NEAR(task->baseline({Split::Validation})->loss, (nats + guessed) / targets, 1e-12);
    const double choice = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
    EXPECT_NEAR(*task->entropyExpected(Split::Validation), (1.75 * std::log(2.0) + choice) / (0.25 * 3 + 0.75 * 5),
                1e-12);
}

TEST(DyckTask, ExpectedEntropyIsTheMeanOfTheFloor)
{
    const auto task = DyckTask::create({.kinds = 5, .depth = 3, .evaluationSequences = 20'000}).value();
    for (const Split split : {Split::Train, Split::Validation})
        EXPECT_NEAR(*task->entropyFloor({split, 20'000}), *task->entropyExpected(split), 2e-3);
    EXPECT_FALSE(task->entropyExpected(Split::All));
    const auto small = DyckTask::create({.evaluationSequences = 10}).value();
    const double train = *small->entropyFloor({Split::Train, 10}), test = *small->entropyFloor({Split::Test, 10});
    const double all = *small->entropyFloor({Split::All, 10});
    EXPECT_GT(all, std::min(train, test) - 0.2);
    EXPECT_LT(all, std::max(train, test) + 0.2);
}

TEST(DyckTask, ManyKindsHaveNumbers)
{
    const auto task = DyckTask::create({.kinds = 12}).value();
    EXPECT_EQ(task->classes(), 26);
    EXPECT_EQ(task->alphabet()[1], "(01");
    EXPECT_EQ(task->alphabet()[24], ")12");
    EXPECT_EQ(task->encode("<<<(02)02>>>").value(), (std::vector<int32_t>{0, 2, 14, 25}));
    EXPECT_EQ(DyckTask::create({.kinds = 1}).error().place, "kinds");
    EXPECT_EQ(DyckTask::create({.depth = 101}).error().place, "depth");
    EXPECT_EQ(DyckTask::create({.validationShortest = 9, .validationLongest = 8}).error().place, "validation_longest");
}

} // namespace
} // namespace unroll
