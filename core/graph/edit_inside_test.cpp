// SPDX-License-Identifier: GPL-3.0-or-later
// Edits inside a group, and what it shows of its inside: ports and parameters.
#include "core/graph/edit.h"

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
using ::testing::IsEmpty;

TEST(Inside, EditsTheSubGraphOnly)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    const Graph outside = graph;
    graph = must(edits::inside({6}, edits::setParam(3, "units", std::int64_t{9})), graph);
    EXPECT_EQ(groupAt(graph, 6).graph->find(3)->params.at("units"), ParamValue(std::int64_t{9}));
    EXPECT_THAT(groupAt(outside, 6).graph->find(3)->params, IsEmpty());
    EXPECT_EQ(wires(graph), wires(outside));
    EXPECT_THAT(refusal(edits::inside({3}, edits::setParam(3, "u", true)), graph), HasSubstr("no node 3"));
    EXPECT_THAT(refusal(edits::inside({6, 3}, edits::setParam(3, "u", true)), graph), HasSubstr("lstm is not a group"));
}

TEST(Inside, PortsGoWithTheNodesTheyStoodFor)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::promoteParam(6, {"units", 3, "units"}), graph);
    graph = must(edits::setParam(6, "units", std::int64_t{17}), graph);
    graph = must(edits::makeGroup({6}, "outer"), graph);
    graph = must(edits::inside({7, 6}, edits::removeNodes({3})), graph);
    EXPECT_THAT(groupAt(*groupAt(graph, 7).graph, 6).inputs, IsEmpty());
    EXPECT_THAT(groupAt(*groupAt(graph, 7).graph, 6).params, IsEmpty());
    EXPECT_THAT(groupAt(*groupAt(graph, 7).graph, 6).graph->wires, IsEmpty());
    EXPECT_THAT(groupAt(*groupAt(graph, 7).graph, 6).outputs, ElementsAre(PromotedPort{"y", {4, "y"}}));
    EXPECT_THAT(groupAt(graph, 7).inputs, IsEmpty());
    EXPECT_THAT(groupAt(graph, 7).graph->find(6)->params, IsEmpty());
    EXPECT_THAT(wires(graph),
                ElementsAre("outer.y -> head.x", "text.targets -> head.targets", "text.tokens -> embedding.tokens"));
}

TEST(Inside, GroupingWithinAGroupKeepsItsPorts)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::promoteParam(6, {"width", 3, "units"}), graph);
    graph = must(edits::setParam(6, "width", std::int64_t{17}), graph);
    const Graph before = graph;
    graph = must(edits::inside({6}, edits::makeGroup({3}, "cell")), graph);
    EXPECT_EQ(wires(graph), wires(before));
    EXPECT_THAT(groupAt(graph, 6).inputs, ElementsAre(PromotedPort{"x", {6, "x"}}, PromotedPort{"mask", {6, "mask"}}));
    EXPECT_THAT(groupAt(graph, 6).params, ElementsAre(PromotedParam{"width", 6, "units"}));
    EXPECT_THAT(groupAt(*groupAt(graph, 6).graph, 6).params, ElementsAre(PromotedParam{"units", 3, "units"}));

    graph = must(edits::inside({6}, edits::unpackGroup(6)), graph);
    EXPECT_EQ(wires(graph), wires(before));
    const NodeId cell = groupAt(graph, 6).graph->findByName("lstm")->id;
    EXPECT_THAT(groupAt(graph, 6).inputs,
                ElementsAre(PromotedPort{"x", {cell, "x"}}, PromotedPort{"mask", {cell, "mask"}}));
    EXPECT_THAT(groupAt(graph, 6).params, ElementsAre(PromotedParam{"width", cell, "units"}));
    EXPECT_EQ(graph.find(6)->params.at("width"), ParamValue(std::int64_t{17}));
}

TEST(Inside, HealingAtTheEdgeMovesThePort)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    const Graph first = must(edits::inside({6}, edits::removeAndHeal(3, "x", "y")), graph);
    EXPECT_THAT(groupAt(first, 6).inputs, ElementsAre(PromotedPort{"x", {4, "x"}}));
    EXPECT_THAT(wires(first), ElementsAre("body.y -> head.x", "embedding.y -> body.x", "text.targets -> head.targets",
                                          "text.tokens -> embedding.tokens"));
    const Graph last = must(edits::inside({6}, edits::removeAndHeal(4)), graph);
    EXPECT_THAT(groupAt(last, 6).outputs, ElementsAre(PromotedPort{"y", {3, "y"}}));
    EXPECT_EQ(wires(last), wires(graph));
}

TEST(Inside, WiringAPromotedInputTakesThePortBack)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::inside({6}, edits::connect({{4, "y"}, {3, "x"}})), graph);
    EXPECT_THAT(groupAt(graph, 6).inputs, ElementsAre(PromotedPort{"mask", {3, "mask"}}));
}

TEST(Promote, AddsAndTakesBackPorts)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::promoteInput(6, {"state", {3, "state"}}), graph);
    graph = must(edits::promoteOutput(6, {"state", {3, "state"}}), graph);
    EXPECT_EQ(groupAt(graph, 6).inputs.size(), 3u);
    EXPECT_THAT(refusal(edits::promoteInput(6, {"state", {3, "state"}}), graph), HasSubstr("has a port state already"));
    EXPECT_THAT(refusal(edits::promoteInput(6, {"s", {3, "state"}}), graph), HasSubstr("has a source already"));
    EXPECT_THAT(refusal(edits::promoteInput(6, {"s", {4, "x"}}), graph), HasSubstr("has a source already"));
    graph = must(edits::demoteInput(6, {"x", {3, "x"}}), graph);
    graph = must(edits::demoteOutput(6, {"y", {4, "y"}}), graph);
    EXPECT_THAT(wires(graph), ElementsAre("text.mask -> body.mask", "text.targets -> head.targets",
                                          "text.tokens -> embedding.tokens"));
    EXPECT_THAT(refusal(edits::demoteOutput(6, {"y", {4, "y"}}), graph), HasSubstr("no such port"));
}

