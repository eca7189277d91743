// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/layout.h"

#include "core/graph/box.h"
#include "core/graph/layers.h"
#include "core/graph/test_edits.h"
#include "core/graph/test_random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace unroll {
namespace {

using namespace testing_edits;
using namespace testing_specs;

/// As the canvas makes them: whole steps of the grid, ports every 20 units.
NodeExtents extentsOf(const Graph& graph, std::uint64_t seed)
{
    testing_specs::Random random(seed);
    const BlockRegistry blocks = registry();
    NodeExtents extents;
    for (const auto& [id, node] : graph.nodes) {
        NodeExtent& extent = extents[id];
        extent.width = 140 + 20 * static_cast<double>(random.below(8));
        const NodePorts ports = portsOf(*node, blocks);
        for (const PortSpec& port : ports.inputs)
            extent.inputs[port.name] = 50 + 20 * static_cast<double>(extent.inputs.size());
        for (const PortSpec& port : ports.outputs)
            extent.outputs[port.name] = 50 + 20 * static_cast<double>(extent.outputs.size());
        extent.height =
            70 + 20 * static_cast<double>(std::max(extent.inputs.size(), extent.outputs.size()) + random.below(3));
    }
    return extents;
}

std::set<NodeId> allOf(const Graph& graph)
{
    std::set<NodeId> ids;
    for (const auto& [id, node] : graph.nodes)
        ids.insert(id);
    return ids;
}

Graph laidOut(const Graph& graph, const std::set<NodeId>& ids, const NodeExtents& extents)
{
    const Layout layout = layOut(graph, ids, extents);
    Graph after = must(edits::moveNodes(layout.nodes), graph);
    after.frames = layout.frames;
    return after;
}

bool leadsTo(const Graph& graph, NodeId start, NodeId goal)
{
    std::set<NodeId> seen{start};
    std::vector<NodeId> open{start};
    while (!open.empty()) {
        const NodeId at = open.back();
        open.pop_back();
        for (const Wire& wire : graph.wires)
            if (wire.from.node == at && seen.insert(wire.to.node).second)
                open.push_back(wire.to.node);
    }
    return seen.contains(goal);
}

Box bodyOf(const Graph& graph, const NodeExtents& extents, NodeId id)
{
    return boxOf(graph.find(id)->place, extentOf(extents, id));
}

void expectNothingCovered(const Graph& graph, const NodeExtents& extents, const std::set<NodeId>& ids)
{
    for (const NodeId id : ids)
        for (const auto& [other, node] : graph.nodes)
            EXPECT_FALSE(id != other && bodyOf(graph, extents, id).meets(bodyOf(graph, extents, other)))
                << graph.find(id)->name << " and " << node->name;
}

void expectLeftToRight(const Graph& graph, const NodeExtents& extents, const std::set<NodeId>& ids)
{
    for (const Wire& wire : graph.wires) {
        const bool within = ids.contains(wire.from.node) && ids.contains(wire.to.node);
        if (!within || leadsTo(graph, wire.to.node, wire.from.node))
            continue;
        EXPECT_LT(bodyOf(graph, extents, wire.from.node).right, bodyOf(graph, extents, wire.to.node).left)
            << graph.find(wire.from.node)->name << " to " << graph.find(wire.to.node)->name;
    }
}

/// A random model after random edits: cycles, loose nodes, comments and wires to ports that are not there.
Graph disorder(std::uint64_t seed)
{
    Graph graph = RandomModel(seed).make();
    RandomEdits edits(seed);
    for (int i = 0; i < 20; ++i)
        if (auto edited = edits.next(graph).apply(graph))
            graph = std::move(*edited);
    return graph;
}

TEST(Layout, RandomGraphsAreLaidOut)
{
    std::size_t nodes = 0, wires = 0, frames = 0;
    for (std::uint64_t seed = 1; seed <= 600 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        const Graph graph = disorder(seed);
        const NodeExtents extents = extentsOf(graph, seed);
        const auto ids = allOf(graph);
        const Graph once = laidOut(graph, ids, extents);
        expectNothingCovered(once, extents, ids);
        expectLeftToRight(once, extents, ids);
        EXPECT_TRUE(laidOut(once, ids, extents) == once) << "twice is once";
        for (const auto& [id, node] : once.nodes)
            EXPECT_TRUE(std::fmod(node->place.x, kLayoutGrid) == 0 && std::fmod(node->place.y, kLayoutGrid) == 0);
        nodes += graph.nodes.size();
        wires += graph.wires.size();
        frames += graph.frames.size();
    }
    EXPECT_GT(nodes, 3'000u);
    EXPECT_GT(wires, 2'000u);
    EXPECT_GT(frames, 100u);
}

TEST(Layout, ASelectionKeepsClearOfTheRest)
{
    for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        const Graph graph = disorder(seed);
        const NodeExtents extents = extentsOf(graph, seed);
        testing_specs::Random random(seed);
        std::set<NodeId> ids;
        for (const auto& [id, node] : graph.nodes)
            if (random.chance(2))
                ids.insert(id);
        const Graph once = laidOut(graph, ids, extents);
        expectNothingCovered(once, extents, ids);
        expectLeftToRight(once, extents, ids);
        EXPECT_TRUE(laidOut(once, ids, extents) == once);
        for (const auto& [id, node] : graph.nodes)
            if (!ids.contains(id)) {
                EXPECT_EQ(once.find(id)->place, node->place);
            }
    }
}

TEST(Layout, AChainRunsStraightAndALongWirePassesBeside)
{
    const Graph graph = GraphMaker()
                            .node("text", "text")
                            .node("embedding", "embedding")
                            .node("lstm", "one")
                            .node("lstm", "two")
                            .node("head", "head")
                            .wire("text.tokens", "embedding.tokens")
                            .wire("embedding.y", "one.x")
                            .wire("one.y", "two.x")
                            .wire("two.y", "head.x")
                            .wire("text.targets", "head.targets")
                            .graph();
    NodeExtents extents;
    for (const auto& [id, node] : graph.nodes)
        extents[id] = {
            160, 100, {{"tokens", 50}, {"x", 50}, {"targets", 70}}, {{"tokens", 50}, {"y", 50}, {"targets", 70}}};
    const Graph after = laidOut(graph, allOf(graph), extents);
    const auto at = [&](const char* name) { return after.findByName(name)->place; };
    EXPECT_EQ(at("embedding").y, at("one").y);
    EXPECT_EQ(at("one").y, at("two").y);
    EXPECT_EQ(at("two").x - at("one").x, 260);
    EXPECT_EQ(at("text").y, at("head").y) << "the long wire is level";
    EXPECT_GE(at("text").y + 70, at("one").y + 100) << "and clear of the nodes";
    EXPECT_EQ(layersOf(graph, allOf(graph), extents).columns.size(), 5u);
}

/// A wire is drawn from end to end: with ways that part and join above it, its whole lane must be level with both ends.
TEST(Layout, ALongWireKeepsClearOfAllThatItPasses)
{
    GraphMaker maker;
    for (const char* name : {"embedding", "lstm", "linear", "gru", "add", "norm", "last", "concat"})
        maker.node("linear", name);
    maker.node("text", "text").node("head", "head");
    maker.wire("text.tokens", "embedding.x").wire("embedding.y", "lstm.x").wire("embedding.y", "linear.x");
    maker.wire("embedding.y", "gru.x").wire("lstm.y", "add.a").wire("linear.y", "add.b").wire("add.y", "norm.x");
    maker.wire("norm.y", "last.x").wire("last.y", "concat.a").wire("gru.y", "concat.b").wire("concat.y", "head.x");
    const Graph graph = maker.wire("text.targets", "head.targets").graph();
    NodeExtents extents;
    for (const auto& [id, node] : graph.nodes)
        extents[id] = {
            160, 140, {{"x", 50}, {"a", 50}, {"b", 70}, {"targets", 70}}, {{"tokens", 50}, {"y", 50}, {"targets", 70}}};
    const Graph after = laidOut(graph, allOf(graph), extents);
    const double height = after.findByName("text")->place.y + 70;
    EXPECT_EQ(height, after.findByName("head")->place.y + 70);
    for (const auto& [id, node] : after.nodes) {
        const Box body = bodyOf(after, extents, id);
        EXPECT_TRUE(node->block == "text" || node->block == "head" || height < body.top || height > body.bottom)
            << node->name;
    }
}

TEST(Layout, OrderingUntanglesWires)
{
    // Two ladders whose rungs are given in the wrong order.
    GraphMaker maker;
    for (const int i : {0, 1, 2, 3})
        maker.node("linear", "a" + std::to_string(i));
    for (const int i : {2, 0, 3, 1})
        maker.node("linear", "b" + std::to_string(i));
    for (const int i : {1, 3, 0, 2})
        maker.node("add", "c" + std::to_string(i));
    for (const int i : {0, 1, 2, 3}) {
        const std::string n = std::to_string(i);
        maker.wire("a" + n + ".y", "b" + n + ".x").wire("b" + n + ".y", "c" + n + ".a");
        maker.wire("b" + std::to_string(i / 2 * 2) + ".y", "c" + n + ".b");
    }
    const Graph graph = maker.graph();
    Layers layers = layersOf(graph, allOf(graph), extentsOf(graph, 1));
    const std::size_t before = crossings(layers);
    orderColumns(layers);
    EXPECT_GT(before, 0u);
    EXPECT_LE(crossings(layers), 2u);
}

TEST(Layout, CommentsGoAlong)
{
    Graph graph = GraphMaker().node("linear", "a").node("linear", "b").wire("a.y", "b.x").graph();
    const NodeId a = graph.findByName("a")->id, b = graph.findByName("b")->id;
    graph = must(edits::moveNodes({{a, {0, 0}}, {b, {-700, 500}}}), graph);
    graph = must(edits::setFrame({0, "b's", {-720, 480}, 200, 140}), graph);
    graph = must(edits::setFrame({0, "beside a", {0, -90}, 100, 50}), graph);
    NodeExtents extents{{a, {160, 100, {}, {}}}, {b, {160, 100, {}, {}}}};
    const Graph after = laidOut(graph, {a, b}, extents);
    EXPECT_EQ(after.find(a)->place, (Place{-700, 0})) << "the corner stays";
    EXPECT_EQ(after.find(b)->place, (Place{-440, 0}));
    const Frame& held = after.frames.begin()->second;
    EXPECT_EQ(held.place, (Place{-460, -20}));
    EXPECT_EQ(held.width, 200);
    EXPECT_EQ(held.height, 140);
    EXPECT_EQ(after.frames.rbegin()->second.place, (Place{-700, -90}));
}

TEST(Layout, NothingIsLaidOutAsNothing)
{
    EXPECT_TRUE(layOut(Graph(), {}, {}).nodes.empty());
    EXPECT_TRUE(layOut(Graph(), {7}, {}).nodes.empty());
}

TEST(Layout, LargeGraphsAreLaidOut)
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "n0").wire("text.tokens", "n0.tokens");
    for (int i = 1; i <= 3'000; ++i) {
        const std::string name = "n" + std::to_string(i);
        maker.node("add", name).wire("n" + std::to_string(i - 1) + ".y", name + ".a");
        maker.wire("n" + std::to_string(i / 2) + ".y", name + ".b");
    }
    const Graph graph = maker.graph();
    EXPECT_EQ(layOut(graph, allOf(graph), extentsOf(graph, 3)).nodes.size(), 3'002u);
}

/// A chain in a row: a, b, c, 40 units apart.
struct Row {
    Graph graph = GraphMaker()
                      .node("linear", "a")
                      .node("linear", "b")
                      .node("linear", "c")
                      .node("linear", "aside")
                      .wire("a.y", "b.x")
                      .wire("b.y", "c.x")
                      .graph();
    NodeExtents extents;
    NodeId a = id("a"), b = id("b"), c = id("c"), aside = id("aside");
    Wire wire{{a, "y"}, {b, "x"}};

