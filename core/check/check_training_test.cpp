// SPDX-License-Identifier: GPL-3.0-or-later
// Data, loss, causality and size: what decides whether a graph can be trained.
#include "core/check/check.h"

#include "core/check/test_findings.h"
#include "core/graph/graph_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace unroll {
namespace {

using namespace testing_check;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Check, DataAndLossStandThereOnce)
{
    EXPECT_THAT(findings(checked(Graph())), ElementsAre("no-data : there is no data: add a data block",
                                                        "no-loss : there is no loss to train: add Output head"));
    const Graph headless = mended(Graph(), checked(Graph()).diagnostics[1]);
    EXPECT_EQ(headless.find(1)->block, "head");
    GraphMaker maker = characterModel();
    maker.node("text", "other")
        .node("head", "second")
        .wire("lstm.y", "second.x")
        .wire("other.targets", "second.targets");
    const CheckedGraph result = checked(maker.graph());
    EXPECT_THAT(findings(result), ElementsAre("several-data other: a graph has one data node: text and other are two",
                                              "several-losses second: a graph has one loss: head and second are two"));
    EXPECT_TRUE(checked(mended(mended(maker.graph(), result.diagnostics[0]), result.diagnostics[1])).runnable());
}

TEST(Check, NodesThatTrainNothingAreWarnedOf)
{
    GraphMaker maker = characterModel();
    maker.node("lstm", "side").wire("embedding.y", "side.x").node("linear", "on").wire("side.y", "on.x");
    const CheckedGraph result = checked(maker.graph());
    EXPECT_THAT(findings(result),
                ElementsAre("warning unused side: side does not affect the loss, so it is not trained",
                            "warning unused on: on does not affect the loss, so it is not trained"));
    EXPECT_TRUE(result.runnable());
}

TEST(Check, DataThatCannotBeUsed)
{
    const Graph graph = with(characterModel().graph(), 1, "path", std::string("missing.txt"));
    const Diagnostic fault = only(checked(graph));
    EXPECT_EQ(fault.sentence, "there is no file missing.txt");
    EXPECT_EQ(fault.where, "path");
    EXPECT_EQ(checked(graph).shapeAt({1, "tokens"}), nullptr);
    const Diagnostic unknown = only(checked(characterModel().graph(), {}));
    EXPECT_EQ(unknown.code, "data-unknown");
    EXPECT_EQ(checked(characterModel().graph(), {}).shapeAt({3, "y"})->width, 48)
        << "what does not depend on the data is known";
}

TEST(Check, AMistakeIsSaidOnce)
{
    GraphMaker maker;
    maker.node("text", "text")
        .node("embedding", "embedding", {{"width", std::int64_t{0}}})
        .node("attention", "attention")
        .node("head", "head");
    maker.wire("text.tokens", "embedding.tokens")
        .wire("embedding.y", "attention.x")
        .wire("attention.y", "head.x")
        .wire("text.targets", "head.targets");
    EXPECT_THAT(findings(checked(maker.graph())),
                ElementsAre("bad-parameter embedding.width: width must be at least 1; it is 0"));
}

TEST(Check, BlocksReportWhatConcernsSeveralParameters)
{
    GraphMaker maker;
    maker.node("text", "text")
        .node("embedding", "embedding", {{"width", std::int64_t{30}}})
        .node("attention", "attention")
        .node("head", "head");
    maker.wire("text.tokens", "embedding.tokens")
        .wire("embedding.y", "attention.x")
        .wire("attention.y", "head.x")
        .wire("text.targets", "head.targets");
    const Diagnostic fault = only(checked(maker.graph()));
    EXPECT_EQ(fault.sentence, "num_heads = 4 does not divide width = 30");
    EXPECT_EQ(fault.nodeName, "attention");
    EXPECT_EQ(fault.where, "num_heads");
    EXPECT_TRUE(checked(mended(maker.graph(), fault)).runnable());
}

TEST(Check, BlocksOfferABlockToInsert)
{
    GraphMaker maker = characterModel();
    maker.node("add", "sum").wire("embedding.y", "sum.a").wire("lstm.y", "sum.b");
    Graph graph = *edits::connect({maker.end("sum.y"), maker.end("head.x")}).apply(maker.graph());
    const Diagnostic fault = only(checked(graph));
    EXPECT_EQ(fault.fix->title, "Insert Linear 48 -> 32");
    graph = mended(graph, fault);
    EXPECT_EQ(graph.findByName("linear")->params.at("units"), ParamValue(std::int64_t{32}));
    EXPECT_TRUE(checked(graph).runnable());
}

