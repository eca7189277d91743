// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_difference.h"

#include "core/runs/run_folder.h"
#include "tests/support/tiny_experiment.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::makeGraph;
using testing::makeNode;
using testing::tinyExperiment;

const BlockRegistry& blocks()
{
    static const auto* all = new BlockRegistry(allSpecs());
    return *all;
}

std::vector<RunDifference> differences(const Experiment& first, const Experiment& second)
{
    return differencesOf({first, {}}, {second, {}}, blocks());
}

/// The node of that name, changed.
void change(Graph& graph, const std::string& name, const std::function<void(Node&)>& how)
{
    Node node = *graph.findByName(name);
    how(node);
    graph.addNode(node);
}

using All = std::vector<RunDifference>;

TEST(RunDifference, SameSettingsHaveNone)
{
    Experiment second = tinyExperiment();
    second.summary = "something else to look at";
    change(second.graph, "lstm", [](Node& node) { node.place = {400, 20}; });
    EXPECT_EQ(differences(tinyExperiment(), second), All{});
}

TEST(RunDifference, SettingsAndSeedAreNamedAsTheyAreSet)
{
    Experiment second = tinyExperiment();
    second.title = "";
    second.seed = 18446744073709551615U;
    second.training.learningRate = 2e-4;
    second.training.optimizer = "sgd";
    second.training.evaluateWhole = true;
    EXPECT_EQ(differences(tinyExperiment(), second), (All{{"title", "tiny", {}},
                                                          {"seed", "1", "18446744073709551615"},
                                                          {"training.optimizer", "adamw", "sgd"},
                                                          {"training.learning_rate", "0.005", "0.0002"},
                                                          {"training.evaluate_whole", "false", "true"}}));
}

/// A parameter that only one file has is compared with the other's default.
TEST(RunDifference, ParametersAreCompletedByTheirDefaults)
{
    const std::string usual = paramText(blocks().find("lstm")->param("units")->defaultValue);
    const Experiment first = tinyExperiment("lstm", 24);
    Experiment second = first;
    change(second.graph, "lstm", [](Node& node) { node.params.erase("units"); });
    EXPECT_EQ(differences(first, second), (All{{"lstm.units", "24", usual}}));
    Experiment explicitly = first;
    change(explicitly.graph, "lstm", [](Node& node) {
        for (const auto& [name, value] : blocks().find("lstm")->withDefaults(node.params))
            node.params[name] = value;
    });
    EXPECT_EQ(differences(first, explicitly), All{});
}

TEST(RunDifference, BlocksThatOneLacksOrHasOfAnotherKind)
{
    const Experiment first = tinyExperiment("lstm", 24);
    Experiment second = first;
    second.graph.addNode(makeNode(9, "dropout", "more"));
    EXPECT_EQ(differences(first, second), (All{{"more", {}, blocks().find("dropout")->title}}));
    EXPECT_EQ(differences(second, first), (All{{"more", blocks().find("dropout")->title, {}}}));
    Experiment renamed = first;
    change(renamed.graph, "lstm", [](Node& node) { node.name = "memory"; });
    EXPECT_EQ(differences(first, renamed), (All{{"lstm (name)", "lstm", "memory"}})) << "its wires are the same";
    Experiment other = first;
    change(other.graph, "lstm", [](Node& node) { node.block = "gru"; });
    const All found = differences(first, other);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front(), (RunDifference{"lstm (block)", "LSTM", "GRU"}));
}

