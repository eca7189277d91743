// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/check.h"

#include "core/check/kept_state.h"
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

TEST(Check, AGoodGraphHasShapesOrderAndCost)
{
    const GraphMaker maker = characterModel();
    const CheckedGraph result = checked(maker.graph());
    EXPECT_THAT(findings(result), IsEmpty());
    EXPECT_TRUE(result.runnable());
    EXPECT_THAT(result.order, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(result.steps, 64);
    EXPECT_EQ(result.source, 1u);
    EXPECT_EQ(result.loss, 4u);
    EXPECT_EQ(result.shapeAt(maker.end("text.tokens"))->text(), "[T, B] of 65");
    EXPECT_EQ(result.shapeAt(maker.end("lstm.y"))->text(), "[T, B, 48]");
    EXPECT_EQ(result.shapeAt(maker.end("lstm.state"))->text(), "state of 96");
    EXPECT_EQ(stateNumbers(result, maker.graph()), 96);
    EXPECT_EQ(result.shapeAt(maker.end("head.loss"))->text(), "loss");
    EXPECT_EQ(result.shapeAt({9, "y"}), nullptr);
    const CheckedNode& lstm = result.nodes.at(3);
    EXPECT_EQ(lstm.inputs.at("x").width, 32);
    EXPECT_EQ(lstm.params.at("bidirectional"), ParamValue(false)) << "defaults are filled in";
    EXPECT_EQ(lstm.cost.parameters, 4 * 48 * (32 + 48 + 2));
    EXPECT_EQ(result.cost.parameters, 65 * 32 + 4 * 48 * 82 + 48 * 65);
    const double activations = 4.0 * 32 + 24.0 * 48 + 8.0 * 65;
    EXPECT_EQ(result.cost.activationBytes, activations);
    // Weights and two moments, and the generators of 16 updates; what is kept and, of the LSTM, gradients twice;
    // tokens, targets and mask.
    const auto tokens = std::int64_t{64} * 12;
    EXPECT_EQ(result.trainingBytes, result.cost.parameters * 12 + 16 * 5056 +
                                        (static_cast<std::int64_t>(activations) + 17) * tokens +
                                        lstm.cost.parameters * 8);
}

TEST(Check, OrderIsByDependencyThenById)
{
    GraphMaker maker;
    maker.node("head", "head")
        .node("lstm", "b")
        .node("lstm", "a")
        .node("embedding", "e")
        .node("text", "text")
        .node("linear", "free");
    maker.wire("text.tokens", "e.tokens")
        .wire("e.y", "a.x")
        .wire("a.y", "b.x")
        .wire("b.y", "head.x")
        .wire("text.targets", "head.targets");
    EXPECT_THAT(checked(maker.graph()).order, ElementsAre(5, 4, 3, 2, 1, 6));
}

TEST(Check, UnknownBlockIsAPlaceholder)
{
    GraphMaker maker;
    maker.node("text", "text")
        .node("embedding", "embedding")
        .node("lsmt", "cell")
        .node("hyena", "h")
        .node("head", "head");
    maker.wire("text.tokens", "embedding.tokens")
        .wire("embedding.y", "cell.x")
        .wire("cell.y", "h.in")
        .wire("h.any", "head.x")
        .wire("text.targets", "head.targets");
    const CheckedGraph result = checked(maker.graph());
    EXPECT_THAT(findings(result), ElementsAre("unknown-block cell: there is no block \"lsmt\" in this version",
                                              "unknown-block h: there is no block \"hyena\" in this version"));
    const Graph good = characterModel().graph();
    const Diagnostic near = only(checked(withBlock(good, 3, "Long Short-Term Memory")));
    EXPECT_EQ(near.sentence, "there is no block \"Long Short-Term Memory\" in this version; did you mean lstm?");
    EXPECT_EQ(near.fix->title, "Make it LSTM");
    const Graph slip = withBlock(good, 3, "lstmm");
    EXPECT_EQ(mended(slip, only(checked(slip))), good);
}

TEST(Check, ParametersOutOfRangeAreNamedInTheirOwnWords)
{
    const Graph good = characterModel().graph();
    const std::pair<ParamValue, std::string> cases[] = {
        {std::int64_t{0}, "units must be at least 1; it is 0"},
        {std::int64_t{-5}, "units must be at least 1; it is -5"},
        {128.5, "units must be a whole number; it is 128.5"},
        {std::string("many"), "units must be a whole number; it is \"many\""},
        {true, "units must be a whole number; it is true"},
        {9223372036854775808.0, "units must be a whole number; it is 9.223372036854776e+18"},
        {std::numeric_limits<std::int64_t>::max(),
         "units must lie within 9007199254740992 of zero; it is 9223372036854775807"},
    };
    for (const auto& [value, sentence] : cases) {
        const Graph bad = with(good, 3, "units", value);
        const Diagnostic fault = only(checked(bad));
        EXPECT_EQ(fault.sentence, sentence);
        EXPECT_EQ(fault.code, "bad-parameter");
        EXPECT_EQ(fault.node, 3u);
        EXPECT_EQ(fault.where, "units");
        EXPECT_EQ(fault.fix->title, "Set units to 32");
        EXPECT_TRUE(checked(mended(bad, fault)).runnable());
    }
    EXPECT_EQ(only(checked(with(good, 3, "dropout", 1.5))).sentence, "dropout must be at most 0.95; it is 1.5");
    EXPECT_EQ(only(checked(with(good, 3, "dropout", std::numeric_limits<double>::infinity()))).sentence,
              "dropout must be a finite number; it is inf");
    EXPECT_EQ(only(checked(with(good, 3, "bidirectional", std::int64_t{1}))).sentence,
              "bidirectional must be true or false; it is 1");
    EXPECT_EQ(only(checked(with(good, 1, "unit", std::string("word")))).sentence,
              "unit must be one of byte, character; it is \"word\"");
    EXPECT_TRUE(checked(with(good, 3, "dropout", std::int64_t{0})).runnable()) << "a whole number is a real, too";
    EXPECT_EQ(checked(with(good, 3, "units", 64.0)).nodes.at(3).params.at("units"), ParamValue(std::int64_t{64}));
}

TEST(Check, ParametersThatAreNotKnown)
{
    const Graph graph = with(characterModel().graph(), 3, "colour", std::string("red"));
    const CheckedGraph result = checked(graph);
    EXPECT_THAT(findings(result), ElementsAre("warning unknown-parameter lstm.colour: lstm has no parameter colour"));
    EXPECT_TRUE(result.runnable());
    EXPECT_EQ(mended(graph, result.diagnostics.front()), characterModel().graph());
}

TEST(Check, ParametersThatNoTypeHolds)
{
    const auto json =
        readJson(R"({"nodes": [{"block": "lstm", "params": {"units": [[1]], "shape": {}, "dropout": 1e-1}}]})", "");
    const Graph graph = *graphFromJson(*json, "");
    CheckedGraph result = checked(graph);
    EXPECT_THAT(findings(result), ::testing::Contains("bad-parameter lstm.units: units cannot be an array"));
    EXPECT_THAT(findings(result),
                ::testing::Contains("warning unknown-parameter lstm.shape: lstm has no parameter shape"));
    EXPECT_EQ(std::count_if(result.diagnostics.begin(), result.diagnostics.end(),
                            [](const Diagnostic& d) { return d.where == "dropout"; }),
              0);
    for (const Diagnostic& d : result.diagnostics) {
        if (d.where != "units" && d.where != "shape")
            continue;
        const std::string left = mended(graph, d).find(1)->extra.at("params");
        EXPECT_EQ(left.find(d.where), std::string::npos) << left;
    }
}

TEST(Check, TypeMismatchOffersTheBlockBetween)
{
    GraphMaker maker;
    maker.node("text", "text").node("lstm", "lstm").node("head", "head");
    maker.wire("text.tokens", "lstm.x").wire("lstm.y", "head.x").wire("text.targets", "head.targets");
    const Diagnostic fault = only(checked(maker.graph()));
    EXPECT_EQ(fault.sentence, "lstm.x expects a sequence; text.tokens gives tokens: insert Embedding");
    EXPECT_EQ(fault.code, "type-mismatch");
    EXPECT_EQ(fault.nodeName, "lstm");
    EXPECT_EQ(fault.where, "x");
    EXPECT_EQ(fault.fix->title, "Insert Embedding");
    const Graph graph = mended(maker.graph(), fault);
    EXPECT_EQ(graph.findByName("embedding")->place, (Place{300, 40})) << "half way";
    EXPECT_TRUE(checked(graph).runnable());
}

TEST(Check, TypeMismatchWithoutABlockBetween)
{
    GraphMaker maker = characterModel();
    maker.wire("embedding.y", "lstm.mask");
    const Diagnostic fault = only(checked(maker.graph()));
    EXPECT_EQ(fault.sentence, "lstm.mask expects a mask; embedding.y gives a sequence");
    EXPECT_FALSE(fault.fix);
}

TEST(Check, FreeInputsOfferTheOnlyChoice)
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding").node("lstm", "lstm").node("head", "head");
    maker.wire("text.tokens", "embedding.tokens").wire("lstm.y", "head.x").wire("text.targets", "head.targets");
    const Diagnostic fault = only(checked(maker.graph()));
    EXPECT_EQ(fault.sentence, "lstm.x must be wired; it expects a sequence");
    EXPECT_EQ(fault.code, "input-free");
    EXPECT_EQ(fault.fix->title, "Connect embedding.y") << "head.logits lies behind lstm";
    EXPECT_TRUE(checked(mended(maker.graph(), fault)).runnable());
    maker.node("embedding", "other").wire("text.tokens", "other.tokens");
    EXPECT_FALSE(only(checked(maker.graph())).fix) << "two could be meant";
}

