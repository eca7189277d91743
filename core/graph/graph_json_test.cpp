// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph_json.h"

#include "core/block/test_specs.h"
#include "core/graph/test_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <random>

namespace unroll {
namespace {

using namespace testing_edits;
using namespace testing_specs;
using ::testing::HasSubstr;

Result<Graph> parse(const std::string& text)
{
    auto json = readJson(text, "f.unroll");
    return json ? graphFromJson(*json, "f.unroll") : tl::unexpected(json.error());
}

std::string faultOf(const std::string& text)
{
    const auto graph = parse(text);
    return graph ? "read without error" : graph.error().message;
}

/// A group of two nodes, repeated, with ports and a parameter promoted; a frame; odd names and numbers.
Graph richGraph()
{
    GraphMaker inner;
    inner.node("lstm", "cell", {{"dropout", 0.1}})
        .node("linear", "mix", {{"units", std::int64_t{32}}})
        .wire("cell.y", "mix.x");
    Group group{std::make_shared<const Graph>(inner.graph()),
                3,
                true,
                true,
                {{"x", {1, "x"}}},
                {{"y", {2, "y"}}},
                {{"units", 1, "units"}}};
    GraphMaker maker = characterModel();
    maker.group("stack", group, {{"units", std::int64_t{32}}}).wire("lstm.y", "stack.x").wire("text.mask", "lstm.mask");
    Graph graph = maker.graph();
    graph.frames[9] = {9, "why \"this\"\nand that é", {-12.5, 1e-7}, 300, 80.25};
    graph.nextId = 40;
    return graph;
}

TEST(GraphJson, ReadsWell)
{
    EXPECT_EQ(saved(characterModel().graph()), R"({
  "nodes": [
    {"id": 1, "block": "text", "name": "text", "at": [200, 40], "params": {}},
    {"id": 2, "block": "embedding", "name": "embedding", "at": [400, 40], "params": {}},
    {"id": 3, "block": "lstm", "name": "lstm", "at": [600, 40], "params": {"units": 48}},
    {"id": 4, "block": "head", "name": "head", "at": [800, 40], "params": {}}
  ],
  "wires": [
    "text.tokens -> embedding.tokens",
    "embedding.y -> lstm.x",
    "text.targets -> head.targets",
    "lstm.y -> head.x"
  ],
  "next_id": 5
})");
}

TEST(GraphJson, ARichGraphSurvives)
{
    const Graph graph = richGraph();
    const auto again = parse(saved(graph));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again, graph);
    EXPECT_EQ(saved(*again), saved(graph));
    EXPECT_THAT(saved(graph), HasSubstr(R"("x -> cell.x")"));
    EXPECT_THAT(saved(graph), HasSubstr(R"("mix.y -> y")"));
    EXPECT_THAT(saved(graph), HasSubstr(R"("units -> cell.units")"));
}

TEST(GraphJson, WhatANewerVersionWroteComesBackWordForWord)
{
    const std::string text = R"({
  "nodes": [
    {
      "id": 3,
      "block": "hyena_of_2030",
      "name": "h",
      "at": [0.5, -1e+20],
      "params": {
        "big": 18446744073709551617,
        "filter": [
          1,
          2.50,
          {"a": null}
        ],
        "none": null,
        "tiny": 1.0e-3,
        "whole": 7
      },
      "colour": "red",
      "group": {"not": "a group"},
      "pins": {"x": [1, 2]}
    },
    {
      "id": 4,
      "block": "group",
      "name": "g",
      "at": [0, 0],
      "params": {},
      "group": {
        "repeat": 2,
        "shared_weights": false,
        "reversible": true,
        "inputs": [],
        "outputs": [],
        "params": [],
        "nodes": [],
        "wires": [],
        "next_id": 1,
        "folded": true
      }
    }
  ],
  "wires": [],
  "next_id": 5
})";
    const auto graph = parse(text);
    ASSERT_TRUE(graph) << graph.error().text();
    EXPECT_EQ(saved(*graph), text);
    EXPECT_EQ(graph->find(3)->params.at("tiny"), ParamValue(0.001));
    EXPECT_EQ(graph->find(3)->params.at("whole"), ParamValue(std::int64_t{7}));
    EXPECT_FALSE(graph->find(3)->params.contains("filter"));
    const auto edited = edits::setParam(3, "tiny", 0.5).apply(*graph);
    EXPECT_THAT(saved(*edited), HasSubstr("\"tiny\": 0.5,\n        \"whole\": 7"));
    EXPECT_EQ(*parse(saved(*edited)), *edited);
}

