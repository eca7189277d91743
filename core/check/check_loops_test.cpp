// SPDX-License-Identifier: GPL-3.0-or-later
// Loops through a delay: their order, the shapes that come round, and what cannot run step by step.
#include "core/check/test_findings.h"
#include "core/check/wiring.h"

#include <gmock/gmock.h>

namespace unroll {
namespace {

using namespace testing_check;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

BlockSpec delay()
{
    BlockSpec spec{.id = "delay",
                   .title = "Delay",
                   .category = Category::Recurrent,
                   .inputs = {port("x", PortType::Sequence), port("state", PortType::State, true)},
                   .outputs = {port("y", PortType::Sequence), port("state", PortType::State)},
                   .recurrent = true};
    spec.inputs.front().delayed = true;
    spec.infer = [](InferScope& scope) {
        if (const Shape* x = scope.input("x")) {
            scope.output("y", *x);
            scope.output("state", {.type = PortType::State, .width = x->width, .parts = 1});
        }
    };
    return spec;
}

/// As wide as both together.
BlockSpec join()
{
    return {.id = "join",
            .title = "Join",
            .category = Category::Combine,
            .inputs = {port("a", PortType::Sequence), port("b", PortType::Sequence)},
            .outputs = {port("y", PortType::Sequence)},
            .infer = [](InferScope& scope) {
                if (scope.input("a") != nullptr && scope.input("b") != nullptr)
                    scope.output("y", sequence(scope.input("a")->width + scope.input("b")->width));
            }};
}

/// A cell with a choice of what it gives at masked steps.
BlockSpec choosingCell()
{
    BlockSpec spec = lstm();
    spec.id = "cell";
    spec.params.push_back({.name = "masked_output",
                           .type = ParamType::Choice,
                           .defaultValue = std::string("zero"),
                           .choices = {{"zero", "0."}, {"hold", "What it gave before."}}});
    return spec;
}

const BlockRegistry& withDelay()
{
    static const auto* all = [] {
        auto* made = new BlockRegistry(registry());
        made->add(delay());
        made->add(join());
        made->add(choosingCell());
        return made;
    }();
    return *all;
}

CheckedGraph look(const Graph& graph)
{
    return check(graph, withDelay(), options());
}

/// embedding -> sum -> back -> (delay) -> sum -> head. The delay has the highest id.
GraphMaker loop(std::int64_t width = 16)
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding", {{"width", std::int64_t{16}}});
    maker.node("add", "sum").node("linear", "back", {{"units", width}}).node("head", "head").node("delay", "delay");
    maker.wire("text.tokens", "embedding.tokens").wire("embedding.y", "sum.a").wire("delay.y", "sum.b");
    maker.wire("sum.y", "back.x").wire("back.y", "delay.x").wire("sum.y", "head.x");
    maker.wire("text.targets", "head.targets");
    return maker;
}

std::vector<std::string> named(const Graph& graph, const std::vector<NodeId>& ids)
{
    std::vector<std::string> names;
    for (const NodeId id : ids)
        names.push_back(graph.find(id)->name);
    return names;
}

TEST(CheckLoops, RunWhereTheirFirstNodeStandsAndKnowTheirShapes)
{
    const Graph graph = loop().graph();
    const CheckedGraph result = look(graph);
    EXPECT_THAT(findings(result), IsEmpty());
    ASSERT_EQ(result.loops.size(), 1u);
    EXPECT_THAT(named(graph, result.loops[0]), ElementsAre("delay", "sum", "back"));
    EXPECT_THAT(named(graph, result.order), ElementsAre("text", "embedding", "delay", "sum", "back", "head"));
    const GraphMaker maker = loop();
    EXPECT_EQ(result.nodes.at(maker.id("delay")).inputs.at("x").width, 16);
    EXPECT_EQ(result.nodes.at(maker.id("sum")).inputs.at("b").width, 16);
    EXPECT_TRUE(result.nodes.at(maker.id("back")).looped);
    EXPECT_FALSE(result.nodes.at(maker.id("head")).looped);
}

TEST(CheckLoops, ADelayWithoutALoopIsANodeLikeAnyOther)
{
    GraphMaker maker = characterModel();
    Graph graph = maker.node("delay", "late").graph();
    graph = edits::disconnect({{maker.id("lstm"), "y"}, {maker.id("head"), "x"}}).apply(graph).value();
    graph = edits::connect({{maker.id("lstm"), "y"}, {maker.id("late"), "x"}}).apply(graph).value();
    graph = edits::connect({{maker.id("late"), "y"}, {maker.id("head"), "x"}}).apply(graph).value();
    const CheckedGraph result = look(graph);
    EXPECT_THAT(findings(result), IsEmpty());
    EXPECT_THAT(result.loops, IsEmpty());
    EXPECT_THAT(named(graph, result.order), ElementsAre("text", "embedding", "lstm", "late", "head"));
}

TEST(CheckLoops, WidthsThatDoNotAgreeAreSaidWhereTheyMeet)
{
    const Diagnostic fault = only(look(loop(24).graph()));
    EXPECT_EQ(fault.sentence, "b has width 24, a has width 16");
    EXPECT_EQ(fault.nodeName, "sum");
}

TEST(CheckLoops, ACycleWithoutADelayAsksForOne)
{
    GraphMaker maker = loop();
    Graph graph = edits::removeNodes({maker.id("delay")}).apply(maker.graph()).value();
    graph = edits::connect({{maker.id("back"), "y"}, {maker.id("sum"), "b"}}).apply(graph).value();
    const Diagnostic fault = only(look(graph));
    EXPECT_EQ(fault.code, "cycle");
    EXPECT_EQ(fault.sentence, "sum -> back -> sum is a cycle: a node cannot depend on its own output; put a Delay in");
    ASSERT_TRUE(fault.fix);
    EXPECT_EQ(fault.fix->title, "Insert Delay");
    const CheckedGraph after = look(mended(graph, fault));
    EXPECT_THAT(findings(after), IsEmpty());
    EXPECT_EQ(after.loops.size(), 1u);
}

TEST(CheckLoops, NeedASequenceFromOutside)
{
    GraphMaker maker = characterModel();
    maker.node("linear", "turn", {{"units", std::int64_t{8}}}).node("delay", "delay");
    maker.wire("turn.y", "delay.x").wire("delay.y", "turn.x");
    EXPECT_THAT(
        findings(look(maker.graph())),
        Contains("loop delay: the loop delay -> turn -> delay has no input: wire a sequence to one of its nodes"));
}

TEST(CheckLoops, NeedABlockThatSaysTheirWidth)
{
    GraphMaker maker = characterModel();
    maker.node("join", "both").node("delay", "delay");
    maker.wire("embedding.y", "both.a").wire("delay.y", "both.b").wire("both.y", "delay.x");
    EXPECT_THAT(
        findings(look(maker.graph())),
        Contains("loop delay.x: the width at delay.x depends on itself: add a block with a fixed width to the loop"));
}

TEST(CheckLoops, CarryOneValueAStep)
{
    GraphMaker maker = characterModel();
    maker.node("lstm", "one").node("lstm", "two").node("delay", "delay").node("add", "sum");
    maker.wire("embedding.y", "sum.a").wire("delay.y", "sum.b").wire("sum.y", "one.x").wire("one.y", "two.x");
    maker.wire("one.state", "two.state").wire("two.y", "delay.x");
    const auto found = findings(look(maker.graph()));
    EXPECT_THAT(found, Contains(HasSubstr("loop two.state: one.state is known only after the last step")));
}

TEST(CheckLoops, HoldNothingThatReadsLaterStepsAndNoLoss)
{
    GraphMaker maker = loop();
    Graph graph = edits::resetParam(maker.id("back"), "units").apply(maker.graph()).value();
    graph = withBlock(graph, maker.id("back"), "attention");
    EXPECT_THAT(look(graph).loops, ::testing::SizeIs(1));
    EXPECT_THAT(findings(look(with(graph, maker.id("back"), "look", std::string("both")))),
                Contains(HasSubstr("loop back: back reads later steps, which are not yet available in the loop")));
    maker.node("delay", "told").node("linear", "again", {{"units", std::int64_t{16}}});
    maker.wire("head.logits", "told.x").wire("told.y", "again.x");
    Graph looped = edits::disconnect({{maker.id("sum"), "y"}, {maker.id("head"), "x"}}).apply(maker.graph()).value();
    looped = edits::connect({{maker.id("again"), "y"}, {maker.id("head"), "x"}}).apply(looped).value();
    EXPECT_THAT(findings(look(looped)),
                Contains(HasSubstr("loop head: head computes the loss, so it cannot be part of the loop")));
}

TEST(CheckLoops, HaveNoOutputOfAnEarlierStepToRepeat)
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding", {{"width", std::int64_t{16}}});
    maker.node("cell", "cell", {{"units", std::int64_t{16}}, {"masked_output", std::string("hold")}});
    maker.node("add", "sum").node("head", "head").node("delay", "delay");
    maker.wire("text.tokens", "embedding.tokens").wire("embedding.y", "sum.a").wire("delay.y", "sum.b");
    maker.wire("sum.y", "cell.x").wire("cell.y", "delay.x").wire("sum.y", "head.x");
    maker.wire("text.targets", "head.targets");
    EXPECT_THAT(findings(look(maker.graph())), IsEmpty()) << "no mask is wired";
    maker.wire("text.mask", "cell.mask");
    const CheckedGraph result = look(maker.graph());
    ASSERT_THAT(findings(result),
                ElementsAre(HasSubstr("loop cell.masked_output: cell repeats at masked steps what it gave before")));
    ASSERT_TRUE(result.diagnostics.front().fix);
    EXPECT_EQ(result.diagnostics.front().fix->title, "Set masked_output to zero");
}

