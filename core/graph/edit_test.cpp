// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit.h"

#include "core/block/test_specs.h"
#include "core/graph/graph_json.h"
#include "core/graph/test_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace unroll {
namespace {

using namespace testing_edits;
using namespace testing_specs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool hasWire(const Graph& graph, const Wire& wire)
{
    return std::find(graph.wires.begin(), graph.wires.end(), wire) != graph.wires.end();
}

TEST(AddNode, GivesIdsAndFreeNames)
{
    Graph graph;
    for (int i = 0; i < 3; ++i)
        graph = must(edits::addNode({.block = "lstm"}), graph);
    graph = must(edits::addNode({.id = 50, .block = "lstm", .name = "lstm_2"}), graph);
    graph = must(edits::addNode({.block = "odd block!"}), graph);
    EXPECT_EQ(graph.find(1)->name, "lstm");
    EXPECT_EQ(graph.find(2)->name, "lstm_2");
    EXPECT_EQ(graph.find(3)->name, "lstm_3");
    EXPECT_EQ(graph.find(50)->name, "lstm_4");
    EXPECT_EQ(graph.find(51)->name, "odd_block");
    EXPECT_EQ(graph.nextId, 52u);
}

TEST(AddNode, RefusesWhatCannotBe)
{
    const Graph graph = characterModel().graph();
    EXPECT_THAT(refusal(edits::addNode({.block = ""}), graph), HasSubstr("needs a block"));
    EXPECT_THAT(refusal(edits::addNode({.block = "group"}), graph), HasSubstr("sub-graph"));
    EXPECT_THAT(refusal(edits::addNode({.block = "a", .name = "1st"}), graph), HasSubstr("\"1st\" cannot name a node"));
    EXPECT_THAT(refusal(edits::addNode({.id = 2, .block = "a"}), graph), HasSubstr("the number 2"));
    EXPECT_THAT(refusal(edits::addNode({.block = "a", .place = {std::numeric_limits<double>::quiet_NaN(), 0}}), graph),
                HasSubstr("finite"));
    Graph full = graph;
    full.nextId = kMaxId;
    EXPECT_THAT(refusal(edits::addNode({.block = "a"}), full), HasSubstr("used up"));
}

TEST(RemoveNodes, TakesTheirWires)
{
    GraphMaker maker = characterModel();
    const Graph graph = must(edits::removeNodes({maker.id("lstm"), maker.id("text")}), maker.graph());
    EXPECT_EQ(graph.nodes.size(), 2u);
    EXPECT_THAT(graph.wires, IsEmpty());
    EXPECT_EQ(graph.nextId, 5u) << "numbers are not used again";
    EXPECT_THAT(refusal(edits::removeNodes({2, 99}), graph), HasSubstr("no node 99"));
}

TEST(RemoveAndHeal, JoinsMainPorts)
{
    GraphMaker maker = characterModel();
    maker.wire("text.mask", "lstm.mask");
    const Graph graph = must(edits::removeAndHeal(maker.id("lstm")), maker.graph());
    EXPECT_TRUE(hasWire(graph, {maker.end("embedding.y"), maker.end("head.x")}));
    EXPECT_EQ(graph.wires.size(), 3u);
}

TEST(RemoveAndHeal, JoinsTheNamedPorts)
{
    GraphMaker maker;
    maker.node("add", "sum").node("lstm", "a").node("lstm", "b").node("lstm", "c").node("lstm", "d");
    maker.wire("a.y", "sum.a").wire("b.y", "sum.b").wire("sum.y", "c.x").wire("sum.y", "d.x");
    const Graph first = must(edits::removeAndHeal(maker.id("sum")), maker.graph());
    EXPECT_THAT(first.wires,
                ElementsAre(Wire{maker.end("a.y"), maker.end("c.x")}, Wire{maker.end("a.y"), maker.end("d.x")}));
    const Graph second = must(edits::removeAndHeal(maker.id("sum"), "b", "y"), maker.graph());
    EXPECT_THAT(second.wires,
                ElementsAre(Wire{maker.end("b.y"), maker.end("c.x")}, Wire{maker.end("b.y"), maker.end("d.x")}));
}

TEST(RenameNode, RefusesTakenAndInvalidNames)
{
    const Graph graph = characterModel().graph();
    EXPECT_EQ(must(edits::renameNode(3, "encoder"), graph).find(3)->name, "encoder");
    EXPECT_EQ(must(edits::renameNode(3, "lstm"), graph), graph);
    EXPECT_THAT(refusal(edits::renameNode(3, "head"), graph), HasSubstr("another node is named head"));
    for (const char* name : {"", "a b", "9a", "_a", "a.b", "é"})
        EXPECT_THAT(refusal(edits::renameNode(3, name), graph), HasSubstr("cannot name a node")) << name;
}

TEST(SetParam, SetsAndResets)
{
    const Graph graph = characterModel().graph();
    const Graph set = must(edits::setParam(3, "units", std::int64_t{99}), graph);
    EXPECT_EQ(set.find(3)->params.at("units"), ParamValue(std::int64_t{99}));
    EXPECT_EQ(graph.find(3)->params.at("units"), ParamValue(std::int64_t{48})) << "the old graph is untouched";
    EXPECT_THAT(must(edits::resetParam(3, "units"), set).find(3)->params, IsEmpty());
    EXPECT_THAT(refusal(edits::setParam(3, "dropout", std::numeric_limits<double>::infinity()), graph),
                HasSubstr("dropout must be a finite number"));
}

TEST(Connect, ReplacesWhatTheInputHad)
{
    GraphMaker maker = characterModel();
    const Wire wire{maker.end("embedding.y"), maker.end("head.x")};
    const Graph graph = must(edits::connect(wire), maker.graph());
    EXPECT_EQ(graph.wires.size(), 4u);
    EXPECT_EQ(graph.wireInto(maker.end("head.x"))->from, wire.from);
    EXPECT_EQ(graph.wireInto(maker.end("lstm.mask")), nullptr);
    EXPECT_EQ(must(edits::disconnect(wire), graph).wires.size(), 3u);
    EXPECT_THAT(refusal(edits::disconnect(wire), maker.graph()), HasSubstr("the wire no longer exists"));
    EXPECT_THAT(refusal(edits::connect({{77, "y"}, {1, "x"}}), maker.graph()), HasSubstr("no node 77"));
    EXPECT_THAT(refusal(edits::connect({{1, ""}, {2, "x"}}), maker.graph()), HasSubstr("needs a port"));
}

TEST(InsertOnWire, SplitsTheWire)
{
    GraphMaker maker = characterModel();
    const Wire wire{maker.end("lstm.y"), maker.end("head.x")};
    const Graph graph = must(edits::insertOnWire({.block = "linear"}, wire, "x", "y"), maker.graph());
    EXPECT_TRUE(hasWire(graph, {wire.from, {5, "x"}}));
    EXPECT_TRUE(hasWire(graph, {{5, "y"}, wire.to}));
    EXPECT_FALSE(hasWire(graph, wire));
    EXPECT_THAT(refusal(edits::insertOnWire({.block = "linear"}, {wire.to, wire.from}, "x", "y"), maker.graph()),
                HasSubstr("no longer exists"));
}

TEST(Frames, AreAddedChangedAndRemoved)
{
    Graph graph = must(edits::setFrame({0, "note", {1, 2}, 30, 40}), characterModel().graph());
    EXPECT_EQ(graph.frames.at(5).title, "note");
    graph = must(edits::setFrame({5, "other", {1, 2}, 30, 40}), graph);
    EXPECT_EQ(graph.frames.at(5).title, "other");
    EXPECT_THAT(must(edits::removeFrame(5), graph).frames, IsEmpty());
    EXPECT_THAT(refusal(edits::removeFrame(6), graph), HasSubstr("no longer exists"));
    EXPECT_THAT(refusal(edits::setFrame({8, "x", {}, 1, 1}), graph), HasSubstr("no longer exists"));
}

TEST(Paste, RenewsIdsAndKeepsInnerWires)
{
    GraphMaker maker = characterModel();
    const Graph part = fragment(maker.graph(), {maker.id("embedding"), maker.id("lstm")});
    EXPECT_EQ(part.wires.size(), 1u);
    const Graph graph = must(edits::paste(part, {10, 20}), maker.graph());
    EXPECT_EQ(graph.find(5)->name, "embedding_2");
    EXPECT_EQ(graph.find(6)->name, "lstm_2");
    EXPECT_EQ(graph.find(6)->place, (Place{610, 60}));
    EXPECT_TRUE(hasWire(graph, {{5, "y"}, {6, "x"}}));
    EXPECT_EQ(graph.wires.size(), 5u);
}

TEST(Paste, KeepsIncomingWiresWhenAsked)
{
    GraphMaker maker = characterModel();
    const Graph part = fragment(maker.graph(), {maker.id("head")}, true);
    EXPECT_EQ(part.wires.size(), 2u);
    EXPECT_EQ(must(edits::paste(part, {}, true), maker.graph()).wires.size(), 6u);
    EXPECT_EQ(must(edits::paste(part, {}), maker.graph()).wires.size(), 4u);
    EXPECT_THAT(must(edits::paste(part, {}, true), Graph()).wires, IsEmpty());
}

TEST(Sequence, IsAllOrNothing)
{
    const Graph graph = characterModel().graph();
    const GraphEdit good = edits::sequence("Two", {edits::removeNodes({1}), edits::renameNode(2, "text")});
    EXPECT_EQ(must(good, graph).find(2)->name, "text");
    EXPECT_THAT(refusal(edits::sequence("Two", {edits::removeNodes({1}), edits::renameNode(1, "x")}), graph),
                HasSubstr("no node 1"));
}

TEST(Diff, ListsWhatChanged)
{
    const Graph before = must(edits::setFrame({0, "f", {}, 1, 1}), characterModel().graph());
    Graph after = must(edits::removeNodes({4}), before);
    after = must(edits::addNode({.block = "head"}), after);
    after = must(edits::setParam(3, "units", std::int64_t{7}), after);
    after = must(edits::connect({{3, "y"}, {6, "x"}}), after);
    after = must(edits::setFrame({5, "g", {}, 1, 1}), after);
    const GraphDiff change = diff(before, after);
    EXPECT_THAT(change.added, ElementsAre(6));
    EXPECT_THAT(change.removed, ElementsAre(4));
    EXPECT_THAT(change.changed, ElementsAre(3));
    EXPECT_THAT(change.wiresAdded, ElementsAre(Wire{{3, "y"}, {6, "x"}}));
    EXPECT_EQ(change.wiresRemoved.size(), 2u);
    EXPECT_THAT(change.framesChanged, ElementsAre(5));
    EXPECT_TRUE(diff(after, after).empty());
    EXPECT_FALSE(change.empty());
}

TEST(Names, AreMadeFreeAndValid)
{
    const Graph graph = characterModel().graph();
    EXPECT_EQ(freeName(graph, "gru"), "gru");
    EXPECT_EQ(freeName(graph, "lstm"), "lstm_2");
    EXPECT_EQ(freeName(must(edits::renameNode(1, "lstm_2"), graph), "lstm_2"), "lstm_3");
    EXPECT_TRUE(isValidName("a_1"));
    EXPECT_FALSE(isValidName("1a"));
}

TEST(History, MergesEditsOfOneGesture)
{
    History history(characterModel().graph());
    for (int x = 1; x <= 5; ++x)
        ASSERT_TRUE(history.apply(edits::moveNodes({{1, {x * 10.0, 0}}})));
    EXPECT_EQ(history.undoName(), "Move node");
    history.endMerge();
    ASSERT_TRUE(history.apply(edits::moveNodes({{1, {99, 0}}})));
    ASSERT_TRUE(history.apply(edits::setParam(3, "units", std::int64_t{1})));
    ASSERT_TRUE(history.apply(edits::setParam(3, "units", std::int64_t{12})));
    ASSERT_TRUE(history.apply(edits::setParam(2, "units", std::int64_t{12})));
    int steps = 0;
    for (; history.canUndo(); ++steps)
        history.undo();
    EXPECT_EQ(steps, 4);
    EXPECT_EQ(history.graph(), characterModel().graph());
    EXPECT_EQ(history.redoName(), "Move node");
    history.redo();
    EXPECT_EQ(history.graph().find(1)->place.x, 50);
    ASSERT_TRUE(history.apply(edits::moveNodes({{1, {51, 0}}})));
    EXPECT_FALSE(history.canRedo());
    history.undo();
    EXPECT_EQ(history.graph().find(1)->place.x, 50) << "an edit after redo is a step of its own";
}

TEST(History, AnEditThatFailsOrChangesNothingIsNoStep)
{
    History history(characterModel().graph());
    EXPECT_FALSE(history.apply(edits::renameNode(77, "x")));
    EXPECT_TRUE(history.apply(edits::renameNode(3, "lstm"))->empty());
    EXPECT_FALSE(history.canUndo());
    EXPECT_EQ(history.revision(), 0u);
    EXPECT_TRUE(history.undo().empty());
    EXPECT_TRUE(history.redo().empty());
    ASSERT_TRUE(history.apply(edits::removeNodes({3})));
    EXPECT_EQ(history.revision(), 1u);
    EXPECT_THAT(history.undo().added, ElementsAre(3));
    EXPECT_EQ(history.revision(), 0u) << "the state it had been";
    EXPECT_THAT(history.redo().removed, ElementsAre(3));
    EXPECT_EQ(history.revision(), 1u);
    history.undo();
    ASSERT_TRUE(history.apply(edits::removeNodes({2})));
    EXPECT_EQ(history.revision(), 2u) << "another state than the one that was dropped";
}

TEST(History, ForgetsTheOldestStepsOfLargeGraphs)
{
    Graph graph;
    for (NodeId id = 1; id <= 5'000; ++id)
        graph.addNode({.id = id, .block = "lstm", .name = "n" + std::to_string(id)});
    History history(graph);
    for (int i = 1; i <= 300; ++i)
        ASSERT_TRUE(history.apply(edits::setParam(static_cast<NodeId>(i), "units", std::int64_t{i})));
    int steps = 0;
    for (; history.canUndo(); ++steps)
        history.undo();
    EXPECT_GE(steps, 50);
    EXPECT_LT(steps, 200);
    for (; history.canRedo(); --steps)
        history.redo();
    EXPECT_EQ(steps, 0);
    EXPECT_EQ(history.graph().find(300)->params.at("units"), ParamValue(std::int64_t{300}));
}

} // namespace
} // namespace unroll