TEST(GraphJson, NodesMayBeWrittenBriefly)
{
    const auto graph = parse(
        R"({"nodes": [{"block": "text"}, {"block": "lstm", "params": {"units": 8}}], "wires": ["text.mask -> lstm.mask"]})");
    ASSERT_TRUE(graph) << graph.error().text();
    EXPECT_EQ(graph->find(1)->name, "text");
    EXPECT_EQ(graph->findByName("lstm")->id, 2u);
    EXPECT_EQ(graph->wires.size(), 1u);
    EXPECT_EQ(graph->nextId, 3u);
}

TEST(GraphJson, NamesThatCannotStandInAWireAreWrittenByNumber)
{
    Graph graph;
    for (const char* name : {"twice", "twice", "", "a b", "dot.ted", "fine"})
        graph.addNode({.id = graph.nextId, .block = "lstm", .name = name});
    for (NodeId id = 1; id < 6; ++id)
        graph.addWire({{id, "y"}, {6, "x" + std::to_string(id)}});
    graph.addWire({{6, "a -> b"}, {6, "y.z"}});
    graph.addWire({{6, ""}, {6, "w"}});
    graph.addWire({{6, "y.z"}, {6, "v"}});
    const auto again = parse(saved(graph));
    ASSERT_TRUE(again) << again.error().text() << saved(graph);
    EXPECT_EQ(*again, graph);
    EXPECT_THAT(saved(graph), HasSubstr(R"("fine.y.z -> fine.v")"));
    EXPECT_THAT(saved(graph), HasSubstr(R"({"from": 1, "output": "y", "to": 6, "input": "x1"})"));
}

TEST(GraphJson, NamesOffsetAndMember)
{
    EXPECT_EQ(faultOf("[]"), "graph must be an object; it is an array (byte 0)");
    EXPECT_EQ(faultOf("{}"), "graph.nodes is missing (byte 0)");
    EXPECT_EQ(faultOf(R"({"nodes": 3})"), "graph.nodes must be an array; it is 3 (byte 10)");
    EXPECT_EQ(faultOf(R"({"nodes": [null]})"), "graph.nodes[0] must be an object; it is null (byte 11)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"id": 1}]})"), "graph.nodes[0].block is missing (byte 11)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": 7}]})"), "graph.nodes[0].block must be a string; it is 7 (byte 21)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": "a", "id": 0}]})"),
              "graph.nodes[0].id must be a whole number from 1 to 9007199254740991 (byte 32)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": "a", "name": 5}]})"),
              "graph.nodes[0].name must be a string; it is 5 (byte 34)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": "a", "at": [1]}]})"),
              "graph.nodes[0].at must be two numbers: [x, y] (byte 32)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": "a", "params": []}]})"),
              "graph.nodes[0].params must be an object; it is an array (byte 36)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": "a", "id": 2}, {"block": "a", "id": 2}]})"),
              "graph.nodes[1].id is 2, which another node has (byte 36)");
    EXPECT_EQ(faultOf(R"({"nodes": [], "wires": [5]})"),
              "graph.wires[0] must be a string or have the members from, output, to and input (byte 24)");
    EXPECT_EQ(faultOf(R"({"nodes": [], "wires": ["a.y - b.x"]})"),
              R"(graph.wires[0] must read "node.output -> node.input"; it is "a.y - b.x" (byte 24))");
    EXPECT_EQ(faultOf(R"({"nodes": [], "wires": ["a -> b"]})"),
              R"(graph.wires[0] must name a port as node.port; it is "a" (byte 24))");
    EXPECT_EQ(faultOf(R"({"nodes": [], "wires": ["a.y -> b.x"]})"),
              "graph.wires[0] names the node a, which the graph does not have (byte 24)");
    EXPECT_THAT(faultOf(R"({"nodes": [{"block": "a"}, {"block": "a"}], "wires": ["a.y -> a.x"]})"),
                HasSubstr("several nodes have that name"));
    EXPECT_EQ(faultOf(R"({"nodes": [], "version": 2})"), "graph.version is not a member of a graph (byte 25)");
    EXPECT_EQ(faultOf(R"({"nodes": [], "frames": [{"ttle": 1}]})"),
              "graph.frames[0].ttle is not a member of a frame (byte 34)");
    EXPECT_EQ(faultOf(R"({"nodes": [], "next_id": "1"})"),
              "graph.next_id must be a whole number from 1 to 9007199254740992 (byte 25)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": "group"}]})"), "graph.nodes[0].group is missing (byte 11)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": "group", "group": {"nodes": [], "repeat": 1.5}}]})"),
              "graph.nodes[0].group.repeat must be a whole number; it is 1.5 (byte 63)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": "group", "group": {"nodes": [], "reversible": 1}}]})"),
              "graph.nodes[0].group.reversible must be true or false; it is 1 (byte 67)");
    EXPECT_EQ(faultOf(R"({"nodes": [{"block": "group", "group": {"nodes": [], "outputs": ["a.y -> y"]}}]})"),
              "graph.nodes[0].group.outputs[0] names the node a, which the graph does not have (byte 65)");
    EXPECT_EQ(parse("{}").error().place, "f.unroll");
}

