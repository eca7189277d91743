// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/check.h"

#include "core/check/test_findings.h"
#include "core/graph/test_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace unroll {
namespace {

using namespace testing_check;
using namespace testing_edits;
using ::testing::HasSubstr;

/// add_1 = x1 + f(x2), add_2 = x2 + g(add_1); f is node 1, g 2, add_1 3, add_2 4.
Group layers(std::int64_t copies = 4)
{
    GraphMaker maker;
    maker.node("lstm", "f").node("linear", "g").node("add", "add_1").node("add", "add_2");
    maker.wire("f.y", "add_1.b").wire("add_1.y", "g.x").wire("g.y", "add_2.b");
    Group group;
    group.graph = std::make_shared<const Graph>(maker.graph());
    group.inputs = {{"x1", {3, "a"}}, {"x2", {1, "x"}}, {"x2_sum", {4, "a"}}};
    group.outputs = {{"y1", {3, "y"}}, {"y2", {4, "y"}}, {"y2_sum", {4, "y"}}};
    group.repeat = copies;
    group.reversible = true;
    return group;
}

/// text -> embedding -> both streams -> their sum -> head; the group is node 3.
Graph around(Group group)
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding").group("layers", std::move(group));
    maker.node("add", "streams").node("head", "head");
    maker.wire("text.tokens", "embedding.tokens");
    for (const char* input : {"layers.x1", "layers.x2", "layers.x2_sum"})
        maker.wire("embedding.y", input);
    maker.wire("layers.y1", "streams.a").wire("layers.y2", "streams.b");
    maker.wire("streams.y", "head.x").wire("text.targets", "head.targets");
    return maker.graph();
}

using Change = std::function<void(Group&, Graph& inside)>;

Graph bent(const Change& change)
{
    Group group = layers();
    Graph inside = *group.graph;
    change(group, inside);
    group.graph = std::make_shared<const Graph>(std::move(inside));
    return around(std::move(group));
}

/// The one error of the graph; its fix must mend it.
Diagnostic fault(const Graph& graph)
{
    const Diagnostic found = only(checked(graph));
    EXPECT_EQ(found.code, "reversible");
    EXPECT_TRUE(checked(mended(graph, found)).runnable()) << found.sentence;
    return found;
}

Node nodeOf(NodeId id, const std::string& block, const std::string& name)
{
    return {.id = id, .block = block, .name = name};
}

void rewire(Graph& graph, const PortRef& from, const PortRef& to)
{
    std::erase_if(graph.wires, [&](const Wire& wire) { return wire.to == to; });
    graph.addWire({from, to});
}

TEST(CheckReversible, SaysHowTheGroupIsDrawn)
{
    const CheckedGraph result = checked(around(layers()));
    ASSERT_TRUE(result.runnable()) << ::testing::PrintToString(findings(result));
    const auto& form = result.nodes.at(3).reversible;
    ASSERT_TRUE(form);
    EXPECT_EQ(form->first, (PortRef{3, "a"}));
    EXPECT_EQ(form->second, (PortRef{4, "a"}));
    EXPECT_EQ(form->firstAdded, "b");
    EXPECT_EQ(form->f, std::set<NodeId>{1});
    EXPECT_EQ(form->g, std::set<NodeId>{2});
    Group plain = layers();
    plain.reversible = false;
    EXPECT_FALSE(checked(around(plain)).nodes.at(3).reversible);
}

/// Which stream is named first is free: what is computed from the other is y2.
TEST(CheckReversible, StreamsMayComeInEitherOrder)
{
    const Graph graph = bent([](Group& group, Graph&) {
        group.inputs = {{"x2", {1, "x"}}, {"x2_sum", {4, "a"}}, {"x1", {3, "a"}}};
        group.outputs = {{"y2", {4, "y"}}, {"y2_sum", {4, "y"}}, {"y1", {3, "y"}}};
    });
    const CheckedGraph result = checked(graph);
    ASSERT_TRUE(result.runnable()) << ::testing::PrintToString(findings(result));
    EXPECT_EQ(result.nodes.at(3).reversible->first, (PortRef{3, "a"}));
}

TEST(CheckReversible, OutputsAreTwoSums)
{
    const Diagnostic none = fault(bent([](Group& group, Graph&) { group.outputs[0].inner = {2, "y"}; }));
    EXPECT_EQ(none.where, "y1");
    EXPECT_THAT(none.sentence, HasSubstr("y1 must come from an elementwise sum; it is g.y"));
    const Diagnostic one = fault(bent([](Group& group, Graph&) {
        for (PromotedPort& output : group.outputs)
            output.inner = {4, "y"};
    }));
    EXPECT_THAT(one.sentence, HasSubstr("its outputs must come from two sums inside; they come from 1"));
}

TEST(CheckReversible, EachSumTakesItsStreamAsItComes)
{
    const Diagnostic found = fault(bent([](Group& group, Graph& inside) {
        inside.addNode(nodeOf(5, "linear", "between"));
        inside.addWire({{5, "y"}, {3, "a"}});
        group.inputs[0].inner = {5, "x"};
    }));
    EXPECT_EQ(found.where, "y1");
    EXPECT_THAT(found.sentence,
                HasSubstr("one input of add_1 must be an input of the group at the place of y1 (x1); 0 are"));
}

