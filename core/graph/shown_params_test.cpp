// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/shown_params.h"

#include "core/graph/test_edits.h"

#include <gmock/gmock.h>

namespace unroll {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_edits::must;
using testing_edits::refusal;

Node makeNode(NodeId id, const char* name, Params params = {})
{
    return {.id = id, .block = "lstm", .name = name, .params = std::move(params)};
}

/// outer (4) holds body (3), which holds lstm (1, units 32) and lstm_2 (2).
Graph nested()
{
    Graph graph;
    graph.addNode(makeNode(1, "lstm", {{"units", std::int64_t{32}}}));
    graph.addNode(makeNode(2, "lstm_2"));
    graph.nextId = 3;
    return must(edits::makeGroup({3}, "outer"), must(edits::makeGroup({1, 2}, "body"), graph));
}

const GroupPath inBody{4, 3};

const Params& paramsOf(const Graph& graph, const GroupPath& path, NodeId id)
{
    const Graph* level = &graph;
    for (const NodeId group : path)
        level = level->find(group)->group->graph.get();
    return level->find(id)->params;
}

} // namespace

/// The value of the outermost group that has one counts.
TEST(ShownParams, TheSetterIsTheOutermost)
{
    Graph graph = must(edits::showParam(inBody, 1, "units"), nested());
    EXPECT_FALSE(setterOf(graph, inBody, 1, "units"));
    EXPECT_EQ(shownParams(graph, inBody, 1, "units").size(), 1U);
    graph = must(edits::inside({4}, edits::setParam(3, "units", std::int64_t{64})), graph);
    auto setter = setterOf(graph, inBody, 1, "units");
    ASSERT_TRUE(setter);
    EXPECT_EQ(setter->path, GroupPath{4});
    EXPECT_EQ(setter->group, 3U);
    EXPECT_EQ(*setter->value, ParamValue(std::int64_t{64}));
    graph = must(edits::showParam({4}, 3, "units"), graph);
    EXPECT_EQ(setterOf(graph, inBody, 1, "units")->group, 3U) << "outer shows it and sets nothing";
    graph = must(edits::setParam(4, "units", std::int64_t{96}), graph);
    setter = setterOf(graph, inBody, 1, "units");
    EXPECT_EQ(setter->path, GroupPath{});
    EXPECT_EQ(setter->group, 4U);
    EXPECT_EQ(paramsInForce(graph, inBody, *graph.find(4)->group->graph->find(3)->group->graph->find(1)).at("units"),
              ParamValue(std::int64_t{96}));
    EXPECT_EQ(groupNames(graph, inBody), "outer.body");
    EXPECT_FALSE(setterOf(graph, inBody, 2, "units"));
    EXPECT_FALSE(setterOf(graph, {4, 9}, 1, "units"));
}

TEST(ShownParams, ATakenNameGetsTheNodesBeforeIt)
{
    Graph graph = must(edits::showParam(inBody, 1, "units"), nested());
    graph = must(edits::showParam(inBody, 2, "units"), graph);
    const Group& body = *graph.find(4)->group->graph->find(3)->group;
    EXPECT_THAT(body.params,
                ElementsAre(PromotedParam{"units", 1, "units"}, PromotedParam{"lstm_2_units", 2, "units"}));
    EXPECT_EQ(refusal(edits::showParam(inBody, 1, "units"), graph), "units is promoted already, as units");
    EXPECT_EQ(refusal(edits::showParam({}, 4, "units"), graph), "no enclosing group can expose units");
}

/// Also where it was set further out.
TEST(ShownParams, TakingBackKeepsTheValueThatCounts)
{
    Graph graph = must(edits::showParam(inBody, 1, "units"), nested());
    graph = must(edits::showParam({4}, 3, "units"), graph);
    graph = must(edits::inside({4}, edits::setParam(3, "units", std::int64_t{64})), graph);
    graph = must(edits::setParam(4, "units", std::int64_t{96}), graph);
    graph = must(edits::takeBackParam(inBody, 1, "units"), graph);
    EXPECT_EQ(paramsOf(graph, inBody, 1).at("units"), ParamValue(std::int64_t{96}));
    EXPECT_THAT(paramsOf(graph, {4}, 3), IsEmpty());
    EXPECT_THAT(paramsOf(graph, {}, 4), IsEmpty());
    EXPECT_THAT(graph.find(4)->group->params, IsEmpty());
    EXPECT_EQ(refusal(edits::takeBackParam(inBody, 1, "units"), graph), "no group exposes units");
}

/// Two that one value sets are one place in the list.
TEST(ShownParams, MovingGoesByNames)
{
    using edits::Promoted;
    Graph graph = must(edits::showParam(inBody, 1, "units"), nested());
    graph = must(edits::inside({4}, edits::promoteParam(3, {"bias", 1, "bias"})), graph);
    graph = must(edits::inside({4}, edits::promoteParam(3, {"units", 2, "units"})), graph);
    graph = must(edits::inside({4}, edits::movePromoted(3, Promoted::Param, "units", 1)), graph);
    EXPECT_THAT(graph.find(4)->group->graph->find(3)->group->params,
                ElementsAre(PromotedParam{"bias", 1, "bias"}, PromotedParam{"units", 1, "units"},
                            PromotedParam{"units", 2, "units"}));
}

} // namespace unroll
