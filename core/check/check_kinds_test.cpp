// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that run on sequences or on one vector a sequence, whichever comes in.
#include "core/check/check.h"

#include "core/check/test_findings.h"
#include "core/check/wiring.h"
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

BlockSpec either(BlockSpec spec)
{
    for (auto* side : {&spec.inputs, &spec.outputs})
        for (PortSpec& port : *side)
            port.orVector = port.type == PortType::Sequence;
    return spec;
}

/// Asks at every step, or once a sequence.
BlockSpec asking()
{
    BlockSpec spec = text();
    spec.params.push_back({.name = "ask",
                           .type = ParamType::Choice,
                           .defaultValue = std::string("every"),
                           .choices = {{"every", "At each step."}, {"last", "Once."}}});
    spec.infer = [](InferScope& scope) {
        inferText(scope);
        scope.output("targets",
                     {.type = PortType::Targets, .classes = 65, .onePerSequence = scope.text("ask") == "last"});
    };
    return spec;
}

BlockSpec pool()
{
    return {.id = "pool",
            .title = "Pool",
            .inputs = {port("x", PortType::Sequence)},
            .outputs = {port("y", PortType::Vector)},
            .causal = [](const Params&) { return false; },
            .infer =
                [](InferScope& scope) {
                    if (const Shape* x = scope.input("x"))
                        scope.output("y", {.type = PortType::Vector, .width = x->width});
                }};
}

BlockSpec append()
{
    return {.id = "append",
            .title = "Append",
            .inputs = {port("x", PortType::Sequence), port("vector", PortType::Vector)},
            .outputs = {port("y", PortType::Sequence)},
            .infer = [](InferScope& scope) {
                const Shape *x = scope.input("x"), *vector = scope.input("vector");
                if (x != nullptr && vector != nullptr)
                    scope.output("y", sequence(x->width + vector->width));
            }};
}

const BlockRegistry& kinds()
{
    static const auto* all = [] {
        auto* made = new BlockRegistry;
        for (BlockSpec spec :
             {asking(), embedding(), either(linear()), lstm(), pool(), append(), either(add()), either(head())})
            made->add(std::move(spec));
        return made;
    }();
    return *all;
}

CheckedGraph checkedKinds(const Graph& graph)
{
    return check(graph, kinds(), options());
}

/// text -> embedding -> lstm -> pool -> linear -> head.
GraphMaker classifier(const std::string& ask = "last")
{
    GraphMaker maker;
    maker.node("text", "text", {{"ask", ask}}).node("embedding", "embedding").node("lstm", "lstm").node("pool", "pool");
    maker.node("linear", "linear", {{"units", std::int64_t{8}}}).node("head", "head");
    maker.wire("text.tokens", "embedding.tokens").wire("embedding.y", "lstm.x").wire("lstm.y", "pool.x");
    maker.wire("pool.y", "linear.x").wire("linear.y", "head.x").wire("text.targets", "head.targets");
    return maker;
}

TEST(CheckKinds, OneVectorASequenceGoesThroughLayersToTheLoss)
{
    const GraphMaker maker = classifier();
    const CheckedGraph result = checkedKinds(maker.graph());
    EXPECT_THAT(findings(result), IsEmpty());
    EXPECT_TRUE(result.nodes.at(maker.id("linear")).onVectors);
    EXPECT_FALSE(result.nodes.at(maker.id("lstm")).onVectors);
    EXPECT_EQ(result.shapeAt(maker.end("linear.y"))->text(), "[B, 8]");
    EXPECT_EQ(result.shapeAt(maker.end("head.logits"))->text(), "[B, 65]");
}

/// A token's share of what runs once a sequence of 64.
TEST(CheckKinds, WhatRunsOnceASequenceCostsATokenItsShare)
{
    const CheckedGraph result = checkedKinds(classifier().graph());
    const CheckedNode& linear = result.nodes.at(5);
    EXPECT_EQ(linear.cost.parameters, 32 * 8 + 8);
    EXPECT_DOUBLE_EQ(linear.cost.forwardFlops, 2.0 * 32 * 8 / 64);
}

TEST(CheckKinds, TargetsAtEveryStepAreRefusedAndTheDataOfferToAskOnce)
{
    const Graph graph = classifier("every").graph();
    const Diagnostic error = only(checkedKinds(graph));
    EXPECT_EQ(error.code, "targets-per-step");
    EXPECT_EQ(placeOf(error), "head.targets");
    EXPECT_THAT(error.sentence,
                HasSubstr("head gets one vector per sequence, but text.targets has targets at more than one step"));
    EXPECT_EQ(error.fix->title, "Set ask to last");
    EXPECT_TRUE(checkedKinds(mended(graph, error)).runnable());
}