TEST(CheckLoops, StandInGroupsWhole)
{
    GraphMaker maker = loop();
    const std::set<NodeId> inside{maker.id("sum"), maker.id("back"), maker.id("delay")};
    const Graph graph = edits::makeGroup(inside, "body").apply(maker.graph()).value();
    const CheckedGraph result = look(graph);
    EXPECT_THAT(findings(result), IsEmpty());
    EXPECT_THAT(result.loops, IsEmpty());
    EXPECT_THAT(result.nodes.at(graph.findByName("body")->id).inner->loops, ::testing::SizeIs(1));
}

TEST(CheckLoops, GoThroughGroupsButCloseBesideThem)
{
    GraphMaker maker = loop();
    const PortRef sum{maker.id("sum"), "y"}, back{maker.id("back"), "y"}, x{maker.id("head"), "x"};
    Graph graph = edits::disconnect({sum, x}).apply(maker.graph()).value();
    graph = edits::disconnect({back, {maker.id("delay"), "x"}}).apply(graph).value();
    graph = edits::connect({back, x}).apply(graph).value();
    graph = edits::makeGroup({sum.node, back.node}, "body").apply(graph).value();
    const PortRef out = graph.wireInto(x)->from;
    graph = edits::connect({out, {maker.id("delay"), "x"}}).apply(graph).value();
    const CheckedGraph result = look(graph);
    EXPECT_THAT(findings(result), IsEmpty());
    ASSERT_THAT(result.loops, ::testing::SizeIs(1));
    EXPECT_THAT(named(graph, result.loops[0]), ElementsAre("delay", "body"));
}

TEST(CheckLoops, WiresToADelayMayRunBack)
{
    GraphMaker maker = loop();
    const PortRef back{maker.id("back"), "y"}, x{maker.id("delay"), "x"}, b{maker.id("sum"), "b"};
    const Graph open = edits::disconnect({back, x}).apply(maker.graph()).value();
    EXPECT_THAT(wirePartners(open, withDelay(), {back, true}), Contains(x));
    EXPECT_THAT(wirePartners(open, withDelay(), {x, false}), Contains(back));
    EXPECT_THAT(wirePartners(open, withDelay(), {back, true}), Not(Contains(b)));
    EXPECT_FALSE(wireFault(open, withDelay(), {back, x}));
    const auto fault = wireFault(open, withDelay(), {back, b});
    ASSERT_TRUE(fault && fault->fix);
    EXPECT_EQ(fault->code, "cycle");
    const Graph made = fault->fix->edit.apply(open).value();
    EXPECT_NE(made.findByName("delay_2"), nullptr) << "the wire is made, with a delay in it";
    EXPECT_THAT(look(made).loops, ::testing::SizeIs(1));
}

} // namespace
} // namespace unroll
