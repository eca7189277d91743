// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/registry.h"
#include "core/data/tasks/copy_task.h"
#include "core/experiment/data_cache.h"
#include "core/model/builders.h"
#include "tests/support/test_folder.h"
#include "tests/support/tiny_experiment.h"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

int openings = 0;
bool refuses = false;

/// Data that is made again each time, or an error.
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

TEST(DataCache, AChangedArchiveIsReadAgainForItsEntries)
{
    const TestFolder folder;
    DataCache cache(countedBuilders());
    const auto open = [&] {
        return cache.open("text", {{"file", std::string("a.zip/x/one.txt")}}, folder.path().string());
    };
    writeContent(folder / "a.zip", "first");
    EXPECT_TRUE(open());
    EXPECT_TRUE(open());
    EXPECT_EQ(openings, 1);
    writeContent(folder / "a.zip", "changed");
    EXPECT_TRUE(open());
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
    EXPECT_EQ(facts.error, "s3 has 216 distinct sequences of 3 steps; expected at most 216, got 217");
}

/// As the check asks for them: of each column the least number, as it is read and as it stands in the file.
TEST(DataCache, FactsSayHowLowColumnsReach)
{
    const TestFolder folder;
    std::ofstream file(folder / "t.csv");
    file << "dt,a\n";
    for (int row = 0; row < 200; ++row)
        file << 1 + row % 2 << ',' << 3 * (row % 2) - 1 << '\n';
    file.close();
    const BlockRegistry registry = allSpecs();
    DataCache cache(allBuilders());
    const auto factsOf = [&](const Params& more) {
        Params params = registry.find("series")->withDefaults(more);
        params["file"] = std::string("t.csv");
        return cache.facts(folder.path().string())("series", params);
    };
    const SourceFacts scaled = factsOf({});
    ASSERT_EQ(scaled.columns.size(), 2U) << scaled.error;
    EXPECT_EQ(scaled.columns[0].name, "dt");
    EXPECT_NEAR(scaled.columns[0].least, -1, 1e-9);
    EXPECT_EQ(scaled.columns[0].leastInFile, 1);
    EXPECT_EQ(scaled.columns[1].leastInFile, -1);
    EXPECT_EQ(factsOf({{"unscaled_columns", std::string("dt")}}).columns.at(0).least, 1);
    EXPECT_TRUE(cache.facts("")("copy", registry.find("copy")->withDefaults({})).columns.empty());
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

std::vector<std::string> sentencesOf(const CheckedGraph& checked)
{
    std::vector<std::string> sentences;
    for (const Diagnostic& diagnostic : checked.diagnostics)
        sentences.push_back(diagnostic.sentence);
    return sentences;
}

/// What training says of data the check says too, in the same words and once.
TEST(DataCache, TheCheckHasTheNotesOnDataWithTheirRemedies)
{
    const BlockRegistry registry = allSpecs();
    DataCache cache(allBuilders());
    const TestFolder folder;
    std::string text = "Date,Price\n";
    for (int row = 0; row < 60; ++row)
        text += fmt::format("2021-{:02}-{:02},{}.5\n", 12 - row / 20, 28 - row % 20, 100 + row % 7);
    writeContent(folder / "new.csv", text);
    Experiment experiment;
    Node series;
    series.id = 1;
    series.block = series.name = "series";
    series.params = {{"file", (folder / "new.csv").string()}, {"steps", std::int64_t{4}}};
    experiment.graph = edits::addNode(series).apply(experiment.graph).value();
    const CheckedGraph checked = checkExperiment(experiment, registry, cache);
    const auto data = cache.open("series", checked.nodes.at(1).params, "").value();
    for (const std::string& sentence : data->notices())
        EXPECT_THAT(sentencesOf(checked), ::testing::Contains(sentence).Times(1));
    const auto newest = std::find_if(checked.diagnostics.begin(), checked.diagnostics.end(),
                                     [](const Diagnostic& d) { return d.code == "newest-first"; });
    ASSERT_NE(newest, checked.diagnostics.end());
    EXPECT_EQ(newest->severity, Severity::Warning);
    EXPECT_EQ(placeOf(*newest), "series.row_order");
    ASSERT_TRUE(newest->fix);
    experiment.graph = newest->fix->edit.apply(experiment.graph).value();
    EXPECT_EQ(experiment.graph.find(1)->params.at("row_order"), ParamValue(std::string("reversed")));
    EXPECT_THAT(sentencesOf(checkExperiment(experiment, registry, cache)),
                ::testing::Not(::testing::Contains(newest->sentence)));
}

} // namespace
} // namespace unroll
