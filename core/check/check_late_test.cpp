// SPDX-License-Identifier: GPL-3.0-or-later
// States and vectors that are known after the last step alone, on their way to a next-token loss.
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

constexpr const char* kAhead = " see later steps, but the loss predicts the next one: it would only copy it";

/// The registry with other data blocks in the place of `text`.
BlockRegistry withData(std::initializer_list<BlockSpec> blocks)
{
    BlockRegistry changed;
    for (const BlockSpec& spec : blocks)
        changed.add(spec);
    for (BlockSpec spec : {embedding(), linear(), lstm(), head()})
        changed.add(std::move(spec));
    return changed;
}

/// Gives a state and a vector before the first step.
BlockSpec textWithStart()
{
    BlockSpec spec = text();
    spec.outputs.push_back(port("state", PortType::State));
    spec.outputs.push_back(port("vector", PortType::Vector));
    spec.infer = [](InferScope& scope) {
        inferText(scope);
        scope.output("state", {.type = PortType::State, .width = 32});
        scope.output("vector", {.type = PortType::Vector, .width = 8});
    };
    return spec;
}

/// Makes a state of a vector.
BlockSpec start()
{
    return {.id = "start",
            .title = "Start",
            .inputs = {port("vector", PortType::Vector)},
            .outputs = {port("state", PortType::State)},
            .infer = [](InferScope& scope) { scope.output("state", {.type = PortType::State, .width = 32}); }};
}

TEST(CheckLate, AWiredStateWouldLetTheDecoderSeeTheText)
{
    const Graph graph = encoderAndDecoder().graph();
    const Diagnostic error = only(checked(graph));
    EXPECT_EQ(error.code, "not-causal");
    EXPECT_EQ(placeOf(error), "dec.state");
    EXPECT_EQ(error.sentence,
              std::string("enc.state is known only after the last step; wired to dec.state it lets dec") + kAhead);
    EXPECT_EQ(error.fix->title, "Remove the wire");
    EXPECT_TRUE(checked(mended(graph, error)).runnable());
}

TEST(CheckLate, ItIsFineWhereTheTargetsAreNoNextTokens)
{
    BlockSpec copy = text();
    copy.infer = [](InferScope& scope) {
        inferText(scope);
        scope.output("targets", {.type = PortType::Targets, .classes = 65});
    };
    EXPECT_TRUE(check(encoderAndDecoder().graph(), withData({copy}), options()).runnable());
}

TEST(CheckLate, WhatIsKnownBeforeTheFirstStepIsFine)
{
    const BlockRegistry blocks = withData({textWithStart(), start()});
    for (const bool made : {false, true}) {
        GraphMaker maker = encoderAndDecoder();
        Graph graph = must(edits::disconnect({maker.end("enc.state"), maker.end("dec.state")}), maker.graph());
        if (made)
            graph = must(edits::sequence("", {edits::addNode({.id = 9, .block = "start", .name = "start"}),
                                              edits::connect({{1, "vector"}, {9, "vector"}}),
                                              edits::connect({{9, "state"}, maker.end("dec.state")})}),
                         graph);
        else
            graph = must(edits::connect({{1, "state"}, maker.end("dec.state")}), graph);
        EXPECT_THAT(findings(check(graph, blocks, options())), ElementsAre(HasSubstr("warning unused enc")));
    }
}

TEST(CheckLate, InsideAGroupTheWireIsNamedThere)
{
    const Graph graph = must(edits::makeGroup({3, 4}, "body"), encoderAndDecoder().graph());
    const Diagnostic error = only(checked(graph));
    EXPECT_EQ(placeOf(error), "body.dec.state");
    EXPECT_THAT(error.sentence, HasSubstr("enc.state is known only after the last step"));
    EXPECT_TRUE(checked(mended(graph, error)).runnable());
}

TEST(CheckLate, IntoAGroupTheWireIsNamedAtItsPort)
{
    const Graph graph = must(edits::makeGroup({4}, "body"), encoderAndDecoder().graph());
    const Diagnostic error = only(checked(graph));
    EXPECT_THAT(error.sentence, HasSubstr("enc.state is known only after the last step; wired to body.state"));
    EXPECT_TRUE(checked(mended(graph, error)).runnable());
}

TEST(CheckLate, OutOfAGroupTheWireIsFollowedToWhatMadeIt)
{
    const Graph graph = must(edits::makeGroup({3}, "body"), encoderAndDecoder().graph());
    const Diagnostic error = only(checked(graph));
    EXPECT_THAT(error.sentence, HasSubstr("body.state is known only after the last step; wired to dec.state"));
    EXPECT_TRUE(checked(mended(graph, error)).runnable());
}

/// text -> embedding -> [lstm] -> head, the group's state beside its sequence at both ends.
Graph stateThroughCopies(std::int64_t repeat)
{
    Graph graph = must(edits::makeGroup({3}, "body"), characterModel().graph());
    graph = must(edits::inside({5}, edits::setParam(3, "units", std::int64_t{32})), graph);
    graph = must(edits::promoteInput(5, {"state", {3, "state"}}), graph);
    graph = must(edits::promoteOutput(5, {"state", {3, "state"}}), graph);
    return must(edits::setRepeat(5, repeat, false), graph);
}

TEST(CheckLate, CopiesOfARepeatedGroupHandTheirStateOn)
{
    EXPECT_THAT(findings(checked(stateThroughCopies(1))), IsEmpty());
    const Graph graph = stateThroughCopies(3);
    const Diagnostic error = only(checked(graph));
    EXPECT_EQ(placeOf(error), "body.state");
    EXPECT_EQ(error.sentence,
              std::string("body.state is known only after the last step; body is repeated, so it lets the next copy") +
                  kAhead);
    EXPECT_EQ(error.fix->title, "Set repeat to 1");
    EXPECT_TRUE(checked(mended(graph, error)).runnable());
}

TEST(CheckLate, WhatGoesOnBehindTheWireIsNotBlamedTwice)
{
    const Graph graph = with(encoderAndDecoder().graph(), 3, "bidirectional", true);
    EXPECT_THAT(findings(checked(graph)), ElementsAre(HasSubstr("not-causal dec.state")));
}

} // namespace
} // namespace unroll
