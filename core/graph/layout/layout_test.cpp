// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/layout/layout.h"

#include "core/graph/layout/layers.h"
#include "core/graph/layout/test_layout.h"
#include "core/graph/layout/wire_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace unroll {
namespace {

using namespace testing_layout;

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

Place endOf(const Graph& graph, const NodeExtents& extents, const PortRef& end, bool isOutput)
{
    const NodeExtent& extent = extentOf(extents, end.node);
    const auto& ports = isOutput ? extent.outputs : extent.inputs;
    const auto port = ports.find(end.port);
    const Place corner = graph.find(end.node)->place;
    return {corner.x + (isOutput ? extent.width : 0),
            corner.y + (port == ports.end() ? extent.height / 2 : port->second)};
}

bool passesBehind(const Graph& graph, const NodeExtents& extents, const Wire& wire, NodeId id)
{
    const WireCurve curve = wireCurve(endOf(graph, extents, wire.from, true), endOf(graph, extents, wire.to, false));
    for (int i = 1; i < 100; ++i)
        if (bodyOf(graph, extents, id).holds(curve.at(i / 100.0)))
            return true;
    return false;
}

/// Wires drawn behind a node that is at neither end; those of cycles aside.
std::size_t wiresBehindNodes(const Graph& graph, const NodeExtents& extents)
{
    const auto isHidden = [&](const Wire& wire) {
        return !leadsTo(graph, wire.to.node, wire.from.node) &&
               std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& entry) {
                   return entry.first != wire.from.node && entry.first != wire.to.node &&
                          passesBehind(graph, extents, wire, entry.first);
               });
    };
    return static_cast<std::size_t>(std::count_if(graph.wires.begin(), graph.wires.end(), isHidden));
}

TEST(Layout, RandomGraphsAreLaidOut)
{
    std::size_t nodes = 0, wires = 0, frames = 0, hidden = 0;
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
        hidden += wiresBehindNodes(once, extents);
    }
    EXPECT_LT(100 * hidden, wires);
    EXPECT_GT(nodes, 3'000u);
    EXPECT_GT(wires, 2'000u);
    EXPECT_GT(frames, 100u);
}

/// Chains with additions, as people build them: hardly a wire is drawn behind a node. With lanes alone it is one in
/// twenty.
TEST(Layout, NodesGiveWayToWires)
{
    std::size_t wires = 0, hidden = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        const Graph graph = RandomModel(seed).make();
        const NodeExtents extents = extentsOf(graph, seed);
        const Graph after = laidOut(graph, allOf(graph), extents);
        wires += after.wires.size();
        hidden += wiresBehindNodes(after, extents);
    }
    EXPECT_GT(wires, 3'000u);
    EXPECT_LT(200 * hidden, wires);
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

TEST(Layout, AWireThatRunsBackFarGoesRound)
{
    const auto middle = [](const Place& from, const Place& to) { return wireCurve(from, to).at(0.5).y; };
    EXPECT_EQ(middle({200, 0}, {0, 300}), 150) << "a short way needs no detour";
    EXPECT_GT(middle({2000, 0}, {0, 160}), 160 + 80);
    EXPECT_LT(middle({2000, 160}, {0, 0}), -80);
    EXPECT_LT(middle({2000, 0}, {0, 0}), -80);
    EXPECT_EQ(middle({0, 0}, {2000, 160}), 80) << "forward it runs as ever";
}

/// From row to row it runs between them, clear of the nodes of both.
TEST(Layout, AWireToTheNextRowRunsBetweenTheRows)
{
    const WireCurve curve = wireCurve({7000, 60}, {0, 340});
    for (double t = 0; t <= 1; t += 1.0 / 256) {
        const Place point = curve.at(t);
        EXPECT_TRUE(point.x >= 7000 || point.x <= 0 || std::abs(point.y - 200) < 1) << point.x << " " << point.y;
        EXPECT_LE(point.x, 7120);
        EXPECT_GE(point.x, -120);
    }
    EXPECT_EQ(curve.at(1).y, 340);
}

TEST(Layout, ALongChainIsFoldedIntoRows)
{
    constexpr int length = 500;
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "n0").wire("text.tokens", "n0.tokens");
    for (int i = 1; i < length; ++i)
        maker.node("linear", "n" + std::to_string(i))
            .wire("n" + std::to_string(i - 1) + ".y", "n" + std::to_string(i) + ".x");
    const Graph graph = maker.graph();
    NodeExtents extents;
    for (const auto& [id, node] : graph.nodes)
        extents[id] = {160, 120, {{"tokens", 50}, {"x", 50}}, {{"tokens", 50}, {"y", 50}}};
    const Graph after = laidOut(graph, allOf(graph), extents);
    expectNothingCovered(after, extents, allOf(after));
    Box all;
    for (const auto& [id, node] : after.nodes)
        all = all.with(bodyOf(after, extents, id));
    const double width = all.right - all.left, height = all.bottom - all.top;
    EXPECT_LT(width, 12'000) << "one row would be 130,000 wide";
    EXPECT_GT(width / height, 1.2);
    EXPECT_LT(width / height, 2.8);
    std::size_t back = 0;
    for (const Wire& wire : after.wires)
        back += bodyOf(after, extents, wire.from.node).right > bodyOf(after, extents, wire.to.node).left;
    EXPECT_GE(back, 8u) << "a row each";
    EXPECT_LE(back, 30u);
    EXPECT_EQ(wiresBehindNodes(after, extents), 0u);
    EXPECT_TRUE(laidOut(after, allOf(after), extents) == after) << "twice is once";
}

/// A step of a deep network has several wires in its midst and one at its end: rows end there.
TEST(Layout, RowsEndWhereFewWiresPass)
{
    GraphMaker maker;
    maker.node("embedding", "in0");
    for (int i = 0; i < 40; ++i) {
        const std::string n = std::to_string(i), next = std::to_string(i + 1);
        for (const char* part : {"a", "b", "c"})
            maker.node("linear", part + n);
        maker.node("add", "in" + next);
        maker.wire("in" + n + ".y", "a" + n + ".x").wire("a" + n + ".y", "b" + n + ".x");
        maker.wire("b" + n + ".y", "c" + n + ".x").wire("c" + n + ".y", "in" + next + ".a");
        maker.wire("in" + n + ".y", "in" + next + ".b");
    }
    const Graph graph = maker.graph();
    const NodeExtents extents = extentsOf(graph, 5);
    const Graph after = laidOut(graph, allOf(graph), extents);
    expectNothingCovered(after, extents, allOf(after));
    std::size_t back = 0;
    for (const Wire& wire : after.wires)
        if (bodyOf(after, extents, wire.from.node).right > bodyOf(after, extents, wire.to.node).left) {
            ++back;
            const std::string& name = after.find(wire.from.node)->name;
            EXPECT_EQ(name.substr(0, 2), "in") << name << " is the last of a row";
        }
    EXPECT_GT(back, 0u);
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

} // namespace
} // namespace unroll
