// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/check.h"

#include "core/check/test_findings.h"
#include "core/graph/by_copy.h"
#include "core/graph/test_edits.h"
#include "core/graph/test_random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace unroll {
namespace {

using namespace testing_check;
using namespace testing_edits;

std::string textOf(const Diagnostic& d)
{
    std::string place;
    for (const NodeId id : d.group)
        place += std::to_string(id) + "/";
    return place + std::to_string(d.node) + " " + d.where + " " + d.code + ": " + d.sentence;
}

std::vector<std::string> textsOf(const CheckedGraph& result)
{
    std::vector<std::string> texts;
    for (const Diagnostic& d : result.diagnostics)
        texts.push_back(textOf(d));
    return texts;
}

Graph randomGraph(std::uint64_t seed, int edits)
{
    RandomEdits random(seed);
    Graph graph = RandomModel(seed).make();
    for (int i = 0; i < edits; ++i)
        if (auto after = random.next(graph).apply(graph))
            graph = std::move(*after);
    return graph;
}

/// What is promised of every check, whatever the graph.
void expectConsistent(const Graph& graph, const CheckedGraph& result)
{
    EXPECT_EQ(result.nodes.size(), graph.nodes.size());
    EXPECT_EQ(std::set<NodeId>(result.order.begin(), result.order.end()).size(), graph.nodes.size());
    for (const Diagnostic& d : result.diagnostics) {
        EXPECT_FALSE(d.sentence.empty() || d.code.empty());
        EXPECT_TRUE(!d.fix || !d.fix->title.empty());
    }
    if (!result.runnable())
        return;
    std::set<NodeId> passed;
    for (const NodeId id : result.order) {
        for (const Wire& wire : graph.wires)
            EXPECT_TRUE(wire.to.node != id || passed.contains(wire.from.node));
        passed.insert(id);
    }
    for (const Wire& wire : graph.wires)
        EXPECT_NE(result.shapeAt(wire.from), nullptr);
    EXPECT_NE(result.source, 0u);
    EXPECT_NE(result.loss, 0u);
    EXPECT_EQ(result.steps, 64);
}

TEST(CheckProperties, RandomModelsAreValid)
{
    int groups = 0;
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        const Graph graph = RandomModel(seed).make();
        const CheckedGraph result = check(graph, blocks(), options());
        ASSERT_TRUE(result.diagnostics.empty()) << seed << " " << textOf(result.diagnostics.front()) << saved(graph);
        expectConsistent(graph, result);
        groups += graph.findByName("g") != nullptr;
    }
    EXPECT_GT(groups, 300);
}

TEST(CheckProperties, GroupingChangesNothing)
{
    int grouped = 0;
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        const Graph graph = RandomModel(seed).make();
        Graph flat = graph;
        for (bool more = true; more;) {
            more = false;
            for (const auto& [id, node] : flat.nodes)
                if (node->group) {
                    flat = *edits::unpackGroup(id).apply(flat);
                    more = true;
                    ++grouped;
                    break;
                }
        }
        const CheckedGraph result = check(graph, blocks(), options()), unpacked = check(flat, blocks(), options());
        ASSERT_TRUE(unpacked.runnable());
        ASSERT_EQ(result.cost, unpacked.cost);
        ASSERT_EQ(result.trainingBytes, unpacked.trainingBytes);
    }
    EXPECT_GT(grouped, 300);
}

/// Blocks of the group that differ from copy to copy, where the check calls that valid.
Graph withDifferentCopies(std::uint64_t seed, NodeId group, Graph graph)
{
    const auto rule = static_cast<ByCopy::Rule>(seed % 4);
    const ByCopy flags{rule, 2, {true, false}}, widths{rule, 1, {std::int64_t{12}, std::int64_t{5}}};
    const std::int64_t copies = graph.find(group)->group->repeat;
    const auto asGiven = [&](const ByCopy& values) {
        return rule == ByCopy::Rule::List ? listOf({ByCopy::Rule::Every, 2, values.values}, copies) : values;
    };
    const Graph inside = *graph.find(group)->group->graph;
    for (const auto& [id, node] : inside.nodes)
        for (const auto& [param, values] : {std::pair("bias", flags), std::pair("units", widths)}) {
            const BlockSpec* spec = blocks().find(node->block);
            if (spec == nullptr || spec->param(param) == nullptr)
                continue;
            Graph changed = must(edits::inside({group}, edits::setParam(id, param, asGiven(values))), graph);
            if (check(changed, blocks(), options()).runnable())
                graph = std::move(changed);
        }
    return graph;
}

/// The groups of the graph, repeated so that the check calls it valid.
Graph withRepeats(std::uint64_t seed, Graph graph)
{
    for (const auto& [id, node] : Graph(graph).nodes)
        if (node->group) {
            Graph repeated = *edits::setRepeat(id, 2 + static_cast<std::int64_t>(seed % 3), false).apply(graph);
            if (check(repeated, blocks(), options()).runnable())
                graph = seed % 2 == 0 ? std::move(repeated) : withDifferentCopies(seed, id, std::move(repeated));
        }
    return graph;
}

