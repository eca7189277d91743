// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters that differ from copy to copy of a repeated group.
#include "core/check/kept_state.h"
#include "core/check/test_findings.h"
#include "core/graph/test_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_check;
using namespace testing_edits;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// text -> embedding -> [lstm -> linear] x 4 -> head; the group is node 6, its nodes 3 and 4.
Graph fourCopies()
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding").node("lstm", "lstm", {{"units", std::int64_t{48}}});
    maker.node("linear", "linear").node("head", "head");
    maker.wire("text.tokens", "embedding.tokens").wire("embedding.y", "lstm.x").wire("lstm.y", "linear.x");
    maker.wire("linear.y", "head.x").wire("text.targets", "head.targets");
    return must(edits::setRepeat(6, 4, false), must(edits::makeGroup({3, 4}, "body"), maker.graph()));
}

Graph copiesWith(NodeId node, const std::string& param, ParamValue value, const Graph& graph = fourCopies())
{
    return must(edits::inside({6}, edits::setParam(node, param, std::move(value))), graph);
}

/// The one error, which its fix mends.
std::string mendedCopies(const Graph& graph)
{
    const Diagnostic fault = only(checked(graph));
    EXPECT_TRUE(checked(mended(graph, fault)).runnable()) << fault.sentence;
    return fault.sentence;
}

TEST(CheckCopies, EveryCopyHasItsOwnValue)
{
    const Graph graph = copiesWith(3, "units", listedNumbers({16, 16, 48, 24}));
    const CheckedGraph result = checked(graph), unrolled = checked(must(edits::unrollGroup(6), graph));
    EXPECT_THAT(findings(result), IsEmpty());
    const CheckedNode& body = result.nodes.at(6);
    ASSERT_EQ(body.copies.size(), 4u);
    EXPECT_EQ(body.copies[0], body.copies[1]) << "alike, so one object";
    EXPECT_EQ(body.copies[0], body.inner);
    EXPECT_EQ(body.inCopy(3).nodes.at(3).params.at("units"), ParamValue(std::int64_t{48}));
    EXPECT_EQ(body.inCopy(4).shapeAt({3, "y"})->width, 24);
    EXPECT_EQ(result.cost, unrolled.cost);
    EXPECT_EQ(result.trainingBytes, unrolled.trainingBytes);
    EXPECT_EQ(stateNumbers(result, graph), 2 * (16 + 16 + 48 + 24));
    const auto unlike = body.unlikeCopies();
    ASSERT_EQ(unlike.size(), 3u);
    EXPECT_EQ(unlike[0].text(), "copies 1, 2");
    EXPECT_EQ(unlike[2].text(), "copy 4");
}

TEST(CheckCopies, WithoutSuchValuesAllCopiesAreOne)
{
    const CheckedGraph result = checked(fourCopies());
    EXPECT_THAT(result.nodes.at(6).copies, IsEmpty());
    ASSERT_EQ(result.nodes.at(6).unlikeCopies().size(), 1u);
    EXPECT_EQ(result.nodes.at(6).unlikeCopies()[0].text(), "");
    EXPECT_EQ(&result.nodes.at(6).inCopy(4), result.nodes.at(6).inner.get());
    EXPECT_THAT(result.nodes.at(3 - 1).unlikeCopies(), IsEmpty());
}

TEST(CheckCopies, RulesFollowTheNumberOfCopies)
{
    const ByCopy wideAtTheEnd{ByCopy::Rule::Last, 1, {std::int64_t{64}, std::int64_t{16}}};
    const Graph graph = must(edits::setRepeat(6, 6, false), copiesWith(3, "units", wideAtTheEnd));
    const CheckedGraph result = checked(graph);
    EXPECT_TRUE(result.runnable());
    EXPECT_EQ(result.nodes.at(6).inCopy(6).nodes.at(3).params.at("units"), ParamValue(std::int64_t{64}));
    EXPECT_EQ(result.nodes.at(6).inCopy(5).nodes.at(3).params.at("units"), ParamValue(std::int64_t{16}));
}

TEST(CheckCopies, AGroupsOwnValueCountsItsCopies)
{
    Graph graph = must(edits::promoteParam(6, {"width", 3, "units"}), fourCopies());
    graph = must(edits::setParam(6, "width", listedNumbers({16, 16, 48, 24})), graph);
    const CheckedGraph result = checked(graph),
                       within = checked(copiesWith(3, "units", listedNumbers({16, 16, 48, 24})));
    EXPECT_TRUE(result.runnable());
    EXPECT_EQ(result.cost, within.cost);
}

