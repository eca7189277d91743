// SPDX-License-Identifier: GPL-3.0-or-later
// Groups as wholes: made, unpacked, unrolled, and nested no deeper than is allowed.
#include "core/graph/edit.h"

#include "core/graph/graph_json.h"
#include "core/graph/test_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_edits;
using namespace testing_groups;
using namespace testing_specs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MakeGroup, TurnsCrossingWiresIntoPorts)
{
    const Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    const Group& group = groupAt(graph, 6);
    EXPECT_THAT(group.inputs, ElementsAre(PromotedPort{"x", {3, "x"}}, PromotedPort{"mask", {3, "mask"}}))
        << "x comes first";
    EXPECT_THAT(group.outputs, ElementsAre(PromotedPort{"y", {4, "y"}}));
    EXPECT_EQ(graph.find(6)->name, "body");
    EXPECT_EQ(graph.find(6)->place, (Place{600, 40}));
    EXPECT_THAT(wires(*group.graph), ElementsAre("lstm.y -> linear.x"));
    EXPECT_THAT(wires(graph), ElementsAre("body.y -> head.x", "embedding.y -> body.x", "text.mask -> body.mask",
                                          "text.targets -> head.targets", "text.tokens -> embedding.tokens"));
}

TEST(MakeGroup, UnpackingGivesTheSameGraphBack)
{
    const Graph before = longModel().graph();
    Graph graph = must(edits::makeGroup({3, 4}, "body"), before);
    graph = must(edits::moveNodes({{6, {700, 140}}}), graph);
    graph = must(edits::unpackGroup(6), graph);
    EXPECT_EQ(wires(graph), wires(before));
    EXPECT_EQ(graph.findByName("lstm")->id, 7u) << "new numbers";
    EXPECT_EQ(graph.findByName("lstm")->place, (Place{700, 140}));
    EXPECT_EQ(graph.findByName("linear")->place, (Place{900, 140}));
}

TEST(MakeGroup, NumbersPortsThatShareAName)
{
    GraphMaker maker;
    maker.node("embedding", "e")
        .node("lstm", "a")
        .node("lstm", "b")
        .node("add", "sum")
        .wire("e.y", "a.x")
        .wire("e.y", "b.x");
    maker.wire("a.y", "sum.a").wire("b.y", "sum.b");
    const Graph graph = must(edits::makeGroup({2, 3}, ""), maker.graph());
    EXPECT_THAT(groupAt(graph, 5).inputs, ElementsAre(PromotedPort{"x", {2, "x"}}, PromotedPort{"x_2", {3, "x"}}));
    EXPECT_THAT(groupAt(graph, 5).outputs, ElementsAre(PromotedPort{"y", {2, "y"}}, PromotedPort{"y_2", {3, "y"}}));
    EXPECT_THAT(wires(graph),
                ElementsAre("e.y -> group.x", "e.y -> group.x_2", "group.y -> sum.a", "group.y_2 -> sum.b"));
}

TEST(MakeGroup, RefusesToCloseACycle)
{
    EXPECT_EQ(refusal(edits::makeGroup({3, 5}, "g"), longModel().graph()),
              "linear lies between the selected nodes: select it too");
    EXPECT_THAT(refusal(edits::makeGroup({}, "g"), longModel().graph()), HasSubstr("select the nodes"));
    EXPECT_THAT(refusal(edits::makeGroup({99}, "g"), longModel().graph()), HasSubstr("no node 99"));
    EXPECT_THAT(refusal(edits::makeGroup({3}, "g 1"), longModel().graph()), HasSubstr("cannot name a group"));
}

TEST(UnpackGroup, BakesPromotedParametersIn)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::promoteParam(6, {"units", 3, "units"}), graph);
    graph = must(edits::promoteParam(6, {"units", 4, "units"}), graph);
    graph = must(edits::setParam(6, "units", std::int64_t{17}), graph);
    EXPECT_THAT(refusal(edits::promoteParam(6, {"again", 4, "units"}), graph), HasSubstr("promoted already"));
    graph = must(edits::unpackGroup(6), graph);
    EXPECT_EQ(graph.findByName("lstm")->params.at("units"), ParamValue(std::int64_t{17}));
    EXPECT_EQ(graph.findByName("linear")->params.at("units"), ParamValue(std::int64_t{17}));
}