/// Shapes, cost, memory: a repeated group and its copies in a chain are the same to the check.
TEST(CheckProperties, UnrollingChangesNothing)
{
    int unrolled = 0, different = 0;
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE(seed);
        const Graph graph = withRepeats(seed, RandomModel(seed).make());
        const CheckedGraph result = check(graph, blocks(), options());
        for (const auto& [id, node] : graph.nodes) {
            if (!node->group || node->group->repeat == 1)
                continue;
            for (const GraphEdit& edit : {edits::unrollGroup(id), edits::unpackGroup(id)}) {
                const Graph after = must(edit, graph);
                const CheckedGraph again = check(after, blocks(), options());
                ASSERT_TRUE(again.runnable()) << textOf(again.diagnostics.front()) << saved(after);
                for (const Diagnostic& d : again.diagnostics) // an output that the next copy does not read
                    ASSERT_EQ(d.code, "unused") << textOf(d);
                ASSERT_EQ(result.cost, again.cost);
                ASSERT_EQ(result.trainingBytes, again.trainingBytes);
                for (const Wire& wire : graph.wires)
                    if (wire.from.node != id) {
                        ASSERT_EQ(*result.shapeAt(wire.from), *again.shapeAt(wire.from));
                    }
            }
            ++unrolled;
            different += !result.nodes.at(id).copies.empty();
        }
    }
    EXPECT_GT(unrolled, 50);
    EXPECT_GT(different, 20);
}

TEST(CheckProperties, AnyGraphIsCheckedTwiceAlike)
{
    int runnable = 0;
    const std::uint64_t graphs = std::getenv("UNROLL_TEST_ALL") != nullptr ? 100'000 : 3'000;
    for (std::uint64_t seed = 1; seed <= graphs && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        const Graph graph = randomGraph(seed, 1 + static_cast<int>(seed % 30));
        const CheckedGraph first = check(graph, blocks(), options()), second = check(graph, blocks(), options());
        EXPECT_EQ(textsOf(first), textsOf(second));
        EXPECT_EQ(first.order, second.order);
        EXPECT_EQ(first.cost, second.cost);
        expectConsistent(graph, first);
        runnable += first.runnable();
    }
    EXPECT_GT(runnable, 60);
    EXPECT_LT(runnable, static_cast<int>(graphs) / 2);
}

/// A model with few changes, whose recurrent blocks see both ways.
Graph nonCausalGraph(std::uint64_t seed)
{
    Graph graph = randomGraph(seed, static_cast<int>(seed % 3));
    const auto turnAround = [](const Graph& at, const GroupPath& path, Graph& whole) {
        for (const auto& [id, node] : at.nodes)
            if (node->block == "lstm")
                whole = *edits::inside(path, edits::setParam(id, "bidirectional", true)).apply(whole);
    };
    const Graph before = graph;
    turnAround(before, {}, graph);
    for (const auto& [id, node] : before.nodes)
        if (node->group)
            turnAround(*node->group->graph, {id}, graph);
    return graph;
}

/// A fix is offered only where it mends: applied, the very finding is gone.
TEST(CheckProperties, EveryFixRemovesItsFinding)
{
    std::map<std::string, int> mended;
    for (std::uint64_t seed = 1; seed <= 2'500 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        const Graph graph = seed % 5 == 0 ? nonCausalGraph(seed) : randomGraph(seed, 1 + static_cast<int>(seed % 40));
        for (const Diagnostic& d : check(graph, blocks(), options()).diagnostics) {
            if (!d.fix)
                continue;
            const auto after = d.fix->edit.apply(graph);
            ASSERT_TRUE(after) << textOf(d) << " | " << d.fix->title << ": " << after.error().text() << saved(graph);
            ASSERT_THAT(textsOf(check(*after, blocks(), options())), ::testing::Not(::testing::Contains(textOf(d))))
                << d.fix->title << saved(graph);
            ++mended[d.code];
        }
    }
    for (const char* code :
         {"bad-parameter", "cycle", "input-free", "no-loss", "not-causal", "several-data", "several-losses",
          "type-mismatch", "unknown-parameter", "unknown-port", "unused", "width-mismatch", "group-fault"})
        EXPECT_GT(mended[code], 10) << code;
    for (const auto& [code, count] : mended)
        std::printf("%s %d  ", code.c_str(), count);
    std::printf("fixes applied\n");
}

/// Mending again and again ends, and mostly in a graph that runs or says why not without a fix.
TEST(CheckProperties, MendingEnds)
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Graph graph = randomGraph(seed, 20);
        int rounds = 0;
        for (bool more = true; more && rounds < 200; ++rounds) {
            more = false;
            const CheckedGraph result = check(graph, blocks(), options());
            for (const Diagnostic& d : result.diagnostics)
                if (d.fix && d.severity == Severity::Error) {
                    graph = *d.fix->edit.apply(graph);
                    more = true;
                    break;
                }
        }
        EXPECT_LT(rounds, 200) << seed;
    }
}

struct Fault {
    const char* code;
    std::function<Graph(const Graph&, Random&)> make;
};

