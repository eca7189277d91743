// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/check.h"

#include "core/check/ports.h"
#include "core/check/test_findings.h"
#include "core/graph/test_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace unroll {
namespace {

using namespace testing_check;
using namespace testing_edits;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// text -> embedding -> [lstm -> linear] -> head; the group is node 6, its nodes 3 and 4.
Graph grouped(Params lstm = {{"units", std::int64_t{48}}})
{
    GraphMaker maker;
    maker.node("text", "text")
        .node("embedding", "embedding")
        .node("lstm", "lstm", std::move(lstm))
        .node("linear", "linear")
        .node("head", "head");
    maker.wire("text.tokens", "embedding.tokens")
        .wire("embedding.y", "lstm.x")
        .wire("lstm.y", "linear.x")
        .wire("linear.y", "head.x");
    maker.wire("text.targets", "head.targets");
    return must(edits::makeGroup({3, 4}, "body"), maker.graph());
}

/// Changes the group node 6 in place, into states that no edit makes.
template <class Change>
Graph bent(const Graph& graph, Change change)
{
    Node node = *graph.find(6);
    Group group = *node.group;
    change(group, node);
    node.group = std::make_shared<const Group>(std::move(group));
    Graph result = graph;
    result.addNode(std::move(node));
    return result;
}

/// The first finding of the kind; its fix must mend it.
std::string mendable(const Graph& graph, const std::string& code = "group-fault")
{
    const CheckedGraph result = checked(graph);
    const auto& all = result.diagnostics;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
    if (found == all.end())
        return "no finding";
    const Diagnostic fault = *found;
    EXPECT_TRUE(fault.fix) << fault.sentence;
    const Graph after = fault.fix ? must(fault.fix->edit, graph) : graph;
    for (const Diagnostic& left : checked(after).diagnostics)
        EXPECT_NE(left.sentence, fault.sentence);
    return fault.sentence;
}

TEST(CheckGroup, KnowsTheNodeThatTakesTheShortestSequences)
{
    BlockRegistry blocks;
    for (BlockSpec spec : {text(), embedding(), lstm(), linear(), head()}) {
        if (spec.id == "lstm" || spec.id == "linear") // as long as they are wide, so that 32 is the least
            spec.longest = [](const Params& params) { return std::get<std::int64_t>(params.at("units")); };
        blocks.add(std::move(spec));
    }
    const CheckedGraph result = check(grouped(), blocks, options());
    EXPECT_EQ(result.longest, (LengthLimit{32, "body.linear"}));
    EXPECT_EQ(result.nodes.at(6).inner->longest, result.longest);
    EXPECT_EQ(checked(grouped()).longest, std::nullopt);
}

TEST(CheckGroup, TellsItsContentsHowTheDataComes)
{
    BlockRegistry blocks;
    SequenceFacts seen;
    for (BlockSpec spec : {text(), embedding(), lstm(), linear(), head()}) {
        if (spec.id == "linear")
            spec.infer = [&seen, infer = spec.infer](InferScope& scope) {
                seen = scope.sequence();
                infer(scope);
            };
        blocks.add(std::move(spec));
    }
    CheckOptions streams = options();
    streams.sourceFacts = [](const std::string&, const Params&) {
        return SourceFacts{.classes = 65, .steps = 24, .carried = true, .error = "", .errorParam = ""};
    };
    check(grouped(), blocks, streams);
    EXPECT_EQ(seen.steps, 24);
    EXPECT_TRUE(seen.carried);
}

TEST(CheckGroup, GivesWhatItsContentsGive)
{
    const Graph graph = grouped();
    const CheckedGraph flat = checked(must(edits::unpackGroup(6), graph));
    const CheckedGraph result = checked(graph);
    EXPECT_THAT(findings(result), IsEmpty());
    EXPECT_EQ(result.cost, flat.cost);
    EXPECT_EQ(result.trainingBytes, flat.trainingBytes);
    EXPECT_EQ(result.shapeAt({6, "y"})->width, 32);
    const CheckedNode& group = result.nodes.at(6);
    EXPECT_EQ(group.inputs.at("x").width, 32);
    EXPECT_THAT(group.inner->order, ElementsAre(3, 4));
    EXPECT_EQ(group.inner->shapeAt({3, "y"})->width, 48);
    EXPECT_EQ(group.inner->nodes.at(3).inputs.at("x").width, 32);
    EXPECT_EQ(group.inner->steps, 64);
}

TEST(CheckGroup, CostIsRepeated)
{
    const Cost once = checked(grouped()).nodes.at(6).cost;
    const Cost own = checked(must(edits::setRepeat(6, 5, false), grouped())).nodes.at(6).cost;
    const Cost shared = checked(must(edits::setRepeat(6, 5, true), grouped())).nodes.at(6).cost;
    EXPECT_EQ(own.parameters, 5 * once.parameters);
    EXPECT_EQ(shared.parameters, once.parameters);
    EXPECT_EQ(own.forwardFlops, 5 * once.forwardFlops);
    EXPECT_EQ(shared.backwardFlops, 5 * once.backwardFlops);
    EXPECT_EQ(shared.activationBytes, 5 * once.activationBytes);
    EXPECT_TRUE(checked(must(edits::setRepeat(6, 5, true), grouped())).runnable());
}

TEST(CheckGroup, PromotedParametersReachInside)
{
    Graph graph = must(edits::promoteParam(6, {"size", 3, "units"}), grouped());
    EXPECT_EQ(checked(graph).nodes.at(6).params.at("size"), ParamValue(std::int64_t{48})) << "the inner value stands";
    const std::vector<ParamSpec> shown = paramsOf(*graph.find(6), blocks());
    ASSERT_EQ(shown.size(), 1u);
    EXPECT_EQ(shown[0].name, "size");
    EXPECT_EQ(shown[0].defaultValue, ParamValue(std::int64_t{48}));
    graph = must(edits::setParam(6, "size", std::int64_t{64}), graph);
    EXPECT_EQ(checked(graph).nodes.at(6).inner->nodes.at(3).params.at("units"), ParamValue(std::int64_t{64}));
    graph = must(edits::makeGroup({6}, "outer"), graph);
    graph = must(edits::promoteParam(7, {"width", 6, "size"}), graph);
    graph = must(edits::setParam(7, "width", std::int64_t{0}), graph);
    const CheckedGraph result = checked(graph);
    EXPECT_THAT(findings(result), ElementsAre("bad-parameter lstm.units: units must be at least 1; it is 0"));
    EXPECT_THAT(result.diagnostics[0].group, ElementsAre(7, 6));
    const Graph mended = must(result.diagnostics[0].fix->edit, graph);
    EXPECT_EQ(mended.find(7)->params.at("width"), ParamValue(std::int64_t{32})) << "mended where it was set";
    EXPECT_TRUE(checked(mended).runnable());
}

TEST(CheckGroup, ParametersThatItDoesNotPromote)
{
    EXPECT_EQ(mendable(must(edits::setParam(6, "depth", std::int64_t{3}), grouped()), "unknown-parameter"),
              "body has no parameter depth");
}

TEST(CheckGroup, FindingsInsideNameTheirGroup)
{
    const Graph graph = must(edits::inside({6}, edits::setParam(4, "units", std::int64_t{-1})), grouped());
    const CheckedGraph result = checked(graph);
    EXPECT_THAT(findings(result), ElementsAre("bad-parameter linear.units: units must be at least 1; it is -1"));
    EXPECT_THAT(result.diagnostics[0].group, ElementsAre(6));
    EXPECT_TRUE(checked(must(result.diagnostics[0].fix->edit, graph)).runnable());
}

TEST(CheckGroup, InputsMustBeWiredUnlessOptional)
{
    const Graph free = must(edits::disconnect({{2, "y"}, {6, "x"}}), grouped());
    EXPECT_THAT(findings(checked(free)), Contains("input-free body.x: body.x must be wired; it expects a sequence"));
    EXPECT_EQ(mendable(free, "input-free"), "body.x must be wired; it expects a sequence");
    const Graph optional = must(edits::promoteInput(6, {"mask", {3, "mask"}}), grouped());
    EXPECT_TRUE(checked(optional).runnable());
    EXPECT_EQ(checked(optional).cost, checked(grouped()).cost);
    const Graph wired = must(edits::connect({{1, "mask"}, {6, "mask"}}), optional);
    EXPECT_TRUE(checked(wired).runnable());
    EXPECT_TRUE(checked(wired).nodes.at(6).inner->nodes.at(3).inputs.contains("mask"));
    EXPECT_THAT(findings(checked(must(edits::connect({{2, "y"}, {6, "mask"}}), optional))),
                ElementsAre("type-mismatch body.mask: body.mask expects a mask; embedding.y gives a sequence"));
}

TEST(CheckGroup, RepeatMustFit)
{
    const Graph graph = must(edits::setRepeat(6, 3, false),
                             must(edits::inside({6}, edits::setParam(4, "units", std::int64_t{40})), grouped()));
    EXPECT_EQ(mendable(graph), "body is repeated, so y must match x: it gives [T, B, 40], but x expects [T, B, 32]");
    const Graph typed = must(edits::setRepeat(6, 2, false), bent(grouped(), [](Group& group, Node&) {
                                 group.outputs = {{"s", {3, "state"}}};
                             }));
    EXPECT_EQ(mendable(typed), "body is repeated, so s must match x: it gives a state, but x expects a sequence");
    EXPECT_EQ(mendable(bent(grouped(), [](Group& group, Node&) { group.repeat = 0; })),
              "repeat must be at least 1; it is 0");
    EXPECT_EQ(mendable(bent(grouped(), [](Group& group, Node&) { group.repeat = 1'000'000'000; })),
              "repeat must be at most 1024; it is 1000000000");
    EXPECT_THAT(mendable(bent(grouped(), [](Group& group, Node&) { group.outputs.clear(), group.repeat = 2; })),
                HasSubstr("output that feeds an input"));
}

TEST(CheckGroup, FaultyPortsAndParameters)
{
    const std::pair<PromotedPort, std::string> inputs[] = {
        {{"x", {3, "mask"}}, "the input x is promoted twice"},
        {{"again", {3, "x"}}, "the input again is promoted twice"},
        {{"in", {99, "x"}}, "the input in refers to a node that is not in the group"},
        {{"in", {3, "z"}}, "the input in refers to lstm.z, which does not exist"},
        {{"in", {4, "x"}}, "the input in refers to linear.x, which is wired inside the group"},
        {{"a b", {3, "mask"}}, "\"a b\" cannot name an input of a group"},
    };
    for (const auto& [port, sentence] : inputs)
        EXPECT_EQ(mendable(bent(grouped(), [port = port](Group& group, Node&) { group.inputs.push_back(port); })),
                  sentence);
    EXPECT_EQ(mendable(bent(grouped(),
                            [](Group& group, Node&) {
                                group.outputs.push_back({"z", {4, "z"}});
                            })),
              "the output z refers to linear.z, which does not exist");
    const std::pair<PromotedParam, std::string> params[] = {
        {{"p", 99, "units"}, "the parameter p belongs to a node that is not in the group"},
        {{"p", 4, "size"}, "the parameter p refers to linear.size, which does not exist"},
        {{"p.q", 4, "units"}, "\"p.q\" cannot name a parameter of a group"},
    };
    for (const auto& [param, sentence] : params)
        EXPECT_EQ(mendable(bent(grouped(), [param = param](Group& group, Node&) { group.params.push_back(param); })),
                  sentence);
    EXPECT_EQ(mendable(bent(grouped(),
                            [](Group& group, Node&) {
                                group.params = {{"p", 4, "units"}, {"q", 4, "units"}};
                            })),
              "the parameter q is promoted twice");
}

TEST(CheckGroup, EmptyOrTooDeep)
{
    Graph graph = bent(grouped(), [](Group& group, Node&) { group.graph = nullptr; });
    EXPECT_THAT(findings(checked(graph)), Contains("group-fault body: the group is empty"));
    Node bare = *grouped().find(6);
    bare.group = nullptr;
    graph.addNode(bare);
    EXPECT_THAT(findings(checked(graph)), Contains("group-fault body: the group is empty"));
    Graph deep = grouped();
    for (int i = 0; i < 40; ++i) {
        Graph outer;
        outer.addNode({.id = 1,
                       .block = "group",
                       .name = "g",
                       .group = std::make_shared<const Group>(Group{std::make_shared<const Graph>(deep)})});
        deep = outer;
    }
    EXPECT_THAT(findings(checked(deep)), Contains("group-fault g: groups are nested deeper than 16"));
}

TEST(CheckGroup, DataAndLossStandOutside)
{
    const Graph graph = must(edits::makeGroup({5}, "end"), grouped());
    const CheckedGraph result = checked(graph);
    EXPECT_THAT(findings(result),
                Contains("group-fault head: head cannot be inside a group: data and loss belong to the top level"));
    const auto fault = std::find_if(result.diagnostics.begin(), result.diagnostics.end(),
                                    [](const Diagnostic& d) { return d.nodeName == "head"; });
    EXPECT_TRUE(checked(must(fault->fix->edit, graph)).runnable());
}

TEST(CheckGroup, NonCausalNodesInsideAreNamed)
{
    const Graph graph = grouped({{"units", std::int64_t{48}}, {"bidirectional", true}});
    const CheckedGraph result = checked(graph);
    EXPECT_THAT(findings(result), ElementsAre(HasSubstr("not-causal lstm.bidirectional")));
    EXPECT_THAT(result.diagnostics[0].group, ElementsAre(6));
    EXPECT_TRUE(checked(must(result.diagnostics[0].fix->edit, graph)).runnable());
    EXPECT_FALSE(result.nodes.at(6).inner->runnable()) << "the inside knows it too";
}

TEST(CheckGroup, OnlyTheOutputsThatAreUsedCount)
{
    // Inside: a causal way to y, and a non-causal one to an output that leads to no loss.
    Graph graph =
        must(edits::inside({6}, edits::addNode({.block = "lstm", .name = "both", .params = {{"bidirectional", true}}})),
             grouped());
    graph = must(edits::inside({6}, edits::connect({{3, "y"}, {6, "x"}})), graph);
    graph = must(edits::promoteOutput(6, {"side", {6, "y"}}), graph);
    EXPECT_TRUE(checked(graph).runnable());
    graph = must(edits::connect({{6, "side"}, {5, "x"}}), graph);
    EXPECT_THAT(findings(checked(graph)).front(), HasSubstr("not-causal both"));
}

TEST(CheckGroup, NodesThatReachNoOutputAreWarnedOf)
{
    const Graph graph =
        must(edits::inside({6}, edits::connect({{3, "y"}, {7, "x"}})),
             must(edits::inside({6}, edits::addNode({.id = 7, .block = "linear", .name = "dead"})), grouped()));
    EXPECT_EQ(mendable(graph, "unused"), "dead does not affect any output of its group, so it is not trained");
}

TEST(CheckGroup, RepeatsOfRepeatsAreBounded)
{
    Graph graph = must(edits::setRepeat(6, 1024, true), grouped());
    graph = must(edits::makeGroup({6}, "outer"), graph);
    graph = must(edits::setRepeat(7, 1024, true), graph);
    EXPECT_THAT(findings(checked(graph)),
                Contains("too-large : with all repeats expanded the graph has 2097155 blocks; the limit is 100000"));
}

TEST(Ports, OfAGroupAreThoseInside)
{
    const Graph graph = must(edits::makeGroup({6}, "outer"), grouped());
    const NodePorts ports = portsOf(*graph.find(7), blocks());
    ASSERT_EQ(ports.inputs.size(), 1u);
    EXPECT_EQ(ports.inputs[0].name, "x");
    EXPECT_EQ(ports.inputs[0].type, PortType::Sequence);
    EXPECT_FALSE(ports.inputs[0].optional);
    EXPECT_EQ(ports.outputs[0].name, "y");
    EXPECT_EQ(portsOf(*graph.find(5), blocks()).inputs.size(), 2u);
    EXPECT_THAT(portsOf({.block = "none"}, blocks()).inputs, IsEmpty());
}

TEST(Ports, ConvertersAndNearBlocks)
{
    EXPECT_EQ(findConverter(blocks(), PortType::Tokens, PortType::Sequence)->spec->id, "embedding");
    EXPECT_FALSE(findConverter(blocks(), PortType::Sequence, PortType::Tokens));
    EXPECT_FALSE(findConverter(blocks(), PortType::Sequence, PortType::State)) << "a recurrent block is no converter";
    EXPECT_EQ(nearestBlock(blocks(), "Dense")->id, "linear");
    EXPECT_EQ(nearestBlock(blocks(), "lsm")->id, "lstm");
    EXPECT_EQ(nearestBlock(blocks(), "headd")->id, "head");
    EXPECT_EQ(nearestBlock(blocks(), "lstn")->id, "lstm");
    EXPECT_EQ(nearestBlock(blocks(), "mamba"), nullptr);
    EXPECT_EQ(nearestBlock(blocks(), ""), nullptr);
}

} // namespace
} // namespace unroll