TEST(Promote, TakingAParameterBackKeepsItsValue)
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::promoteParam(6, {"units", 3, "units"}), graph);
    graph = must(edits::promoteParam(6, {"units", 4, "units"}), graph);
    graph = must(edits::setParam(6, "units", std::int64_t{17}), graph);
    graph = must(edits::demoteParam(6, {"units", 3, "units"}), graph);
    EXPECT_EQ(groupAt(graph, 6).graph->find(3)->params.at("units"), ParamValue(std::int64_t{17}));
    EXPECT_EQ(graph.find(6)->params.at("units"), ParamValue(std::int64_t{17})) << "the other one is still set by it";
    graph = must(edits::demoteParam(6, {"units", 4, "units"}), graph);
    EXPECT_EQ(groupAt(graph, 6).graph->find(4)->params.at("units"), ParamValue(std::int64_t{17}));
    EXPECT_THAT(graph.find(6)->params, IsEmpty());
}

TEST(Promote, RenamingIsFollowed)
{
    using edits::Promoted;
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::promoteParam(6, {"units", 3, "units"}), graph);
    graph = must(edits::setParam(6, "units", std::int64_t{17}), graph);
    graph = must(edits::makeGroup({6}, "outer"), graph);
    graph = must(edits::promoteParam(7, {"width", 6, "units"}), graph);
    graph = must(edits::inside({7}, edits::renamePromoted(6, Promoted::Input, "mask", "keep")), graph);
    graph = must(edits::inside({7}, edits::renamePromoted(6, Promoted::Output, "y", "out")), graph);
    graph = must(edits::inside({7}, edits::renamePromoted(6, Promoted::Param, "units", "size")), graph);
    graph = must(edits::renamePromoted(7, Promoted::Output, "y", "result"), graph);
    const Group &outer = groupAt(graph, 7), &body = groupAt(*outer.graph, 6);
    EXPECT_THAT(body.inputs, ElementsAre(PromotedPort{"x", {3, "x"}}, PromotedPort{"keep", {3, "mask"}}));
    EXPECT_THAT(outer.inputs, ElementsAre(PromotedPort{"x", {6, "x"}}, PromotedPort{"mask", {6, "keep"}}));
    EXPECT_THAT(outer.outputs, ElementsAre(PromotedPort{"result", {6, "out"}}));
    EXPECT_THAT(outer.params, ElementsAre(PromotedParam{"width", 6, "size"}));
    EXPECT_EQ(outer.graph->find(6)->params.at("size"), ParamValue(std::int64_t{17}));
    EXPECT_THAT(wires(graph), ElementsAre("embedding.y -> outer.x", "outer.result -> head.x", "text.mask -> outer.mask",
                                          "text.targets -> head.targets", "text.tokens -> embedding.tokens"));
    EXPECT_EQ(refusal(edits::renamePromoted(7, Promoted::Input, "mask", "x"), graph), "the group has a port x already");
    EXPECT_EQ(refusal(edits::renamePromoted(7, Promoted::Input, "mask", "x y"), graph),
              "\"x y\" cannot name a port: a letter, then letters, digits and _");
    EXPECT_EQ(refusal(edits::renamePromoted(7, Promoted::Param, "nosuch", "a"), graph),
              "the group has no such parameter nosuch");
}

/// One value for two nodes: what only one of them had been given stays with it.
TEST(Promote, ParametersAreJoinedByName)
{
    using edits::Promoted;
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::promoteParam(6, {"units", 3, "units"}), graph);
    graph = must(edits::promoteParam(6, {"out", 4, "units"}), graph);
    graph = must(edits::setParam(6, "out", std::int64_t{17}), graph);
    graph = must(edits::renamePromoted(6, Promoted::Param, "out", "units"), graph);
    EXPECT_THAT(groupAt(graph, 6).params,
                ElementsAre(PromotedParam{"units", 3, "units"}, PromotedParam{"units", 4, "units"}));
    EXPECT_EQ(groupAt(graph, 6).graph->find(4)->params.at("units"), ParamValue(std::int64_t{17}));
    EXPECT_THAT(groupAt(graph, 6).graph->find(3)->params, IsEmpty());
    EXPECT_THAT(graph.find(6)->params, IsEmpty());
}

TEST(Promote, PortsAreMovedInTheirList)
{
    using edits::Promoted;
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    graph = must(edits::promoteInput(6, {"state", {3, "state"}}), graph);
    graph = must(edits::movePromoted(6, Promoted::Input, "state", -1), graph);
    EXPECT_THAT(groupAt(graph, 6).inputs, ElementsAre(PromotedPort{"x", {3, "x"}}, PromotedPort{"state", {3, "state"}},
                                                      PromotedPort{"mask", {3, "mask"}}));
    graph = must(edits::movePromoted(6, Promoted::Input, "x", 9), graph);
    EXPECT_EQ(groupAt(graph, 6).inputs.back().name, "x");
    EXPECT_EQ(refusal(edits::movePromoted(6, Promoted::Output, "x", 1), graph), "the group exposes no x");
}

} // namespace
} // namespace unroll