TEST(Check, UnknownPorts)
{
    GraphMaker maker = characterModel();
    maker.wire("lstm.z", "head.w");
    const CheckedGraph result = checked(maker.graph());
    EXPECT_THAT(findings(result),
                ElementsAre("unknown-port lstm.z: lstm has no output z", "unknown-port head.w: head has no input w"));
    EXPECT_EQ(mended(maker.graph(), result.diagnostics[1]), characterModel().graph());
}

TEST(Check, PortsThatHangOnParameters)
{
    GraphMaker maker;
    maker.node("text", "text")
        .node("embedding", "embedding", {{"share_table", true}})
        .node("head", "head", {{"tied", true}})
        .wire("text.tokens", "embedding.tokens")
        .wire("embedding.y", "head.x")
        .wire("text.targets", "head.targets")
        .wire("embedding.table", "head.table");
    const Graph good = maker.graph();
    const CheckedGraph result = checked(good);
    EXPECT_THAT(findings(result), IsEmpty());
    EXPECT_TRUE(result.runnable());
    EXPECT_EQ(result.shapeAt(maker.end("embedding.table"))->text(), "[65, 32]");

    const Graph kept = with(good, 2, "share_table", false);
    const Diagnostic gone = only(checked(kept));
    EXPECT_EQ(gone.sentence, "embedding has no output table with these settings");
    EXPECT_EQ(gone.fix->title, "Remove the wire");
    EXPECT_THAT(findings(checked(mended(kept, gone))),
                ElementsAre("input-free head.table: head.table must be wired; it expects a table"));
    const Diagnostic closed = only(checked(with(good, 3, "tied", false)));
    EXPECT_EQ(closed.sentence, "head has no input table with these settings");

    const Graph unwired =
        edits::disconnect({maker.end("embedding.table"), maker.end("head.table")}).apply(good).value();
    EXPECT_EQ(mended(unwired, only(checked(unwired))), good) << "the only table there is";
}