    Row()
    {
        graph = must(edits::moveNodes({{a, {0, 0}}, {b, {200, 0}}, {c, {400, 0}}, {aside, {0, 300}}}), graph);
        for (const auto& [node, body] : graph.nodes)
            extents[node] = {160, 100, {}, {}};
    }
    NodeId id(const char* name) const { return graph.findByName(name)->id; }
    std::map<NodeId, Place> room(const Place& at) const
    {
        return makeRoom(graph, extents, wire, 99, {160, 100, {}, {}}, at);
    }
};

TEST(MakeRoom, WhatFollowsGoesRightByJustWhatIsNeeded)
{
    const Row row;
    EXPECT_EQ(row.room({200, 0}), (std::map<NodeId, Place>{{row.b, {400, 0}}, {row.c, {600, 0}}}));
    EXPECT_EQ(row.room({170, 20}), (std::map<NodeId, Place>{{row.b, {370, 0}}, {row.c, {570, 0}}}));
}

TEST(MakeRoom, WhereThereIsRoomNothingMoves)
{
    Row row;
    row.graph = must(edits::moveNodes({{row.b, {600, 0}}, {row.c, {800, 0}}}), row.graph);
    EXPECT_TRUE(row.room({300, 0}).empty());
}

TEST(MakeRoom, TheNodeItselfGoesClearOfItsSource)
{
    const Row row;
    EXPECT_EQ(row.room({100, 0}).at(99), (Place{200, 0}));
    EXPECT_EQ(row.room({100, 0}).at(row.b), (Place{400, 0}));
}

TEST(MakeRoom, WhatWouldBeCoveredGoesToo)
{
    Row row;
    row.graph = must(edits::moveNodes({{row.aside, {600, 20}}}), row.graph);
    EXPECT_EQ(row.room({200, 0}).at(row.aside), (Place{800, 20}));
    row.graph = must(edits::moveNodes({{row.aside, {0, 300}}}), row.graph);
    EXPECT_FALSE(row.room({200, 0}).contains(row.aside));
}

TEST(MakeRoom, NothingMovesForAWireThatRunsBackOrRound)
{
    Row row;
    const Graph before = row.graph;
    row.graph.addWire({{row.c, "y"}, {row.a, "x"}});
    EXPECT_TRUE(row.room({200, 0}).empty());
    row.graph = must(edits::moveNodes({{row.b, {-300, 0}}}), before);
    EXPECT_TRUE(row.room({-100, 0}).empty());
}

TEST(MakeRoom, RandomInsertionsCoverNothingThatWasClear)
{
    int moved = 0;
    for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Graph graph = disorder(seed);
        const NodeExtents extents = extentsOf(graph, seed);
        graph = laidOut(graph, allOf(graph), extents);
        for (const Wire& wire : graph.wires) {
            const Box from = bodyOf(graph, extents, wire.from.node), to = bodyOf(graph, extents, wire.to.node);
            const NodeExtent extent{200, 100, {}, {}};
            const Place at{(from.right + to.left) / 2 - 100, (from.top + to.top) / 2};
            auto places = makeRoom(graph, extents, wire, 0, extent, at);
            const auto own = places.extract(NodeId{0});
            if (places.empty())
                continue;
            const Graph after = must(edits::moveNodes(places), graph);
            expectNothingCovered(after, extents, allOf(after));
            const double right = (own ? own.mapped().x : at.x) + extent.width;
            EXPECT_GE(bodyOf(after, extents, wire.to.node).left, right + 40);
            EXPECT_LT(bodyOf(after, extents, wire.to.node).left, right + 40 + kLayoutGrid);
            ++moved;
        }
    }
    EXPECT_GT(moved, 300);
}

} // namespace
} // namespace unroll
