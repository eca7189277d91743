// SPDX-License-Identifier: GPL-3.0-or-later
// The forms that published word problems take. Golden sequences: drawn by a second implementation.
#include "core/data/tasks/task_test.h"
#include "core/data/tasks/word_problem_task.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace unroll {
namespace {

using Shorter = WordProblemOptions::Shorter;

Read first(const WordProblemTask& task)
{
    return sequence(task.batch(Split::Train, 0, 1, 0), 0);
}

TEST(WordProblemForms, SwapsAreTheIdentityAndWhatExchangesTwoThings)
{
    const FiniteGroup s5 = FiniteGroup::named("s5").value();
    const std::vector<int64_t> swaps = s5.swaps();
    EXPECT_EQ(swaps.size(), 11u);
    for (const int64_t swap : swaps)
        EXPECT_EQ(s5.product(swap, swap), 0);
    const auto task = WordProblemTask::create({.group = "s5", .length = 5, .swapsOnly = true}).value();
    EXPECT_EQ(task->classes(), 120);
    std::set<int32_t> seen;
    const Batch batch = task->batch(Split::Train, 0, 500, 0);
    seen.insert(batch.tokens.begin(), batch.tokens.end());
    EXPECT_TRUE(std::ranges::equal(seen, swaps));
    EXPECT_EQ(task->decode(first(*task).tokens), "52341 21345 52341 21345 52341");
    EXPECT_EQ(task->decode(first(*task).targets), "52341 25341 15342 51342 21345");
    EXPECT_EQ(WordProblemTask::create({.group = "a5", .swapsOnly = true}).error().place, "elements");
    EXPECT_EQ(WordProblemTask::create({.group = "z60", .swapsOnly = true}).error().place, "elements");
}

TEST(WordProblemForms, EachElementMayBeRepeatedAndIsAskedForAtTheLast)
{
    const auto task = WordProblemTask::create({.length = 7, .repeat = 3}).value();
    const Read read = first(*task);
    EXPECT_EQ(task->decode(read.tokens), "213 213 213 312 312 312 321");
    EXPECT_EQ(task->decode(read.targets), "123 123 213 213 213 321 321"); // of the third element one of three is there
}

TEST(WordProblemForms, SpecialTokensComeAfterTheElements)
{
    const auto task = WordProblemTask::create({.length = 3, .specialTokens = true}).value();
    EXPECT_EQ(task->classes(), 13);
    const Read read = first(*task);
    EXPECT_EQ(task->decode(read.tokens), "[BOS] 213 312 321");
    EXPECT_EQ(task->decode(read.targets), "[BOS] 213 321 123");
    EXPECT_EQ(read.scored, (std::vector<int32_t>{0, 1, 1, 1}));
    EXPECT_EQ(task->encode("[BOS] 213312").value(), (std::vector<int32_t>{7, 2, 4}));
    EXPECT_EQ(task->encode("213 [BO").error().place, "character 5");
    EXPECT_EQ(task->steps(), 4);
    EXPECT_EQ(task->evaluationBatch(Split::Validation, 0, 1).steps, 129);
}

TEST(WordProblemForms, WhatIsHeldOutIsNeverTrainedOn)
{
    const auto task =
        WordProblemTask::create({.length = 4, .validationLength = 4, .evaluationSequences = 5000, .heldOut = true})
            .value();
    std::set<std::vector<int32_t>> trained, examined;
    const Batch train = task->batch(Split::Train, 0, 20'000, 0),
                validation = task->evaluationBatch(Split::Validation, 0, 5000);
    for (int64_t b = 0; b < train.sequences; ++b)
        trained.insert(sequence(train, b).tokens);
    for (int64_t b = 0; b < validation.sequences; ++b)
        examined.insert(sequence(validation, b).tokens);
    for (const auto& one : examined)
        EXPECT_FALSE(trained.contains(one));
    EXPECT_EQ(trained.size() + examined.size(), 1296u); // 20,000 draws meet all that there are
    EXPECT_NEAR(static_cast<double>(examined.size()) / 1296, 0.2, 0.04);
    EXPECT_EQ(WordProblemTask::create({.length = 3, .heldOut = true}).error().place, "held_out");
}

TEST(WordProblemForms, TrainingMayHaveShorterSequences)
{
    for (const auto& [shorter, lengths] :
         {std::pair{Shorter::Two, std::set<size_t>{2, 6}}, {Shorter::All, {2, 3, 4, 5, 6}}}) {
        const auto task = WordProblemTask::create({.length = 6, .heldOut = true, .shorter = shorter}).value();
        const Batch batch = task->batch(Split::Train, 0, 400, 0);
        std::set<size_t> seen;
        for (int64_t b = 0; b < 400; ++b)
            seen.insert(sequence(batch, b).tokens.size());
        EXPECT_EQ(seen, lengths);
        EXPECT_EQ(sequence(task->evaluationBatch(Split::Validation, 0, 1), 0).tokens.size(), 128u);
    }
    EXPECT_EQ(WordProblemTask::create({.length = 1, .shorter = Shorter::All}).error().place, "length");
}

/// The tokens of an epoch, one entry a sequence.
std::vector<std::vector<int32_t>> epoch(const WordProblemTask& task, int64_t which, uint64_t seed)
{
    const int64_t size = *task.tokensIn(Split::Train) / task.steps();
    std::vector<std::vector<int32_t>> read;
    const Batch batch = task.batch(Split::Train, which, size, seed);
    for (int64_t b = 0; b < size; ++b)
        read.push_back(sequence(batch, b).tokens);
    return read;
}

TEST(WordProblemSet, HoldsNoSequenceTwiceAndNoneOfValidation)
{
    const auto task =
        WordProblemTask::create(
            {.length = 4, .validationLength = 4, .evaluationSequences = 259, .trainingSequences = 1037}) // all of 6^4
            .value();
    EXPECT_EQ(task->tokensIn(Split::Train), 1037 * 4);
    const auto first = epoch(*task, 0, 0), second = epoch(*task, 1, 0), other = epoch(*task, 0, 1);
    std::set<std::vector<int32_t>> trained(first.begin(), first.end());
    EXPECT_EQ(trained.size(), 1037u);
    for (const auto& again : {second, other}) {
        EXPECT_NE(again, first); // in another order
        EXPECT_EQ(std::set(again.begin(), again.end()), trained);
    }
    const Batch validation = task->evaluationBatch(Split::Validation, 0, 259);
    for (int64_t b = 0; b < 259; ++b)
        EXPECT_TRUE(trained.insert(sequence(validation, b).tokens).second);
    EXPECT_EQ(trained.size(), 1296u);
    EXPECT_EQ(task->batch(Split::Train, 0, 10, 5), task->batch(Split::Train, 0, 10, 5));
}

TEST(WordProblemSet, HasLongSequencesThatDifferEarly)
{
    const auto task =
        WordProblemTask::create({.group = "s5", .length = 40, .validationLength = 40, .trainingSequences = 3000})
            .value();
    std::set<std::vector<int32_t>> beginnings;
    for (auto tokens : epoch(*task, 0, 7)) {
        tokens.resize(8); // 120^8 is the last power below 2^62
        beginnings.insert(tokens);
    }
    EXPECT_EQ(beginnings.size(), 3000u);
    EXPECT_EQ(sequence(task->evaluationBatch(Split::Train, 0, 2), 0).tokens.size(), 40u);
}

TEST(WordProblemSet, HasOfShorterLengthsAsManyOrAllThereAre)
{
    const auto task =
        WordProblemTask::create({.length = 5, .specialTokens = true, .shorter = Shorter::All, .trainingSequences = 100})
            .value();
    std::map<size_t, std::set<std::vector<int32_t>>> ofLength;
    for (const auto& tokens : epoch(*task, 0, 0))
        EXPECT_TRUE(ofLength[tokens.size() - 1].insert(tokens).second);
    EXPECT_EQ(ofLength[2].size(), 36u); // 6^2
    for (const size_t length : {3u, 4u, 5u})
        EXPECT_EQ(ofLength[length].size(), 100u);
    EXPECT_EQ(task->tokensIn(Split::Train), 336 * 6);
    const auto shorterValidation = WordProblemTask::create({.length = 5,
                                                            .validationLength = 2,
                                                            .evaluationSequences = 30,
                                                            .shorter = Shorter::All,
                                                            .trainingSequences = 100})
                                       .value();
    EXPECT_EQ(shorterValidation->tokensIn(Split::Train), (6 + 3 * 100) * 5); // the other 30 of 36 are validation's
    const auto two = WordProblemTask::create({.length = 2, .shorter = Shorter::Two, .trainingSequences = 36}).value();
    EXPECT_EQ(two->tokensIn(Split::Train), 36 * 2);
}

TEST(WordProblemSet, IsTheSameOnEveryMachine)
{
    const auto task = WordProblemTask::create({.length = 5, .swapsOnly = true, .trainingSequences = 200}).value();
    EXPECT_EQ(task->decode(first(*task).tokens), "213 123 123 321 321");
}

TEST(WordProblemSet, SaysHowManySequencesThereAre)
{
    WordProblemOptions options{
        .length = 3, .validationLength = 3, .evaluationSequences = 100, .trainingSequences = 117};
    const Error tooMany = WordProblemTask::create(options).error();
    EXPECT_EQ(tooMany.place, "training_sequences");
    EXPECT_EQ(tooMany.message,
              "s3 has 216 distinct sequences of 3 steps, of which validation has 100; expected at most 116, got 117");
    options.trainingSequences = 116;
    EXPECT_TRUE(WordProblemTask::create(options));
    options.evaluationSequences = 217;
    EXPECT_EQ(WordProblemTask::create(options).error().place, "evaluation_sequences");
    EXPECT_EQ(WordProblemTask::create({.trainingSequences = -1}).error().place, "training_sequences");
}

TEST(WordProblemForms, HaveFingerprintsOfTheirOwn)
{
    std::set<std::string> hashes;
    for (const WordProblemOptions& options : {WordProblemOptions{},
                                              {.swapsOnly = true},
                                              {.repeat = 2},
                                              {.specialTokens = true},
                                              {.heldOut = true},
                                              {.shorter = Shorter::All},
                                              {.trainingSequences = 9}})
        hashes.insert(WordProblemTask::create(options).value()->contentHash());
    EXPECT_EQ(hashes.size(), 7u);
    EXPECT_TRUE(hashes.contains("word-problem-1:s3:32:128:1000"));
}

} // namespace
} // namespace unroll