TEST(Check, WiresThatLeadNowhereOrTwiceIntoOneInput)
{
    Graph graph = characterModel().graph();
    graph.addWire({{77, "y"}, {3, "mask"}});
    graph.addWire({{2, "y"}, {4, "x"}});
    const CheckedGraph result = checked(graph);
    EXPECT_THAT(findings(result), ElementsAre("dangling-wire lstm.mask: a wire connects to a node that does not exist",
                                              "input-twice head.x: head.x accepts one wire; it has several"));
    EXPECT_TRUE(checked(mended(mended(graph, result.diagnostics[0]), result.diagnostics[1])).runnable());
}

TEST(Check, CyclesNameTheirNodesInOrder)
{
    GraphMaker maker;
    maker.node("text", "text")
        .node("embedding", "embedding")
        .node("add", "sum")
        .node("lstm", "a")
        .node("lstm", "b")
        .node("head", "head");
    maker.wire("text.tokens", "embedding.tokens")
        .wire("embedding.y", "sum.a")
        .wire("b.y", "sum.b")
        .wire("sum.y", "a.x")
        .wire("a.y", "b.x");
    maker.wire("b.y", "head.x").wire("text.targets", "head.targets");
    const CheckedGraph result = checked(maker.graph());
    const Diagnostic fault = only(result);
    EXPECT_EQ(fault.sentence, "sum -> a -> b -> sum is a cycle: a node cannot depend on its own output");
    EXPECT_EQ(fault.fix->title, "Cut b.y -> sum.b");
    EXPECT_EQ(fault.nodeName, "sum");
    EXPECT_EQ(result.order.size(), 6u);
    EXPECT_THAT(checked(mended(maker.graph(), fault)).order, ElementsAre(1, 2, 3, 4, 5, 6));
    GraphMaker self = characterModel();
    self.wire("lstm.y", "lstm.x");
    Graph graph = self.graph();
    std::erase_if(graph.wires, [](const Wire& wire) { return wire.to == PortRef{3, "x"} && wire.from.node == 2; });
    EXPECT_THAT(findings(checked(graph)).front(), HasSubstr("lstm -> lstm is a cycle"));
}

