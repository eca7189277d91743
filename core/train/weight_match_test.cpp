// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that begin from those of a model of other data, or from anybody's file.
#include "core/train/weight_match.h"

#include "core/train/test_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::BuiltRun;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::EndedRun;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::makeGraph;
using testing::makeNode;
using testing::tinyExperiment;
using ::testing::UnorderedElementsAre;

TEST_F(WeightMatchTest, RowsOfCharactersGoToTheSameCharacters)
{
    const BuiltRun one(on(tinyExperiment(), "abcd")), other(on(tinyExperiment(), "Abdxy"));
    const at::Tensor drawn = other.weight("embedding.weight").clone(), head = other.weight("head.weight").clone(),
                     bias = other.weight("head.bias").clone();
    const WeightReport report = take(saved(one), other);
    const std::vector<std::pair<std::int64_t, std::int64_t>> pairs = {{1, 1}, {2, 3}}; // A b d x y, a b c d
    expectMatched(drawn, other.weight("embedding.weight"), one.weight("embedding.weight"), pairs);
    expectMatched(head, other.weight("head.weight"), one.weight("head.weight"), pairs);
    expectMatched(bias, other.weight("head.bias"), one.weight("head.bias"), pairs);
    EXPECT_TRUE(other.weight("lstm.weight_ih_l0").equal(one.weight("lstm.weight_ih_l0")));
    ASSERT_EQ(report.bySymbol.size(), 3u);
    EXPECT_EQ(report.bySymbol[1].text(), "head.weight: 2 of 5 rows matched by symbol, 3 re-initialised: 'A', 'x', 'y'");
    EXPECT_EQ(report.bySymbol[2].counts(), "2 of 5 values");
    EXPECT_EQ(report.loaded.size(), 4u);
    EXPECT_EQ(report.taken(), 7u);
    EXPECT_THAT(report.notes, ElementsAre(HasSubstr("another alphabet")));
}

/// As many characters, one of them another, so that all behind it stand one place further.
TEST_F(WeightMatchTest, AnAlphabetThatIsShiftedIsNotTakenByPlace)
{
    const BuiltRun one(on(tinyExperiment(), "bcde")), other(on(tinyExperiment(), "abcd"));
    const at::Tensor drawn = other.weight("head.weight").clone();
    take(saved(one), other);
    expectMatched(drawn, other.weight("head.weight"), one.weight("head.weight"), {{1, 0}, {2, 1}, {3, 2}});
}

TEST_F(WeightMatchTest, TheSameAlphabetIsTakenWhole)
{
    const BuiltRun one(on(tinyExperiment(), "abcd")), other(on(tinyExperiment(), "dcba"));
    const WeightReport report = take(saved(one), other);
    EXPECT_EQ(report.loaded.size(), report.inModel());
    EXPECT_THAT(report.bySymbol, IsEmpty());
    EXPECT_THAT(report.notes, IsEmpty());
}

TEST_F(WeightMatchTest, WithoutASharedCharacterWhatIsIndexedIsLeftAsDrawn)
{
    const BuiltRun one(on(tinyExperiment(), "abc")), other(on(tinyExperiment(), "xyz"));
    const at::Tensor drawn = other.weight("head.bias").clone();
    const WeightReport report = take(saved(one), other);
    ASSERT_EQ(report.mismatched.size(), 3u);
    EXPECT_EQ(report.mismatched.back().text("file"), "head.bias: none of its 3 values is a symbol of the file too");
    EXPECT_TRUE(other.weight("head.bias").equal(drawn));
    EXPECT_EQ(report.loaded.size(), 4u);
}

/// A class in bytes and the same in characters is one symbol.
TEST_F(WeightMatchTest, BytesAndCharactersShareTheirSymbols)
{
    Experiment bytes = tinyExperiment();
    bytes.graph = edits::setParam(1, "unit", std::string("bytes")).apply(bytes.graph).value();
    const BuiltRun one(on(bytes, "ab\n")), other(on(tinyExperiment(), "ab\n"));
    take(saved(one), other);
    EXPECT_TRUE(other.weight("head.bias")[0].equal(one.weight("head.bias")['\n']));
    EXPECT_TRUE(other.weight("head.bias")[2].equal(one.weight("head.bias")['b']));
}