TEST(RunDifference, WiresAreToldAtWhatTheyEndIn)
{
    const auto graph = [](bool past) {
        return makeGraph({makeNode(1, "text", "text"), makeNode(2, "embedding", "embedding"),
                          makeNode(3, "lstm", "lstm"), makeNode(4, "lstm", "upper"), makeNode(5, "head", "head")},
                         {{{1, "tokens"}, {2, "tokens"}},
                          {{2, "y"}, {3, "x"}},
                          {{past ? NodeId{2} : NodeId{3}, "y"}, {4, "x"}},
                          {{4, "y"}, {5, "x"}},
                          {{1, "targets"}, {5, "targets"}}});
    };
    Experiment first, second;
    first.graph = graph(false);
    second.graph = graph(true);
    EXPECT_EQ(differences(first, second), (All{{"upper.x (wire from)", "lstm.y", "embedding.y"}}));
    std::erase_if(second.graph.wires, [](const Wire& wire) { return wire.to.node == 4; });
    EXPECT_EQ(differences(first, second), (All{{"upper.x (wire from)", "lstm.y", {}}}));
}

TEST(RunDifference, GroupsAreLookedInto)
{
    const auto experiment = [](std::int64_t units, std::int64_t repeat) {
        auto group = std::make_shared<Group>();
        group->graph = std::make_shared<const Graph>(makeGraph({makeNode(1, "lstm", "cell", {{"units", units}})}, {}));
        group->repeat = repeat;
        group->inputs = {{"x", {1, "x"}}};
        Node node = makeNode(7, "group", "body");
        node.group = group;
        Experiment made;
        made.graph.addNode(node);
        return made;
    };
    EXPECT_EQ(differences(experiment(24, 1), experiment(48, 3)),
              (All{{"body.repeat", "1", "3"}, {"body.cell.units", "24", "48"}}));
}

/// The same file, written from another folder.
TEST(RunDifference, DataPathsAreComparedByWhereTheyLead)
{
    TestFolder folder;
    const auto reading = [&](const std::string& path, const std::string& from) {
        Experiment made = tinyExperiment();
        change(made.graph, "text", [&](Node& node) { node.params["file"] = path; });
        made.folder = from;
        return made;
    };
    std::filesystem::create_directories(folder / "a");
    std::filesystem::create_directories(folder / "b");
    EXPECT_EQ(differences(reading("verse.txt", folder / "a"), reading("../a/verse.txt", folder / "b")), All{});
    EXPECT_EQ(differences(reading("verse.txt", folder / "a"), reading("verse.txt", folder / "b")).size(), 1u);
}

TEST(RunDifference, WhatTheyWereTrainedOn)
{
    RunSettings first{tinyExperiment(), {}}, second = first;
    first.environment.device = "cpu";
    first.environment.threads = 2;
    first.environment.version = "0.1.0";
    second.environment.device = "cuda:0";
    second.environment.data = "verse.txt: 5,000 characters";
    EXPECT_EQ(differencesOf(first, second, blocks()), (All{{"data", {}, "verse.txt: 5,000 characters"},
                                                           {"device (trained on)", "cpu, 2 threads", "cuda:0"},
                                                           {"Unroll (version)", "0.1.0", {}}}));
}

TEST(RunDifference, IsReadFromRuns)
{
    TestFolder folder;
    {
        RunEnvironment environment;
        environment.device = "cpu";
        environment.measures = {"nats/token", "byte", 12, 34.5, 56};
        (void)RunFolder::create(folder / "run", tinyExperiment(), environment).value();
    }
    const auto read = readRunSettings(folder / "run");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->environment.measures, (RunMeasures{"nats/token", "byte", 12, 34.5, 56}));
    EXPECT_EQ(differencesOf(*read, *read, blocks()), All{});
    EXPECT_FALSE(readRunSettings(folder / "nowhere"));
}

TEST(RunDifference, ReadsUnitsAsOlderRunsSpellThem)
{
    TestFolder folder;
    {
        RunEnvironment environment;
        environment.measures = {"nats a token", "byte", 12, 34.5, 56};
        (void)RunFolder::create(folder / "run", tinyExperiment(), environment).value();
    }
    const auto read = readRunSettings(folder / "run");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->environment.measures.lossUnit, "nats/token");
    EXPECT_TRUE(read->environment.measures.isTokenLoss());
}

} // namespace
} // namespace unroll