TEST(CheckKinds, StepsBesideAVectorAreToldAndPooledByAClick)
{
    GraphMaker maker = classifier();
    maker.node("add", "add").wire("pool.y", "add.a").wire("lstm.y", "add.b");
    Graph graph = must(edits::connect({maker.end("add.y"), maker.end("linear.x")}), maker.graph());
    const Diagnostic error = only(checkedKinds(graph));
    EXPECT_EQ(error.code, "kinds-differ");
    EXPECT_EQ(
        error.sentence,
        "add works on sequences or on one vector per sequence, not on both at once: b is a sequence, a is a vector");
    EXPECT_EQ(error.fix->title, "Insert Pool");
    EXPECT_TRUE(checkedKinds(mended(graph, error)).runnable());
}

TEST(CheckKinds, WhatNeedsStepsRefusesAVectorThatCameThroughLayers)
{
    GraphMaker maker = classifier();
    maker.node("lstm", "second").wire("linear.y", "second.x");
    const Graph graph = must(edits::connect({maker.end("second.y"), maker.end("head.x")}), maker.graph());
    EXPECT_EQ(only(checkedKinds(graph)).sentence, "second.x expects a sequence; linear.y gives a vector");
    maker.node("append", "append").wire("lstm.y", "append.x").wire("linear.y", "append.vector");
    EXPECT_TRUE(checkedKinds(must(edits::connect({maker.end("append.y"), maker.end("head.x")}),
                                  must(edits::removeNodes({maker.id("second")}), maker.graph())))
                    .runnable());
}

TEST(CheckKinds, AVectorGoesIntoGroupsAndOutOfThem)
{
    const GraphMaker maker = classifier();
    const Graph graph = must(edits::makeGroup({maker.id("linear")}, "body"), maker.graph());
    const CheckedGraph result = checkedKinds(graph);
    EXPECT_THAT(findings(result), IsEmpty());
    const NodeId body = graph.findByName("body")->id;
    EXPECT_EQ(result.nodes.at(body).outputs.begin()->second.text(), "[B, 8]");
    EXPECT_TRUE(result.nodes.at(body).inner->nodes.at(maker.id("linear")).onVectors);
}

TEST(CheckKinds, WiresAreOfferedByWhatAnOutputCarries)
{
    const GraphMaker maker = classifier();
    const auto into = wirePartners(maker.graph(), kinds(), {maker.end("linear.y"), true});
    EXPECT_TRUE(into.contains(maker.end("head.x")));
    EXPECT_FALSE(into.contains(maker.end("lstm.x"))) << "it is a vector";
    const auto from = wirePartners(maker.graph(), kinds(), {maker.end("linear.x"), false});
    EXPECT_TRUE(from.contains(maker.end("pool.y")));
    EXPECT_TRUE(from.contains(maker.end("lstm.y")));
    EXPECT_FALSE(from.contains(maker.end("text.tokens")));
    EXPECT_FALSE(wireFault(maker.graph(), kinds(), {maker.end("pool.y"), maker.end("head.x")}));
    const auto fault = wireFault(maker.graph(), kinds(), {maker.end("pool.y"), maker.end("lstm.x")});
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->sentence, "lstm.x expects a sequence; pool.y gives a vector");
}

/// A vector is known after the last step, however many layers it went through.
TEST(CheckKinds, BeforeANextTokenLossTheyAreLate)
{
    BlockRegistry ahead;
    for (BlockSpec spec : {text(), embedding(), either(linear()), lstm(), pool(), append(), either(head())})
        ahead.add(std::move(spec));
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding").node("pool", "pool").node("linear", "linear");
    maker.node("append", "append").node("head", "head");
    maker.wire("text.tokens", "embedding.tokens").wire("embedding.y", "pool.x").wire("pool.y", "linear.x");
    maker.wire("linear.y", "append.vector").wire("embedding.y", "append.x").wire("append.y", "head.x");
    maker.wire("text.targets", "head.targets");
    const Diagnostic error = only(check(maker.graph(), ahead, options()));
    EXPECT_EQ(error.code, "not-causal");
    EXPECT_THAT(error.sentence, HasSubstr("linear.y is known only after the last step"));
}

} // namespace
} // namespace unroll