/// data -> one-hot -> (more nodes) -> head
Experiment byHand(std::vector<Node> nodes, std::vector<Wire> wires, Params head = {})
{
    Experiment experiment = tinyExperiment();
    nodes.push_back(makeNode(1, "text", "text", {{"steps", std::int64_t{16}}}));
    nodes.push_back(makeNode(2, "one_hot", "one_hot"));
    nodes.push_back(makeNode(9, "head", "head", std::move(head)));
    wires.push_back({{1, "tokens"}, {2, "tokens"}});
    wires.push_back({{1, "targets"}, {9, "targets"}});
    experiment.graph = makeGraph(std::move(nodes), std::move(wires));
    return experiment;
}

TEST_F(WeightMatchTest, ColumnsBehindAOneHotAreMatched)
{
    const auto graph = [] {
        return byHand({makeNode(3, "dropout", "thin"), makeNode(4, "lstm", "lstm", {{"units", std::int64_t{6}}})},
                      {{{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{4, "y"}, {9, "x"}}});
    };
    const BuiltRun one(on(graph(), "abcd")), other(on(graph(), "bdz"));
    const at::Tensor drawn = other.weight("lstm.weight_ih_l0").clone();
    const WeightReport report = take(saved(one), other);
    expectMatched(drawn.t(), other.weight("lstm.weight_ih_l0").t(), one.weight("lstm.weight_ih_l0").t(),
                  {{0, 1}, {1, 3}});
    EXPECT_EQ(report.bySymbol.front().text(),
              "lstm.weight_ih_l0: 2 of 3 columns matched by symbol, 1 re-initialised: 'z'");
    EXPECT_TRUE(other.weight("lstm.weight_hh_l0").equal(one.weight("lstm.weight_hh_l0")));
}

/// A window of two steps and features behind the classes: each copy of the classes is matched, the rest stays where it
/// is.
TEST_F(WeightMatchTest, ColumnsAreMatchedInEveryCopyAndBesideOtherFeatures)
{
    const auto graph = [] {
        return byHand({makeNode(3, "embedding", "embedding", {{"width", std::int64_t{2}}}),
                       makeNode(4, "concat", "both"),
                       makeNode(5, "qrnn", "qrnn", {{"units", std::int64_t{5}}, {"window", std::int64_t{2}}})},
                      {{{1, "tokens"}, {3, "tokens"}},
                       {{2, "y"}, {4, "a"}},
                       {{3, "y"}, {4, "b"}},
                       {{4, "y"}, {5, "x"}},
                       {{5, "y"}, {9, "x"}}});
    };
    const BuiltRun one(on(graph(), "abcd")), other(on(graph(), "bdz"));
    const at::Tensor drawn = other.weight("qrnn.linear.weight").clone();
    take(saved(one), other);
    expectMatched(drawn.t(), other.weight("qrnn.linear.weight").t(), one.weight("qrnn.linear.weight").t(),
                  {{0, 1}, {1, 3}, {3, 4}, {4, 5}, {5, 7}, {6, 9}, {8, 10}, {9, 11}});
}

TEST_F(WeightMatchTest, RowsBeforeAHeadThatReadsNothingAreMatched)
{
    const auto graph = [](std::int64_t classes) {
        return byHand({makeNode(3, "lstm", "lstm", {{"units", std::int64_t{6}}}),
                       makeNode(4, "linear", "linear", {{"width", classes}})},
                      {{{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{4, "y"}, {9, "x"}}},
                      {{"readout", std::string("none")}});
    };
    const BuiltRun one(on(graph(4), "abcd")), other(on(graph(3), "bdz"));
    const at::Tensor drawn = other.weight("linear.weight").clone(), bias = other.weight("linear.bias").clone();
    take(saved(one), other);
    expectMatched(drawn, other.weight("linear.weight"), one.weight("linear.weight"), {{0, 1}, {1, 3}});
    expectMatched(bias, other.weight("linear.bias"), one.weight("linear.bias"), {{0, 1}, {1, 3}});
}

TEST_F(WeightMatchTest, ATiedTableIsMatchedOnce)
{
    const auto graph = [] {
        Experiment experiment = tinyExperiment("lstm", 12);
        for (const auto& edit :
             {edits::setParam(2, "share_table", true), edits::setParam(4, "readout", std::string("tied")),
              edits::connect({{2, "table"}, {4, "table"}})})
            experiment.graph = edit.apply(experiment.graph).value();
        return experiment;
    };
    const BuiltRun one(on(graph(), "abcd")), other(on(graph(), "bdz"));
    const WeightReport report = take(saved(one), other);
    ASSERT_EQ(report.bySymbol.size(), 2u);
    EXPECT_EQ(report.bySymbol[0].name, "embedding.weight");
    EXPECT_EQ(report.bySymbol[1].name, "head.bias");
    EXPECT_TRUE(other.weight("embedding.weight")[1].equal(one.weight("embedding.weight")[3]));
}

/// An SRU as wide as its input adds feature i of it to unit i: columns alone are not what a class is for.
TEST_F(WeightMatchTest, WhereItCannotBeToldNothingIsTaken)
{
    const auto graph = [] {
        return byHand({makeNode(3, "sru", "sru", {{"units", std::int64_t{4}}})},
                      {{{2, "y"}, {3, "x"}}, {{3, "y"}, {9, "x"}}});
    };
    const BuiltRun one(on(graph(), "abcd")), other(on(graph(), "bcde"));
    const WeightReport report = take(saved(one), other);
    for (const Misfit& misfit : report.mismatched) {
        EXPECT_THAT(misfit.text("file"), HasSubstr("the meaning of its"));
        EXPECT_THAT(misfit.name, ::testing::StartsWith("sru."));
    }
    EXPECT_EQ(report.mismatched.size(), 3u);
    EXPECT_EQ(report.bySymbol.size(), 2u) << "the head's";
}

/// Two copies that share their weights, of which the first alone reads classes.
TEST_F(WeightMatchTest, SharedWeightsThatReadDifferentThingsAreUnclear)
{
    const auto graph = [] {
        Experiment experiment = byHand({makeNode(3, "linear", "linear", {{"width", std::int64_t{4}}})},
                                       {{{2, "y"}, {3, "x"}}, {{3, "y"}, {9, "x"}}});
        experiment.graph = edits::makeGroup({3}, "body").apply(experiment.graph).value();
        for (const auto& [id, node] : experiment.graph.nodes)
            if (node->group) {
                experiment.graph = edits::setRepeat(id, 2, true).apply(experiment.graph).value();
                break;
            }
        return experiment;
    };
    const BuiltRun one(on(graph(), "abcd")), other(on(graph(), "bcde"));
    const WeightReport report = take(saved(one), other);
    ASSERT_EQ(report.mismatched.size(), 1u);
    EXPECT_EQ(report.mismatched.front().name, "body.linear.weight");
}

class SeriesWeights : public WeightMatchTest {
protected:
    Experiment on(const std::string& header, std::int64_t columns)
    {
        const std::string file = folder / (header + ".csv");
        std::string text = header + "\n";
        for (int row = 0; row < 200; ++row) {
            for (std::int64_t column = 0; column < columns; ++column)
                text += fmt::format("{}{}", column > 0 ? "," : "", (row * (column + 3)) % 17 + 0.5);
            text += "\n";
        }
        writeContent(file, text);
        Experiment experiment = tinyExperiment();
        experiment.graph =
            makeGraph({makeNode(1, "series", "series", {{"file", file}, {"steps", std::int64_t{8}}}),
                       makeNode(3, "gru", "gru", {{"units", std::int64_t{5}}}), makeNode(4, "mse", "mse")},
                      {{{1, "features"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
        return experiment;
    }
};

TEST_F(SeriesWeights, ColumnsAreMatchedByName)
{
    const BuiltRun one(on("wind,rain,sun", 3)), other(on("sun,wind,snow", 3));
    const at::Tensor drawn = other.weight("gru.weight_ih_l0").clone();
    const WeightReport report = take(saved(one), other);
    expectMatched(drawn.t(), other.weight("gru.weight_ih_l0").t(), one.weight("gru.weight_ih_l0").t(),
                  {{0, 2}, {1, 0}});
    EXPECT_TRUE(other.weight("mse.bias")[0].equal(one.weight("mse.bias")[2]));
    EXPECT_EQ(report.bySymbol.front().text(),
              "gru.weight_ih_l0: 2 of 3 columns matched by symbol, 1 re-initialised: 'snow'");
}

TEST_F(SeriesWeights, OneSeriesStandsForAnotherWithAWarning)
{
    const BuiltRun one(on("wind,rain", 2)), other(on("price,volume", 2));
    const WeightReport report = take(saved(one), other);
    EXPECT_EQ(report.loaded.size(), report.inModel());
    EXPECT_THAT(report.notes,
                Contains(HasSubstr("are named wind, rain and here price, volume: they are matched by position")));
}

} // namespace
} // namespace unroll