TEST(CheckCopies, WhatIsWrongIsSaidAtTheNode)
{
    EXPECT_EQ(mendedCopies(copiesWith(3, "units", listedNumbers({16, 32, 48}))),
              "units has 3 values for the 4 copies of body (16, 32, 48)");
    EXPECT_EQ(mendedCopies(copiesWith(3, "units", listedNumbers({16, 0, 48, 48}))),
              "units must be at least 1; it is 0 (16, 0, 48, 48)");
    EXPECT_EQ(mendedCopies(copiesWith(3, "units", listed({std::int64_t{16}, std::string("many"), true, 2.5}))),
              "units must be a whole number; it is \"many\" (16, many, true, 2.5)");
    EXPECT_EQ(mendedCopies(copiesWith(3, "units", ByCopy{ByCopy::Rule::Every, 0, {std::int64_t{8}, std::int64_t{9}}})),
              "units must count at least 1 of the 4 copies of body (8 every 0 else 9)");
    const Diagnostic fault = only(checked(copiesWith(3, "units", listedNumbers({16, 0, 48, 48}))));
    EXPECT_EQ(fault.nodeName, "lstm");
    EXPECT_EQ(fault.where, "units");
    EXPECT_THAT(fault.group, ElementsAre(6));
}

TEST(CheckCopies, OnlyCopiesCanDiffer)
{
    const Graph once = must(edits::setRepeat(6, 1, false), copiesWith(3, "units", listedNumbers({16, 32, 48, 48})));
    EXPECT_EQ(mendedCopies(once), "units differs by copy, but lstm is not in a repeated group");
    const Graph shared = must(edits::setRepeat(6, 4, true), copiesWith(3, "units", listedNumbers({16, 32, 48, 48})));
    EXPECT_EQ(mendedCopies(shared), "units cannot differ by copy: the copies of body share one set of weights");
    const Graph outside = must(edits::setParam(2, "width", listedNumbers({32, 32})), fourCopies());
    EXPECT_EQ(only(checked(outside)).sentence, "width differs by copy, but embedding is not in a repeated group");
}

TEST(CheckCopies, PortsMustStay)
{
    Graph graph =
        must(edits::inside({6}, edits::addNode({.id = 9, .block = "embedding", .name = "table"})), fourCopies());
    graph = must(edits::inside({6}, edits::setParam(9, "share_table", listed({true, false, true, true}))), graph);
    const auto all = findings(checked(graph));
    EXPECT_THAT(all,
                ::testing::Contains("bad-parameter table.share_table: share_table cannot differ by copy: it decides "
                                    "which ports table has"));
}

/// What one copy gives must be what the next takes; the copy is named.
TEST(CheckCopies, EveryCopyMustFitTheNext)
{
    EXPECT_EQ(only(checked(copiesWith(4, "units", listedNumbers({32, 32, 40, 32})))).sentence,
              "body is repeated, so y must match x: it gives [T, B, 40], but x expects [T, B, 32] (copy 3)");
    EXPECT_THAT(findings(checked(copiesWith(4, "units", listedNumbers({32, 32, 32, 40})))).front(),
                HasSubstr("(copy 4)"));
}

/// A mistake of some copies alone is found there, and says which.
TEST(CheckCopies, FindingsNameTheirCopies)
{
    const Graph graph = copiesWith(3, "bidirectional", listed({false, true, false, true}));
    const Diagnostic fault = only(checked(graph));
    EXPECT_EQ(fault.code, "not-causal");
    EXPECT_THAT(fault.sentence, HasSubstr("(copies 2, 4)"));
    EXPECT_TRUE(checked(mended(graph, fault)).runnable());
    EXPECT_THAT(only(checked(copiesWith(3, "bidirectional", listed({false, false, false, true})))).sentence,
                HasSubstr("(copy 4)"))
        << "the last copy, which the loss alone reads";
    EXPECT_THAT(only(checked(copiesWith(3, "bidirectional", listed({true, false, false, false})))).sentence,
                HasSubstr("(copy 1)"))
        << "a copy that only the next one reads";
    EXPECT_EQ(only(checked(copiesWith(3, "bidirectional", listed({true, true, true, true})))).sentence.find("(cop"),
              std::string::npos)
        << "the same in all";
}

TEST(CheckCopies, TheInnermostRepeatedGroupIsCounted)
{
    Graph graph = must(edits::inside({6}, edits::makeGroup({3}, "cell")),
                       copiesWith(3, "units", listedNumbers({16, 32, 48, 24})));
    EXPECT_TRUE(checked(graph).runnable()) << "cell is not repeated";
    const NodeId cell = graph.find(6)->group->graph->findByName("cell")->id;
    graph = must(edits::inside({6, cell}, edits::setParam(3, "units", listedNumbers({32, 32}))), graph);
    graph = must(edits::inside({6}, edits::setRepeat(cell, 2, false)), graph);
    EXPECT_TRUE(checked(graph).runnable());
    graph = must(edits::inside({6, cell}, edits::setParam(3, "dropout", listed({0.0, 0.1, 0.2, 0.3}))), graph);
    EXPECT_EQ(only(checked(graph)).sentence, "dropout has 4 values for the 2 copies of cell (0, 0.1, 0.2, 0.3)");
}

} // namespace
} // namespace unroll