Graph edited(const Graph& graph, const GraphEdit& edit)
{
    auto after = edit.apply(graph);
    EXPECT_TRUE(after) << edit.name << ": " << after.error().text();
    return after ? *after : graph;
}

/// Mistakes that turn any valid model into one with exactly this kind of error.
const std::vector<Fault> kFaults = {
    {"bad-parameter",
     [](const Graph& g, Random& r) {
         return edited(g, edits::setParam(2, "width", -static_cast<std::int64_t>(r.below(9))));
     }},
    {"unknown-block", [](const Graph& g, Random&) { return edited(g, edits::setBlock(2, "transmogrifier")); }},
    {"input-free", [](const Graph& g, Random& r) { return edited(g, edits::disconnect(r.of(g.wires))); }},
    {"unknown-port",
     [](const Graph& g, Random&) {
         return edited(g, edits::connect({{1, "nothing"}, {2, "tokens"}}));
     }},
    {"type-mismatch",
     [](const Graph& g, Random&) {
         return edited(g, edits::connect({{1, "targets"}, {2, "tokens"}}));
     }},
    {"no-data", [](const Graph& g, Random&) { return edited(g, edits::removeNodes({1})); }},
    {"no-loss", [](const Graph& g, Random&) { return edited(g, edits::removeNodes({g.findByName("head")->id})); }},
    {"several-data", [](const Graph& g, Random&) { return edited(g, edits::addNode({.block = "text"})); }},
    {"several-losses", [](const Graph& g, Random&) { return edited(g, edits::addNode({.block = "head"})); }},
    {"data", [](const Graph& g, Random&) { return edited(g, edits::setParam(1, "path", std::string("missing.txt"))); }},
    {"too-large",
     [](const Graph& g, Random&) { return edited(g, edits::setParam(2, "width", std::int64_t{1'000'000'000})); }},
    {"not-causal",
     [](const Graph& g, Random&) {
         const NodeId head = g.findByName("head")->id;
         return edited(g, edits::insertOnWire({.block = "lstm", .params = {{"bidirectional", true}}},
                                              *g.wireInto({head, "x"}), "x", "y"));
     }},
    {"cycle",
     [](const Graph& g, Random&) {
         const NodeId head = g.findByName("head")->id, sum = g.nextId;
         const Graph added = edited(g, edits::insertOnWire({.block = "add"}, *g.wireInto({2, "tokens"}), "a", "y"));
         return edited(added, edits::connect({{head, "logits"}, {sum, "b"}}));
     }},
};

TEST(CheckProperties, ConstructedFaultsAreFoundAndMakeTheGraphUnrunnable)
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Graph good = RandomModel(seed).make();
        Random random(seed);
        for (const Fault& fault : kFaults) {
            SCOPED_TRACE(std::string(fault.code) + " " + std::to_string(seed));
            if (std::string(fault.code) == "input-free" &&
                std::any_of(good.wires.begin(), good.wires.end(),
                            [](const Wire& wire) { return wire.to.port.starts_with("mask"); }))
                continue; // masks may stay free
            const CheckedGraph result = check(fault.make(good, random), blocks(), options());
            ASSERT_FALSE(result.runnable());
            const auto has = [&](const Diagnostic& d) { return d.code == fault.code && d.severity == Severity::Error; };
            ASSERT_TRUE(std::any_of(result.diagnostics.begin(), result.diagnostics.end(), has))
                << ::testing::PrintToString(textsOf(result));
        }
    }
}

/// Documents with values swapped for others: what no edit makes, but a file may hold.
TEST(CheckProperties, HostileFilesAreChecked)
{
    static constexpr const char* kOthers[] = {"\"\"", "-1",       "9223372036854775807", "1e308", "2147483648",
                                              "true", "\"lstm\"", "\"x -> lstm.x\"",     "{}",    "null",
                                              "0"};
    std::mt19937_64 random(17);
    int checkedGraphs = 0;
    for (int i = 0; i < 6'000; ++i) {
        std::string text = saved(randomGraph(random() % 500, 6));
        for (std::size_t swaps = 1 + random() % 3; swaps > 0; --swaps) {
            const std::size_t from = text.find("\": ", random() % text.size());
            const std::size_t to = from == std::string::npos ? from : text.find_first_of(",]}\n", from + 1);
            if (to != std::string::npos && text.find_first_of("[{", from) > to)
                text = text.substr(0, from + 3) + kOthers[random() % std::size(kOthers)] + text.substr(to);
        }
        const auto json = readJson(text, "");
        const auto graph = json ? graphFromJson(*json, "") : tl::unexpected(json.error());
        if (!graph)
            continue;
        ++checkedGraphs;
        const CheckedGraph result = check(*graph, blocks(), options());
        expectConsistent(*graph, result);
        for (const Diagnostic& d : result.diagnostics) {
            const auto after = d.fix ? d.fix->edit.apply(*graph) : *graph;
            ASSERT_TRUE(after) << textOf(d) << after.error().text() << text;
            ASSERT_TRUE(!d.fix || textsOf(check(*after, blocks(), options())) != textsOf(result)) << textOf(d) << text;
        }
    }
    EXPECT_GT(checkedGraphs, 1'000);
}

} // namespace
} // namespace unroll
