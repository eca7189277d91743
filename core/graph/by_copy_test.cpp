// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/by_copy.h"

#include "core/graph/shown_params.h"
#include "core/graph/test_groups.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace unroll {
namespace {

using namespace testing_edits;
using namespace testing_groups;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ByCopy ruleFor(ByCopy::Rule which, std::int64_t count, PlainValue value, PlainValue other)
{
    return {which, count, {std::move(value), std::move(other)}};
}

/// "0101" of flags, copy by copy.
std::string inCopies(const ByCopy& values, std::int64_t copies)
{
    std::string each;
    for (const PlainValue& value : listOf(values, copies).values)
        each += std::get<bool>(value) ? '1' : '0';
    return each;
}

TEST(ByCopy, RulesCountCopiesFromOne)
{
    EXPECT_EQ(inCopies(ruleFor(ByCopy::Rule::Every, 2, true, false), 5), "01010");
    EXPECT_EQ(inCopies(ruleFor(ByCopy::Rule::Every, 1, true, false), 3), "111");
    EXPECT_EQ(inCopies(ruleFor(ByCopy::Rule::First, 2, true, false), 4), "1100");
    EXPECT_EQ(inCopies(ruleFor(ByCopy::Rule::Last, 1, true, false), 4), "0001");
    EXPECT_EQ(inCopies(ruleFor(ByCopy::Rule::Last, 9, true, false), 2), "11");
    EXPECT_EQ(inCopies(listed({true, false, true}), 3), "101");
    EXPECT_EQ(inCopies(listed({true, false}), 4), "1000") << "too short";
    EXPECT_EQ(inFirstCopy(ruleFor(ByCopy::Rule::Last, 3, true, false)), ParamValue(false));
    EXPECT_EQ(inFirstCopy(ParamValue(0.5)), ParamValue(0.5));
}

TEST(ByCopy, SaysWhatDoesNotFitTheCopies)
{
    EXPECT_EQ(copiesFault(listedNumbers({1, 2, 3}), 3), "");
    EXPECT_EQ(copiesFault(listedNumbers({1, 2, 3}), 4), "has 3 values for the 4 copies");
    EXPECT_EQ(copiesFault(listedNumbers({1}), 2), "has 1 value for the 2 copies");
    EXPECT_EQ(copiesFault(ruleFor(ByCopy::Rule::Every, 0, true, false), 4), "must count at least 1 of the 4 copies");
    EXPECT_EQ(copiesFault(ruleFor(ByCopy::Rule::Last, 9, true, false), 4), "");
    EXPECT_THAT(copiesFault({ByCopy::Rule::First, 1, {true}}, 4), HasSubstr("has 1 values in place of two"));
}

/// longModel with lstm and linear in the group "body", three copies of it.
Graph threeCopies()
{
    Graph graph = must(edits::makeGroup({3, 4}, "body"), longModel().graph());
    return must(edits::setRepeat(6, 3, false), graph);
}

TEST(ByCopy, GoesThroughAFileAsItIs)
{
    const std::vector<ByCopy> all{listedNumbers({64, 32, 16}),
                                  listed({0.5, 1.0, std::int64_t{2}}),
                                  listed({std::string("none"), std::string("a, b"), std::string("every 2")}),
                                  ruleFor(ByCopy::Rule::Every, 4, std::string("causal"), std::string("none")),
                                  ruleFor(ByCopy::Rule::First, 2, true, false),
                                  ruleFor(ByCopy::Rule::Last, 1, std::int64_t{8}, 0.25)};
    for (const ByCopy& values : all) {
        const Graph graph = must(edits::inside({6}, edits::setParam(3, "units", values)), threeCopies());
        const std::string text = saved(graph);
        const auto again = graphFromJson(*readJson(text, ""), "");
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_TRUE(*again == graph) << text;
        EXPECT_EQ(saved(*again), text);
    }
    const Graph graph = must(edits::inside({6}, edits::setParam(3, "look", all[3])), threeCopies());
    EXPECT_THAT(saved(graph), HasSubstr(R"("look": {"every": 4, "value": "causal", "else": "none"})"));
}

/// Null, arrays in arrays and other objects are no values, and stay as they were written.
TEST(ByCopy, OtherFormsAreKeptWordForWord)
{
    for (const char* text :
         {"[]", "[[1], 2]", "[1, null]", R"({"every": 2, "value": 1})", R"({"every": 1.5, "value": 1, "else": 2})",
          R"({"every": 2, "value": [1], "else": 2})", R"({"each": 2, "value": 1, "else": 2})",
          R"({"every": 2, "value": 1, "else": 2, "more": 3})"}) {
        const std::string file = fmt::format(
            R"({{"nodes": [{{"block": "lstm", "name": "a", "at": [0, 0], "params": {{"units": {}}}}}]}})", text);
        const auto graph = graphFromJson(*readJson(file, ""), "");
        ASSERT_TRUE(graph) << graph.error().text();
        EXPECT_THAT(graph->find(1)->params, IsEmpty()) << text;
        EXPECT_EQ(*readJson(graph->find(1)->extra.at("params"), "")->find("units"), *readJson(text, ""));
        EXPECT_EQ(saved(*graphFromJson(graphToJson(*graph), "")), saved(*graph));
    }
}

TEST(ByCopy, NumbersMustBeFinite)
{
    EXPECT_EQ(refusal(edits::setParam(3, "units", listed({1.0, std::numeric_limits<double>::infinity()})),
                      longModel().graph()),
              "units must be a finite number");
}

std::vector<ParamValue> unitsOfCopies(const Graph& graph, const std::string& node, int copies)
{
    std::vector<ParamValue> values;
    for (int copy = 1; copy <= copies; ++copy) {
        const Node* group = graph.findByName(fmt::format("body_{}", copy));
        values.push_back(group->group->graph->findByName(node)->params.at("units"));
    }
    return values;
}

TEST(ByCopy, UnrolledCopiesHaveTheirOwnValues)
{
    const Graph graph =
        must(edits::inside({6}, edits::setParam(3, "units", listedNumbers({64, 32, 16}))), threeCopies());
    EXPECT_THAT(unitsOfCopies(must(edits::unrollGroup(6), graph), "lstm", 3),
                ElementsAre(ParamValue(std::int64_t{64}), ParamValue(std::int64_t{32}), ParamValue(std::int64_t{16})));
    const Graph unpacked = must(edits::unpackGroup(6), graph);
    EXPECT_EQ(unpacked.findByName("lstm")->params.at("units"), ParamValue(std::int64_t{64}));
    EXPECT_EQ(unpacked.findByName("lstm_3")->params.at("units"), ParamValue(std::int64_t{16}));
}

/// The value of a group counts as that of the node inside, so it counts the group's own copies.
TEST(ByCopy, APromotedValueIsUnrolledWithItsGroup)
{
    Graph graph = must(edits::promoteParam(6, {"width", 3, "units"}), threeCopies());
    graph = must(edits::setParam(6, "width", listedNumbers({64, 32, 16})), graph);
    const Graph unrolled = must(edits::unrollGroup(6), graph);
    EXPECT_EQ(unrolled.findByName("body_2")->params.at("width"), ParamValue(std::int64_t{32}));
    EXPECT_EQ(unrolled.findByName("body_3")->params.at("width"), ParamValue(std::int64_t{16}));
    const Graph demoted = must(edits::demoteParam(6, {"width", 3, "units"}), graph);
    EXPECT_EQ(groupAt(demoted, 6).graph->find(3)->params.at("units"), ParamValue(listedNumbers({64, 32, 16})));
    EXPECT_EQ(must(edits::renamePromoted(6, edits::Promoted::Param, "width", "size"), graph).find(6)->params.at("size"),
              ParamValue(listedNumbers({64, 32, 16})));
}

/// A group around may hold the value too; its copies are not those that the value counts.
TEST(ByCopy, AValueThatAGroupAroundSetsComesDownWhenItsCopiesAreUnrolled)
{
    Graph graph = must(edits::promoteParam(6, {"width", 3, "units"}), threeCopies());
    graph = must(edits::makeGroup({6}, "outer"), graph);
    graph = must(edits::promoteParam(7, {"size", 6, "width"}), graph);
    graph = must(edits::setParam(7, "size", listedNumbers({64, 32, 16})), graph);
    const Graph unrolled = must(edits::inside({7}, edits::unrollGroup(6)), graph);
    const Graph& inside = *groupAt(unrolled, 7).graph;
    for (const auto& [name, value] : {std::pair("body_1", 64), std::pair("body_2", 32), std::pair("body_3", 16)})
        EXPECT_EQ(inside.findByName(name)->params.at("width"), ParamValue(std::int64_t{value}));
    EXPECT_THAT(groupAt(unrolled, 7).params, IsEmpty());
    EXPECT_THAT(unrolled.find(7)->params, IsEmpty());
    const Graph unpacked = must(edits::inside({7}, edits::unpackGroup(6)), graph);
    EXPECT_EQ(groupAt(unpacked, 7).graph->findByName("lstm_2")->params.at("units"), ParamValue(std::int64_t{32}));
}

/// The innermost repeated group counts: unrolling the one around leaves the values of the one inside alone.
TEST(ByCopy, OnlyTheInnermostRepeatedGroupIsCounted)
{
    Graph graph = must(edits::inside({6}, edits::setParam(3, "units", listedNumbers({64, 32, 16}))), threeCopies());
    graph = must(edits::makeGroup({6}, "outer"), graph);
    graph = must(edits::setRepeat(7, 2, false), graph);
    EXPECT_EQ(countedGroup(graph, {7, 6}, *groupAt(*groupAt(graph, 7).graph, 6).graph->find(3))->repeat, 3);
    EXPECT_EQ(countedGroup(graph, {7}, *groupAt(graph, 7).graph->find(6))->repeat, 3);
    const Graph unrolled = must(edits::unrollGroup(7), graph);
    const Node& inner = *unrolled.findByName("outer_2")->group->graph->findByName("body");
    EXPECT_EQ(inner.group->graph->find(3)->params.at("units"), ParamValue(listedNumbers({64, 32, 16})));
    EXPECT_EQ(countedGroup(longModel().graph(), {}, *longModel().graph().find(3)), nullptr);
}

/// A group that is not repeated stands between a node and the copies that it counts.
TEST(ByCopy, GroupsThatAreNotRepeatedAreSeenThrough)
{
    Graph graph = must(edits::inside({6}, edits::setParam(3, "units", listedNumbers({64, 32, 16}))), threeCopies());
    graph = must(edits::inside({6}, edits::makeGroup({3}, "cell")), graph);
    const Graph unrolled = must(edits::unrollGroup(6), graph);
    const Node& cell = *unrolled.findByName("body_3")->group->graph->findByName("cell");
    EXPECT_EQ(cell.group->graph->find(3)->params.at("units"), ParamValue(std::int64_t{16}));
}

TEST(ByCopy, AValueForNodesThatCountDifferentCopiesIsNotUnrolled)
{
    Graph graph = must(edits::inside({6}, edits::makeGroup({4}, "inner")), threeCopies());
    const NodeId inner = groupAt(graph, 6).graph->findByName("inner")->id;
    graph = must(edits::inside({6}, edits::setRepeat(inner, 3, false)), graph);
    graph = must(edits::inside({6}, edits::promoteParam(inner, {"units", 4, "units"})), graph);
    graph = must(edits::promoteParam(6, {"width", 3, "units"}), graph);
    graph = must(edits::promoteParam(6, {"width", inner, "units"}), graph);
    graph = must(edits::setParam(6, "width", listedNumbers({64, 32, 16})), graph);
    EXPECT_THAT(refusal(edits::unrollGroup(6), graph), HasSubstr("body.width differs by copy"));
}

} // namespace
} // namespace unroll