TEST(Check, NonCausalPathsToANextTokenLoss)
{
    const Graph graph = with(characterModel().graph(), 3, "bidirectional", true);
    const Diagnostic fault = only(checked(graph));
    EXPECT_EQ(
        fault.sentence,
        "bidirectional = true lets lstm see later steps, but the loss predicts the next one: it would only copy it");
    EXPECT_EQ(fault.code, "not-causal");
    EXPECT_EQ(fault.nodeName, "lstm");
    EXPECT_EQ(fault.where, "bidirectional");
    EXPECT_TRUE(checked(mended(graph, fault)).runnable());

    GraphMaker maker;
    maker.node("text", "text")
        .node("embedding", "embedding")
        .node("attention", "attention", {{"look", std::string("both")}})
        .node("lstm", "lstm");
    maker.node("smooth", "smooth")
        .node("head", "head")
        .wire("text.tokens", "embedding.tokens")
        .wire("embedding.y", "attention.x");
    maker.wire("attention.y", "lstm.x")
        .wire("lstm.y", "smooth.x")
        .wire("lstm.state", "smooth.state")
        .wire("smooth.y", "head.x")
        .wire("text.targets", "head.targets");
    const CheckedGraph result = checked(maker.graph());
    EXPECT_THAT(
        findings(result),
        UnorderedElementsAre(HasSubstr("not-causal smooth: this block lets smooth see later steps"),
                             HasSubstr("not-causal smooth.state: lstm.state is known only after the last step"),
                             HasSubstr("not-causal attention.look: look = both lets attention see later steps")));
}

TEST(Check, NonCausalBlocksAreFineElsewhere)
{
    GraphMaker maker = characterModel();
    maker.node("lstm", "side", {{"bidirectional", true}}).wire("embedding.y", "side.x");
    EXPECT_TRUE(checked(maker.graph()).runnable()) << "beside the path";
    BlockSpec copy = text();
    copy.infer = [](InferScope& scope) {
        inferText(scope);
        scope.output("targets", {.type = PortType::Targets, .classes = 65});
    };
    BlockRegistry blocks;
    for (const BlockSpec& spec : {copy, embedding(), lstm(), head()})
        blocks.add(spec);
    EXPECT_TRUE(check(with(characterModel().graph(), 3, "bidirectional", true), blocks, options()).runnable())
        << "targets that are no next tokens";
}

TEST(Check, AbsurdSizesAreRefusedWithNumbers)
{
    const Graph good = characterModel().graph();
    EXPECT_EQ(only(checked(with(good, 3, "units", std::int64_t{1'000'000'000}))).sentence,
              "lstm.y would be 1000000000 wide; the limit is 16777216 (a square matrix of that width alone would need "
              "3725290298.5 GiB)");
    for (const std::int64_t units : {std::int64_t{1} << 31, std::int64_t{1} << 53, (std::int64_t{1} << 24) + 1})
        EXPECT_THAT(findings(checked(with(good, 3, "units", units))).front(), HasSubstr("too-large lstm"));
    const CheckedGraph vast = checked(with(good, 3, "units", std::int64_t{1} << 24));
    EXPECT_EQ(only(vast).code, "memory");
    EXPECT_THAT(only(vast).sentence, HasSubstr("no machine has that much"));
    EXPECT_GT(vast.trainingBytes, std::int64_t{1} << 50);
}

TEST(Check, MemoryIsComparedWithWhatThereIs)
{
    CheckOptions with = options();
    with.memoryAvailable = std::int64_t{8} << 30;
    EXPECT_TRUE(check(characterModel().graph(), blocks(), with).runnable());
    with.batch = 100'000;
    const CheckedGraph result = check(characterModel().graph(), blocks(), with);
    EXPECT_EQ(only(result).code, "memory");
    EXPECT_EQ(only(result).sentence, "training would need 10.8 GiB (0.0 for 20944 parameters with their moments, 10.8 "
                                     "for activations and gradients of 64 "
                                     "steps x 100000 sequences); 8.0 GiB are available");
    EXPECT_NEAR(static_cast<double>(result.trainingBytes), 1817.0 * 64 * 100'000, 1e6)
        << "activations, tokens, targets, mask";
    with.batch = std::numeric_limits<std::int64_t>::max();
    EXPECT_FALSE(check(characterModel().graph(), blocks(), with).runnable());
}

TEST(Check, IsDeterministic)
{
    GraphMaker maker = characterModel();
    maker.node("lstm", "x", {{"units", std::int64_t{-1}}}).node("foo", "x").wire("x.y", "lstm.mask");
    EXPECT_EQ(findings(checked(maker.graph())), findings(checked(maker.graph())));
}

} // namespace
} // namespace unroll