TEST(Check, SeveralCyclesAreNamedOneByOne)
{
    GraphMaker maker;
    maker.node("add", "a").node("add", "b").node("add", "c").node("add", "d");
    maker.wire("a.y", "b.a")
        .wire("b.y", "a.a")
        .wire("c.y", "d.a")
        .wire("d.y", "c.a")
        .wire("b.y", "c.b")
        .wire("d.y", "d.b");
    std::vector<std::string> cycles;
    for (const Diagnostic& d : checked(maker.graph()).diagnostics)
        if (d.code == "cycle")
            cycles.push_back(d.sentence.substr(0, d.sentence.find(" is")));
    EXPECT_THAT(cycles, ElementsAre("a -> b -> a", "c -> d -> c", "d -> d"));
}

TEST(Check, NamesMustBeValidAndOnce)
{
    Graph graph = characterModel().graph();
    for (const auto& [id, name] : std::map<NodeId, std::string>{{2, "text"}, {3, "my lstm"}}) {
        Node node = *graph.find(id);
        node.name = name;
        graph.addNode(node);
    }
    const CheckedGraph result = checked(graph);
    EXPECT_THAT(
        findings(result),
        ElementsAre("name-taken text: two nodes are named text",
                    "name-invalid my lstm: \"my lstm\" cannot name a node: a letter, then letters, digits and _"));
    const Graph better = mended(mended(graph, result.diagnostics[0]), result.diagnostics[1]);
    EXPECT_EQ(better.find(2)->name, "text_2");
    EXPECT_EQ(better.find(3)->name, "my_lstm");
    EXPECT_TRUE(checked(better).runnable());
}

} // namespace
} // namespace unroll
