// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/layout/layout.h"
#include "core/graph/layout/test_layout.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_layout;

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
