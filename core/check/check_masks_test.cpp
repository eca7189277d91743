// SPDX-License-Identifier: GPL-3.0-or-later
// Sequences that differ in length, and blocks that would take their padding for steps.
#include "core/check/check.h"

#include "core/check/test_findings.h"
#include "core/graph/test_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_edits;
using namespace testing_check;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Data whose targets ask for nothing that comes later.
const BlockRegistry& labelled()
{
    static const auto* all = [] {
        auto* made = new BlockRegistry;
        BlockSpec data = text();
        data.infer = [](InferScope& scope) {
            inferText(scope);
            scope.output("targets", {.type = PortType::Targets, .classes = 65});
        };
        for (BlockSpec spec : {data, embedding(), linear(), lstm(), attention(), head()})
            made->add(std::move(spec));
        return made;
    }();
    return *all;
}

CheckedGraph padded(const Graph& graph, bool pads = true)
{
    CheckOptions with = options();
    with.sourceFacts = [pads](const std::string& block, const Params& params) {
        SourceFacts found = facts(block, params);
        found.pads = pads;
        return found;
    };
    return check(graph, labelled(), with);
}

GraphMaker bidirectional()
{
    GraphMaker made;
    made.node("text", "text").node("embedding", "embedding");
    made.node("lstm", "lstm", {{"units", std::int64_t{48}}, {"bidirectional", true}}).node("head", "head");
    made.wire("text.tokens", "embedding.tokens").wire("embedding.y", "lstm.x").wire("lstm.y", "head.x");
    made.wire("text.targets", "head.targets");
    return made;
}

TEST(CheckMasks, WhatReadsToTheEndIsToldOfPaddingAndMendedByAClick)
{
    const Graph graph = bidirectional().graph();
    const CheckedGraph result = padded(graph);
    EXPECT_TRUE(result.runnable()) << "a warning";
    ASSERT_THAT(findings(result),
                ElementsAre("warning mask-free lstm.mask: lstm reads each sequence to its end, and sequences of text "
                            "differ in length: wire text.mask to lstm.mask, or padding is read as steps"));
    EXPECT_EQ(result.diagnostics.front().fix->title, "Connect text.mask");
    EXPECT_THAT(findings(padded(mended(graph, result.diagnostics.front()))), IsEmpty());
}

TEST(CheckMasks, WithoutPaddingOrAWayBackThereIsNothingToTell)
{
    EXPECT_THAT(findings(padded(bidirectional().graph(), false)), IsEmpty());
    EXPECT_THAT(findings(padded(characterModel().graph())), IsEmpty())
        << "what comes after the last step is not scored";
}

TEST(CheckMasks, AStateThatGoesOnIsThatBehindThePadding)
{
    EXPECT_THAT(findings(padded(encoderAndDecoder().graph())),
                ElementsAre(HasSubstr("mask-free enc.mask: the final state of enc is used, and")));
}

TEST(CheckMasks, InsideGroupsTheMaskIsWiredThroughThem)
{
    const GraphMaker maker = bidirectional();
    Graph graph = must(edits::makeGroup({maker.id("lstm")}, "inner"), maker.graph());
    graph = must(edits::makeGroup({graph.findByName("inner")->id}, "outer"), graph);
    const CheckedGraph result = padded(graph);
    ASSERT_EQ(result.diagnostics.size(), 1u);
    EXPECT_EQ(nodePath(result.diagnostics.front()), "outer.inner.lstm");
    const Graph wired = mended(graph, result.diagnostics.front());
    EXPECT_THAT(findings(padded(wired)), IsEmpty());
    EXPECT_EQ(wired.wires.size(), graph.wires.size() + 1);
}

/// A new input would stand beside the state that each copy hands to the next.
TEST(CheckMasks, ARepeatedGroupIsWarnedOfAndLeftAlone)
{
    const GraphMaker maker = bidirectional();
    Graph graph = must(edits::makeGroup({maker.id("lstm")}, "body"), maker.graph());
    const NodeId body = graph.findByName("body")->id, lstm = graph.find(body)->group->graph->findByName("lstm")->id;
    graph = must(edits::promoteOutput(body, {"state", {lstm, "state"}}), graph);
    graph = must(edits::setParam(maker.id("embedding"), "width", std::int64_t{96}), graph);
    graph = must(edits::setRepeat(body, 2, false), graph);
    const CheckedGraph result = padded(graph);
    ASSERT_THAT(findings(result), ElementsAre(HasSubstr("mask-free lstm.mask")));
    EXPECT_FALSE(result.diagnostics.front().fix);
}

} // namespace
} // namespace unroll
