// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/registry.h"
#include "core/data/tasks/copy_task.h"
#include "core/train/experiment.h"
#include "tests/support/tiny_experiment.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

int openings = 0;
bool refuses = false;

/// Data that is made anew each time, or an error.
Result<std::shared_ptr<const Dataset>> openCounted(const SourceSetup&)
{
    ++openings;
    if (refuses)
        return fail("there is no right to read it", "file");
    return CopyTask::create({});
}

Builders countedBuilders()
{
    openings = 0;
    refuses = false;
    Builders builders = allBuilders();
    builders.addSource("text", openCounted);
    return builders;
}

Params steps(std::int64_t count)
{
    return {{"steps", count}};
}

TEST(DataCache, AFailureIsTriedAgain)
{
    DataCache cache(countedBuilders());
    refuses = true;
    EXPECT_FALSE(cache.open("text", steps(1), ""));
    refuses = false;
    EXPECT_TRUE(cache.open("text", steps(1), "")) << "rights and memory change while the file stays the same";
    EXPECT_TRUE(cache.open("text", steps(1), ""));
    EXPECT_EQ(openings, 2);
}

TEST(DataCache, AParameterToBlameIsNamedOnce)
{
    DataCache cache(allBuilders());
    const Params params = {{"group", std::string("s3")},
                           {"length", std::int64_t{3}},
                           {"elements", std::string("all")},
                           {"repeat", std::int64_t{1}},
                           {"special_tokens", false},
                           {"shorter", std::string("none")},
                           {"training_sequences", std::int64_t{217}},
                           {"validation_length", std::int64_t{4}},
                           {"held_out", false},
                           {"evaluation_sequences", std::int64_t{10}}};
    const SourceFacts facts = cache.facts("")("word_problem", params);
    EXPECT_EQ(facts.errorParam, "training_sequences");
    EXPECT_EQ(facts.error, "s3 makes 216 sequences of 3 steps, no two alike; expected at most 216, got 217");
}

TEST(DataCache, KeepsTheTwoThatWereUsedLast)
{
    DataCache cache(countedBuilders());
    std::weak_ptr<const Dataset> old = cache.open("text", steps(9), "").value();
    const std::weak_ptr<const Dataset> used = cache.open("text", steps(5), "").value();
    EXPECT_FALSE(old.expired());
    EXPECT_TRUE(cache.open("text", steps(9), ""));
    EXPECT_TRUE(cache.open("text", steps(5), ""));
    EXPECT_EQ(openings, 2);
    EXPECT_TRUE(cache.open("text", steps(7), ""));
    EXPECT_TRUE(old.expired());
    EXPECT_FALSE(used.expired()) << "by use, not by the order of the parameters";
    EXPECT_TRUE(cache.open("text", steps(5), ""));
    EXPECT_EQ(openings, 3);
}

TEST(DataCache, ACheckReadsDataThatCannotBeReadOnce)
{
    const BlockRegistry registry = allSpecs();
    DataCache cache(countedBuilders());
    refuses = true;
    EXPECT_FALSE(checkExperiment(testing::tinyExperiment(), registry, cache).runnable());
    EXPECT_EQ(openings, 1);
}

TEST(DataCache, ATrainedModelIsCheckedWithoutBatchAndMemoryOfTraining)
{
    const BlockRegistry registry = allSpecs();
    DataCache cache(allBuilders());
    Experiment experiment = testing::tinyExperiment();
    experiment.training.batch = 1'000'000'000;
    EXPECT_FALSE(checkExperiment(experiment, registry, cache).runnable());
    EXPECT_TRUE(checkTrained(experiment, registry, cache).runnable());
}

} // namespace
} // namespace unroll