TEST(GraphJson, WhatWasReadCanBeReadAgainUpToTheLastId)
{
    const std::string last = std::to_string(kMaxId - 1), end = std::to_string(kMaxId);
    for (const std::string& members :
         {R"("nodes": [{"block": "a", "id": )" + last + "}]",
          R"("nodes": [], "frames": [{"title": "a", "at": [0, 0], "size": [1, 1], "id": )" + last + "}]",
          R"("nodes": [], "next_id": )" + end}) {
        const auto graph = parse("{" + members + "}");
        ASSERT_TRUE(graph) << graph.error().text();
        EXPECT_EQ(graph->nextId, kMaxId);
        const auto again = parse(saved(*graph));
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(*again, *graph);
    }
    EXPECT_THAT(faultOf(R"({"nodes": [{"block": "a", "id": )" + end + "}]}"), HasSubstr("nodes[0].id must be"));
    EXPECT_THAT(faultOf(R"({"nodes": [], "frames": [{"id": )" + end + "}]}"), HasSubstr("frames[0].id must be"));
    EXPECT_THAT(faultOf(R"({"nodes": [], "next_id": )" + std::to_string(kMaxId + 1) + "}"),
                HasSubstr("next_id must be"));
    EXPECT_THAT(faultOf(R"({"nodes": [{"block": "a", "id": )" + last + R"(}, {"block": "b"}]})"),
                HasSubstr("nodes[1].id is missing, and " + last + " is already used"));
    EXPECT_THAT(faultOf(R"({"nodes": [{"block": "a", "id": )" + last + R"(}], "frames": [{"title": "b"}]})"),
                HasSubstr("frames[0].id is missing, and " + last + " is already used"));
}

