// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the data that are negative where times are asked for.
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
using ::testing::IsEmpty;

BlockSpec table()
{
    return {.id = "table",
            .title = "Table",
            .category = Category::Data,
            .outputs = {port("features", PortType::Sequence), port("targets", PortType::Targets)},
            .params = {{.name = "unscaled", .type = ParamType::Text, .defaultValue = std::string()}},
            .infer =
                [](InferScope& scope) {
                    scope.output("features", sequence(scope.facts()->inputs));
                    scope.output("targets", {.type = PortType::Targets, .classes = 3});
                },
            .unscaledParam = "unscaled"};
}

/// Two features from `start` on.
BlockSpec pair()
{
    return {.id = "pair",
            .title = "Pair",
            .inputs = {port("x", PortType::Sequence)},
            .outputs = {port("y", PortType::Sequence)},
            .params = {integer("start", 0, 0), flag("copies", true)},
            .infer = [](InferScope& scope) {
                scope.output("y", sequence(2));
                scope.same({.from = "x",
                            .to = "y",
                            .fromAt = scope.integer("start"),
                            .count = 2,
                            .copied = scope.boolean("copies")});
            }};
}

BlockSpec clock()
{
    PortSpec times = port("dt", PortType::Sequence);
    times.notNegative = true;
    return {.id = "clock",
            .title = "Clock",
            .inputs = {port("x", PortType::Sequence), times},
            .outputs = {port("y", PortType::Sequence)},
            .infer = [](InferScope& scope) { scope.output("y", sequence(4)); }};
}

const BlockRegistry& timed()
{
    static const auto* all = [] {
        auto* made = new BlockRegistry;
        for (BlockSpec spec : {table(), pair(), clock(), head()})
            made->add(std::move(spec));
        return made;
    }();
    return *all;
}

/// Four columns: a is normalised to -2 .., dt to -1 .. unless the table leaves it, c and d are not negative.
CheckedGraph checkedTimes(const Graph& graph, double leastInFile = 0.5)
{
    CheckOptions with = options();
    with.sourceFacts = [leastInFile](const std::string&, const Params& params) {
        const bool stays = std::get<std::string>(params.at("unscaled")).ends_with("dt");
        return SourceFacts{
            .steps = 8,
            .inputs = 4,
            .columns = {{"a", -2, 3}, {"dt", stays ? leastInFile : -1, leastInFile}, {"c", 0, 0}, {"d", 1, 1}}};
    };
    return check(graph, timed(), with);
}

/// Features from `first` on, of these the first two from `second` on, as times.
Graph reading(std::int64_t first, std::int64_t second = 0, Params more = {})
{
    more["start"] = second;
    GraphMaker made;
    made.node("table", "table").node("pair", "some", {{"start", first}}).node("pair", "times", std::move(more));
    made.node("clock", "clock").node("head", "head");
    made.wire("table.features", "some.x").wire("some.y", "times.x").wire("times.y", "clock.dt");
    made.wire("table.features", "clock.x").wire("clock.y", "head.x").wire("table.targets", "head.targets");
    return made.graph();
}

TEST(CheckSigns, ANormalisedColumnOfTimesIsToldAndMendedByAClick)
{
    const Graph graph = reading(1);
    const CheckedGraph result = checkedTimes(graph);
    EXPECT_THAT(findings(result),
                ElementsAre("warning negative-input clock.dt: clock.dt takes numbers that are not negative: "
                            "normalised, the column dt of table is negative, down to -1; in the file it is at least "
                            "0.5"));
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_THAT(findings(checkedTimes(mended(graph, result.diagnostics.front()))), IsEmpty());
}

TEST(CheckSigns, TheFixKeepsTheColumnsThatAreListed)
{
    Graph graph = with(reading(1), 1, "unscaled", std::string("c"));
    const CheckedGraph result = checkedTimes(graph);
    ASSERT_FALSE(result.diagnostics.empty());
    graph = mended(graph, result.diagnostics.front());
    EXPECT_EQ(graph.find(1)->params.at("unscaled"), ParamValue(std::string("c, dt")));
}

TEST(CheckSigns, WhatIsNegativeInTheFileHasNoFix)
{
    const CheckedGraph result = checkedTimes(reading(1), -0.25);
    EXPECT_THAT(findings(result),
                ElementsAre("warning negative-input clock.dt: clock.dt takes numbers that are not negative: the "
                            "column dt of table is negative in the file, down to -0.25"));
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_FALSE(result.diagnostics.front().fix);
}

TEST(CheckSigns, OtherColumnsAndNumbersThatABlockHasChangedAreLeftAlone)
{
    EXPECT_THAT(findings(checkedTimes(reading(2))), IsEmpty()) << "c and d alone";
    EXPECT_THAT(findings(checkedTimes(reading(1, 0, {{"copies", false}}))), IsEmpty()) << "the numbers are others";
}

} // namespace
} // namespace unroll