TEST(UnpackGroup, PutsARepeatedGroupInPlaceAsOftenAsItIsRepeated)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::promoteParam(6, {"units", 3, "units"}), graph);
    graph = must(edits::setParam(6, "units", std::int64_t{17}), graph);
    graph = must(edits::setRepeat(6, 2, false), graph);
    graph = must(edits::unpackGroup(6), graph);
    EXPECT_THAT(wires(graph), ElementsAre("embedding.y -> lstm.x", "linear.y -> lstm_2.x", "linear_2.y -> head.x",
                                          "lstm.y -> linear.x", "lstm_2.y -> linear_2.x", "text.mask -> lstm.mask",
                                          "text.mask -> lstm_2.mask", "text.targets -> head.targets",
                                          "text.tokens -> embedding.tokens"));
    for (const char* name : {"lstm", "lstm_2"})
        EXPECT_EQ(graph.findByName(name)->params.at("units"), ParamValue(std::int64_t{17}));
    EXPECT_EQ(graph.findByName("lstm")->place, (Place{600, 40}));
    EXPECT_GE(graph.findByName("lstm_2")->place.x, graph.findByName("linear")->place.x + 280) << "beside each other";
}

/// text -> embedding -> body x `repeat` -> head, where body holds an LSTM and a linear layer, and shows x, mask, y.
Graph repeated(std::int64_t repeat, bool shared = false)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    return must(edits::setRepeat(6, repeat, shared), graph);
}

TEST(UnrollGroup, MakesAChainOfGroups)
{
    Graph graph = must(edits::promoteParam(6, {"units", 3, "units"}), repeated(3));
    graph = must(edits::setParam(6, "units", std::int64_t{17}), graph);
    const Group whole = groupAt(graph, 6);
    graph = must(edits::unrollGroup(6, 250), graph);
    EXPECT_THAT(wires(graph), ElementsAre("body_1.y -> body_2.x", "body_2.y -> body_3.x", "body_3.y -> head.x",
                                          "embedding.y -> body_1.x", "text.mask -> body_1.mask",
                                          "text.mask -> body_2.mask", "text.mask -> body_3.mask",
                                          "text.targets -> head.targets", "text.tokens -> embedding.tokens"))
        << "the mask reaches every copy; x and y lead from one to the next";
    Group once = whole;
    once.repeat = 1;
    for (int i = 1; i <= 3; ++i) {
        const Node& copy = *graph.findByName("body_" + std::to_string(i));
        EXPECT_EQ(*copy.group, once);
        EXPECT_EQ(copy.params.at("units"), ParamValue(std::int64_t{17}));
        EXPECT_EQ(copy.place, (Place{600.0 + 250 * (i - 1), 40}));
        EXPECT_GT(copy.id, 6u) << "new numbers";
    }
}

TEST(UnrollGroup, TakesFreeNames)
{
    Graph graph = must(edits::addNode({.block = "linear", .name = "body_2"}), repeated(2));
    graph = must(edits::unrollGroup(6), graph);
    EXPECT_NE(graph.findByName("body_1"), nullptr);
    EXPECT_EQ(graph.findByName("body_2")->block, "linear");
    EXPECT_NE(graph.findByName("body_3"), nullptr);
}

