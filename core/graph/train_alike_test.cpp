// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/train_alike.h"

#include "core/block/test_specs.h"
#include "core/graph/test_edits.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_edits;
using namespace testing_specs;

TEST(TrainAlike, PlacesAndCommentsDoNotMatter)
{
    const Graph graph = characterModel().graph();
    Graph moved = must(edits::moveNodes({{3, {500, 40}}}), graph);
    moved = must(edits::setFrame({.title = "here", .width = 10, .height = 10}), moved);
    EXPECT_FALSE(moved == graph);
    EXPECT_TRUE(trainsAlike(moved, graph));
}

TEST(TrainAlike, WhatIsComputedMatters)
{
    const Graph graph = characterModel().graph();
    EXPECT_FALSE(trainsAlike(must(edits::setParam(3, "units", std::int64_t{33}), graph), graph));
    EXPECT_FALSE(trainsAlike(must(edits::renameNode(3, "other"), graph), graph)) << "weights are called by it";
    EXPECT_FALSE(trainsAlike(must(edits::removeNodes({3}), graph), graph));
    EXPECT_FALSE(trainsAlike(must(edits::disconnect(graph.wires.front()), graph), graph));
}

TEST(TrainAlike, LooksIntoGroups)
{
    const Graph graph = must(edits::makeGroup({3}, "body"), characterModel().graph());
    const NodeId body = graph.findByName("body")->id;
    const NodeId inner = graph.find(body)->group->graph->nodes.begin()->first;
    EXPECT_FALSE(trainsAlike(must(edits::setReversible(body, true), graph), graph));
    EXPECT_TRUE(trainsAlike(must(edits::inside({body}, edits::moveNodes({{inner, {900, 9}}})), graph), graph));
    EXPECT_FALSE(
        trainsAlike(must(edits::inside({body}, edits::setParam(inner, "units", std::int64_t{33})), graph), graph));
}

} // namespace
} // namespace unroll