TEST(GraphJson, AbsurdNumbersArriveAsTheyAre)
{
    const auto graph = parse(
        R"({"nodes": [{"block": "lstm", "params": {"a": 1000000000, "b": 2147483648, "c": 9223372036854775808, "d": -1e308}}]})");
    ASSERT_TRUE(graph);
    const Params& params = graph->find(1)->params;
    EXPECT_EQ(params.at("a"), ParamValue(std::int64_t{1'000'000'000}));
    EXPECT_EQ(params.at("b"), ParamValue(std::int64_t{2'147'483'648}));
    EXPECT_EQ(params.at("c"), ParamValue(9223372036854775808.0));
    EXPECT_EQ(params.at("d"), ParamValue(-1e308));
    EXPECT_EQ(*parse(saved(*graph)), *graph);
}

std::string nestedGroups(int depth)
{
    std::string open, close;
    for (int i = 0; i < depth; ++i) {
        open += R"({"nodes": [{"block": "group", "group": )";
        close += "}]}";
    }
    return open + R"({"nodes": [{"block": "lstm", "params": {"units": 4}}]})" + close;
}

TEST(GraphJson, GroupsNestSixteenDeep)
{
    const auto graph = parse(nestedGroups(16));
    ASSERT_TRUE(graph) << graph.error().text();
    EXPECT_EQ(*parse(saved(*graph)), *graph);
    EXPECT_THAT(faultOf(nestedGroups(17)), HasSubstr("is nested too deep: at most 16 levels of groups"));
    EXPECT_THAT(faultOf(nestedGroups(10'000)), HasSubstr("nested deeper than 64 levels"));
}

TEST(GraphJson, EveryTruncationIsAnError)
{
    Graph plain = characterModel().graph();
    Graph odd;
    odd.addNode(
        {.id = 7, .block = "x.y", .name = "é\"\\", .params = {{"a", 1e-9}}, .extra = {{"k", "[1,{\"b\":null}]"}}});
    for (const Graph& graph : {Graph(), plain, richGraph(), odd, *parse(nestedGroups(5))}) {
        const std::string text = saved(graph);
        for (std::size_t length = 0; length < text.size(); ++length) {
            const auto cut = parse(text.substr(0, length));
            ASSERT_FALSE(cut) << length;
            ASSERT_THAT(cut.error().message, HasSubstr("byte ")) << length;
        }
        EXPECT_TRUE(parse(text));
    }
}

/// Flips a token of a valid document into something else of JSON.
TEST(GraphJson, ChangedDocumentsAreReadOrRefusedButNeverThrow)
{
    static constexpr const char* kOthers[] = {
        "null", "-1",  "1e999", "\"\"",          "[]", "{}", "9223372036854775808", "1000000000",
        "true", "NaN", "1.5",   "\"a.y -> a.x\""};
    const std::string text = saved(richGraph());
    std::mt19937_64 random(3);
    int read = 0, refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::size_t from = text.find_first_of(" [{:,", random() % text.size());
        std::size_t to = text.find_first_of(",]}\n", from + 1);
        if (from == std::string::npos || to == std::string::npos)
            continue;
        const auto graph = parse(text.substr(0, from + 1) + kOthers[random() % std::size(kOthers)] + text.substr(to));
        (graph ? read : refused)++;
        if (graph) {
            const auto again = parse(saved(*graph));
            ASSERT_TRUE(again) << again.error().text();
            ASSERT_EQ(*again, *graph);
        } else {
            ASSERT_THAT(graph.error().message, HasSubstr("byte "));
        }
    }
    EXPECT_GT(read, 500);
    EXPECT_GT(refused, 500);
}

TEST(GraphJson, TenThousandNodesLoadWithinTwoSeconds)
{
    Graph graph;
    for (NodeId id = 1; id <= 10'000; ++id) {
        graph.addNode(
            {.id = id, .block = "lstm", .name = "lstm_" + std::to_string(id), .params = {{"units", std::int64_t{64}}}});
        if (id > 1)
            graph.wires.push_back({{id - 1, "y"}, {id, "x"}});
    }
    const std::clock_t start = std::clock();
    const auto again = parse(saved(graph));
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, graph);
    EXPECT_LT(seconds, 2.0);
    std::printf("save and load of 10,000 nodes: %.3f s of processor time\n", seconds);
}

TEST(GraphJson, TooManyNodesAreRefused)
{
    std::string text = R"({"nodes": [)";
    for (int i = 0; i < 100'001; ++i)
        text += R"({"block": "a"},)";
    text.back() = ']';
    EXPECT_THAT(faultOf(text + "}"), HasSubstr("graph.nodes[100000] is one node too many"));
}

} // namespace
} // namespace unroll