TEST(UnrollGroup, SaysWhyNot)
{
    EXPECT_EQ(refusal(edits::unrollGroup(6), repeated(1)), "body is not repeated: there is nothing to unroll");
    const std::string shared =
        "the copies of body share one set of weights, which separate nodes cannot: turn shared weights off first";
    EXPECT_EQ(refusal(edits::unrollGroup(6), repeated(4, true)), shared);
    EXPECT_EQ(refusal(edits::unpackGroup(6), repeated(4, true)), shared);
    EXPECT_EQ(refusal(edits::unrollGroup(6), repeated(1'000'000'000)),
              "body is repeated 1000000000 times: groups of 1 to 1024 copies can be unrolled");
    EXPECT_THAT(refusal(edits::setRepeat(6, 0, false), repeated(1)), HasSubstr("repeat must be at least 1; it is 0"));
    const Graph reversible = must(edits::setReversible(6, true), repeated(3));
    EXPECT_TRUE(reversible.find(6)->group->reversible);
    EXPECT_EQ(reversible.find(6)->group->repeat, 3);
    EXPECT_EQ(must(edits::setReversible(6, false), reversible), repeated(3));
    EXPECT_NE(refusal(edits::setReversible(1, true), repeated(3)), "done") << "no group";
    EXPECT_THAT(refusal(edits::unrollGroup(1), repeated(2)), HasSubstr("text is not a group"));
}

/// What reaches every copy comes from outside of the group around: it gets an input for each.
TEST(UnrollGroup, InsideAnotherGroupItsPortsFollow)
{
    Graph graph = must(edits::promoteParam(6, {"units", 3, "units"}), repeated(2));
    graph = must(edits::makeGroup({6}, "outer"), graph);
    graph = must(edits::promoteParam(7, {"width", 6, "units"}), graph);
    const Graph before = graph;
    graph = must(edits::inside({7}, edits::unrollGroup(6)), graph);
    const Group& outer = groupAt(graph, 7);
    const NodeId first = outer.graph->findByName("body_1")->id, second = outer.graph->findByName("body_2")->id;
    EXPECT_THAT(outer.inputs, ElementsAre(PromotedPort{"x", {first, "x"}}, PromotedPort{"mask", {first, "mask"}},
                                          PromotedPort{"mask_2", {second, "mask"}}));
    EXPECT_THAT(outer.outputs, ElementsAre(PromotedPort{"y", {second, "y"}}));
    EXPECT_THAT(outer.params,
                ElementsAre(PromotedParam{"width", first, "units"}, PromotedParam{"width", second, "units"}));
    EXPECT_THAT(wires(graph), ElementsAre("embedding.y -> outer.x", "outer.y -> head.x", "text.mask -> outer.mask",
                                          "text.mask -> outer.mask_2", "text.targets -> head.targets",
                                          "text.tokens -> embedding.tokens"));
    Graph deep = must(edits::makeGroup({7}, "third"), before);
    deep = must(edits::inside({8, 7}, edits::unrollGroup(6)), deep);
    EXPECT_EQ(groupAt(deep, 8).inputs.size(), 3u) << "and so does every group around that";
    EXPECT_NE(deep.wireInto({8, "mask_2"}), nullptr);
    EXPECT_NE(groupAt(deep, 8).inputs[2].inner, groupAt(deep, 8).inputs[1].inner);
}

TEST(UnrollGroup, WhatCopiesOfTheGroupAroundWouldFeedOtherwiseIsRefused)
{
    Graph graph = repeated(2);
    graph = must(edits::makeGroup({6}, "outer"), graph);
    graph = must(edits::demoteInput(7, groupAt(graph, 7).inputs[0]), graph); // mask comes first, and y feeds it
    graph = must(edits::setRepeat(7, 3, false), graph);
    EXPECT_EQ(refusal(edits::inside({7}, edits::unrollGroup(6)), graph),
              "mask comes from the enclosing group, which is repeated, and would have to reach several nodes: unroll "
              "that group first");
}

TEST(Depth, SeventeenGroupsInEachOtherAreRefused)
{
    Graph graph = longModel().graph();
    NodeId innermost = 3;
    for (int depth = 1; depth <= 16; ++depth) {
        graph = must(edits::makeGroup({innermost}, "g"), graph);
        innermost = graph.nextId - 1;
    }
    EXPECT_EQ(refusal(edits::makeGroup({innermost}, "g"), graph), "groups can be nested 16 deep");
    EXPECT_EQ(
        refusal(edits::addNode({.block = "group",
                                .group = std::make_shared<const Group>(Group{std::make_shared<const Graph>(graph)})}),
                Graph()),
        "groups can be nested 16 deep");
    GroupPath path;
    const Graph* at = &graph;
    while (at->nodes.rbegin()->second->group) {
        path.push_back(at->nodes.rbegin()->first);
        at = at->nodes.rbegin()->second->group->graph.get();
    }
    EXPECT_EQ(path.size(), 16u);
    EXPECT_EQ(refusal(edits::inside(path, edits::makeGroup({3}, "g")), graph), "groups can be nested 16 deep");
    const auto json = readJson(writeJson(graphToJson(graph)), "");
    ASSERT_TRUE(json);
    EXPECT_EQ(*graphFromJson(*json, ""), graph);
}

} // namespace
} // namespace unroll