TEST(CheckReversible, FReadsTheOtherStreamAloneAndGTheFirstSum)
{
    const auto alsoAdds = [](const PortRef& into, NodeId sum) {
        return [=](Group& group, Graph& inside) {
            inside.addNode(nodeOf(5, "add", "more"));
            const PortRef from = inside.wireInto(into)->from;
            inside.addWire({from, {5, "a"}});
            rewire(inside, {5, "y"}, into);
            group.inputs.push_back({"again", {5, "b"}});
            group.outputs.push_back({"out", {sum, "y"}});
        };
    };
    const auto wiredToo = [](Graph graph) {
        graph.addWire({{2, "y"}, {3, "again"}});
        return graph;
    };
    const Diagnostic f = fault(wiredToo(bent(alsoAdds({3, "b"}, 3))));
    EXPECT_EQ(f.where, "again");
    EXPECT_THAT(f.sentence, HasSubstr("y1 cannot be computed from again other than by the sum itself"));
    const Diagnostic g = fault(wiredToo(bent(alsoAdds({4, "b"}, 4))));
    EXPECT_THAT(g.sentence, HasSubstr("y2 cannot be computed from again other than by the sum itself"));
}

TEST(CheckReversible, OneStreamIsComputedFromTheOther)
{
    Graph graph = bent([](Group& group, Graph& inside) {
        std::erase_if(inside.wires, [](const Wire& wire) { return wire.to == PortRef{2, "x"}; });
        group.inputs.push_back({"elsewhere", {2, "x"}});
    });
    graph.addWire({{2, "y"}, {3, "elsewhere"}});
    EXPECT_THAT(fault(graph).sentence, HasSubstr("one output must be computed from the other: neither y1 nor y2 is"));
}

TEST(CheckReversible, NothingIsSharedAndNothingIsLeftOver)
{
    const Diagnostic left = fault(bent([](Group&, Graph& inside) {
        inside.addNode(nodeOf(5, "linear", "aside"));
        inside.addWire({{3, "y"}, {5, "x"}});
    }));
    EXPECT_EQ(left.nodeName, "aside");
    EXPECT_EQ(left.group, GroupPath{3});
    EXPECT_EQ(left.sentence, "aside is part of neither F nor G of the reversible group layers");
}

/// Two inputs of one stream that brought different values would be no stream.
TEST(CheckReversible, AStreamComesFromOneOutput)
{
    Graph graph = around(layers());
    graph.addNode(nodeOf(7, "linear", "other"));
    graph.addWire({{2, "y"}, {7, "x"}});
    rewire(graph, {7, "y"}, {3, "x2_sum"});
    const Diagnostic found = fault(graph);
    EXPECT_EQ(found.where, "y2");
    EXPECT_THAT(found.sentence, HasSubstr("x2 and x2_sum must be wired to the same output"));
    const Graph chain = must(edits::unrollGroup(3), around(layers(3)));
    const CheckedGraph unrolled = checked(chain);
    EXPECT_TRUE(unrolled.runnable()) << "y2 and y2_sum are one output: "
                                     << ::testing::PrintToString(findings(unrolled));
}

TEST(CheckReversible, NoStateIsWiredIn)
{
    Graph graph = bent([](Group& group, Graph&) { group.inputs.push_back({"begins", {1, "state"}}); });
    graph.addNode(nodeOf(7, "lstm", "before"));
    graph.addWire({{2, "y"}, {7, "x"}});
    graph.addWire({{7, "state"}, {3, "begins"}});
    const auto all = findings(checked(graph));
    EXPECT_THAT(all, ::testing::Contains(HasSubstr("reversible layers.begins")));
}

/// Of four copies and of sixteen as much is kept, and as much is needed on the way.
TEST(CheckReversible, TheEstimateIsFlatInDepth)
{
    const auto cost = [](std::int64_t copies, bool reversible) {
        Group group = layers(copies);
        group.reversible = reversible;
        return checked(around(group)).nodes.at(3).cost;
    };
    const Cost four = cost(4, true), sixteen = cost(16, true), plain = cost(4, false);
    EXPECT_EQ(sixteen.activationBytes, four.activationBytes);
    EXPECT_EQ(sixteen.workspaceBytes, four.workspaceBytes);
    EXPECT_EQ(sixteen.parameters, 4 * four.parameters);
    EXPECT_LT(four.activationBytes + four.workspaceBytes, plain.activationBytes);
    EXPECT_EQ(four.forwardFlops, plain.forwardFlops);
    EXPECT_EQ(four.backwardFlops, plain.backwardFlops + plain.forwardFlops) << "F and G are computed once more";
    const auto bytes = [](std::int64_t copies, bool reversible) {
        Group group = layers(copies);
        group.reversible = reversible;
        return checked(around(group)).trainingBytes;
    };
    EXPECT_LT(bytes(4, true), bytes(4, false));
}

} // namespace
} // namespace unroll
