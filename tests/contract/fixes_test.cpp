// SPDX-License-Identifier: GPL-3.0-or-later
// What a block finds wrong about its own wires and parameters comes with a fix, and the fix mends it.
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace unroll::contract {

namespace {

Graph must(const Graph& graph, const GraphEdit& edit)
{
    auto after = edit.apply(graph);
    EXPECT_TRUE(after) << edit.name << ": " << after.error().text();
    return after ? *after : graph;
}

/// One sequence input after the other of a width that the others have not.
std::vector<Graph> withOtherWidths(const BlockSpec& spec, const Graph& graph)
{
    std::vector<Graph> graphs;
    for (const PortSpec& port : spec.inputs)
        if (port.type == PortType::Sequence && graph.wireInto({kMiddle, port.name}))
            graphs.push_back(
                must(graph,
                     edits::insertOnWire({.block = "linear", .name = "narrow", .params = {{"width", std::int64_t{7}}}},
                                         *graph.wireInto({kMiddle, port.name}), "x", "y")));
    return graphs;
}

/// The state of every recurrent block, wired to this one's.
std::vector<Graph> withOtherStates(const BlockSpec& spec, const Graph& graph)
{
    std::vector<Graph> graphs;
    if (!spec.recurrent)
        return graphs;
    const PortRef x = graph.wireInto({kMiddle, "x"})->from;
    for (const std::string& block : recurrentBlocks()) {
        const NodeId id = graph.nextId;
        Node other{.id = id, .block = block, .name = "other", .params = {{"units", std::int64_t{5}}}};
        graphs.push_back(
            must(graph, edits::sequence("", {edits::addNode(std::move(other)), edits::connect({x, {id, "x"}}),
                                             edits::connect({{id, "state"}, {kMiddle, "state"}})})));
    }
    return graphs;
}

/// Every choice, and sizes that fit badly.
std::vector<Graph> withOtherParams(const BlockSpec& spec)
{
    std::vector<Graph> graphs;
    for (const ParamSpec& param : spec.params) {
        for (const auto& [choice, explanation] : param.choices)
            graphs.push_back(graphAround(spec.id, {{param.name, choice}}));
        for (const std::int64_t size : {-1, 0, 7, 5000})
            if (param.type == ParamType::Int)
                graphs.push_back(graphAround(spec.id, {{param.name, size}}));
    }
    return graphs;
}

std::vector<Graph> faultyGraphs(const BlockSpec& spec)
{
    std::vector<Graph> graphs = withOtherParams(spec);
    const Graph usual = graphAround(spec.id, {});
    for (auto more : {withOtherWidths(spec, usual), withOtherStates(spec, usual)})
        graphs.insert(graphs.end(), more.begin(), more.end());
    return graphs;
}

std::string textOf(const Diagnostic& diagnostic)
{
    return placeOf(diagnostic) + " " + diagnostic.code + ": " + diagnostic.sentence;
}

} // namespace

TEST(Fixes, OfABlocksOwnFindingsMendThem)
{
    std::map<std::string, int> mended;
    for (const BlockSpec* spec : registry().all()) {
        if (spec->category == Category::Group)
            continue;
        for (const Graph& graph : faultyGraphs(*spec))
            for (const Diagnostic& fault : checkAround(graph).diagnostics) {
                // What is wrong with the data itself, a block cannot mend.
                if (fault.severity != Severity::Error || fault.node != kMiddle || fault.code == "data")
                    continue;
                ASSERT_TRUE(fault.fix) << spec->id << " " << textOf(fault);
                const Graph after = must(graph, fault.fix->edit);
                for (const Diagnostic& left : checkAround(after).diagnostics)
                    EXPECT_NE(textOf(left), textOf(fault)) << fault.fix->title;
                ++mended[fault.code];
            }
    }
    for (const char* code : {"bad-parameter", "width-mismatch", "state-mismatch", "heads-do-not-divide",
                             "projection-too-wide", "slice-outside", "no-such-head"})
        EXPECT_GT(mended[code], 0) << code;
}

/// Of so few values a norm leaves signs or nothing, so that the state is hardly read.
TEST(Fixes, NormsOfTooFewValuesAreRefused)
{
    const auto errorsOf = [](const Graph& graph) {
        std::vector<Diagnostic> errors;
        for (const Diagnostic& fault : checkAround(graph).diagnostics)
            if (fault.severity == Severity::Error)
                errors.push_back(fault);
        return errors;
    };
    const std::int64_t one = 1, two = 2, four = 4;
    const std::string group = "group", hgru = "hgru", fla = "fla", none = "none";
    const std::vector<std::pair<const char*, Params>> refused{
        {"mlstm", {{"units", four}, {"num_heads", two}}},
        {"gla", {{"units", four}, {"num_heads", four}}},
        {"hgrn2", {{"units", one}, {"num_heads", one}}},
        {"hgrn2", {{"units", two}, {"num_heads", one}, {"convention", hgru}}},
        {"retnet", {{"units", four}, {"num_heads", two}, {"value_factor", one}, {"norm", group}}},
        {"retnet", {{"units", two}, {"num_heads", one}, {"value_factor", one}, {"norm", group}}},
        {"rwkv7", {{"head_size", one}}},
        {"rwkv7", {{"head_size", two}}},
        {"hgrn", {{"units", one}, {"convention", fla}}},
        {"hgrn", {{"units", one}, {"convention", hgru}}},
        {"ligru", {{"units", one}}}};
    for (const auto& [block, params] : refused) {
        const Graph graph = graphAround(block, params);
        const auto errors = errorsOf(graph);
        ASSERT_EQ(errors.size(), 1) << block;
        EXPECT_TRUE(errors[0].code == "head-too-small" || errors[0].code == "too-few-to-norm") << textOf(errors[0]);
        ASSERT_TRUE(errors[0].fix) << textOf(errors[0]);
        EXPECT_TRUE(errorsOf(must(graph, errors[0].fix->edit)).empty()) << errors[0].fix->title;
    }
    const std::vector<std::pair<const char*, Params>> taken{
        {"mlstm", {{"units", std::int64_t{6}}, {"num_heads", two}}},
        {"gla", {{"units", four}, {"num_heads", two}}},
        {"hgrn2", {{"units", two}, {"num_heads", one}}},
        {"retnet", {{"units", four}, {"num_heads", two}, {"value_factor", one}}},
        {"retnet", {{"units", four}, {"num_heads", two}, {"norm", group}}},
        {"rwkv7", {{"head_size", four}}},
        {"hgrn", {{"units", two}, {"convention", hgru}}},
        {"ligru", {{"units", one}, {"normalization", none}}},
        {"ligru", {{"units", two}}}};
    for (const auto& [block, params] : taken)
        EXPECT_TRUE(errorsOf(graphAround(block, params)).empty()) << block;
}

TEST(Fixes, OfTwoWidthsIsALinearBetweenThem)
{
    const Graph usual = graphAround("add", {});
    const auto checked = checkAround(withOtherWidths(*registry().find("add"), usual).back());
    ASSERT_FALSE(checked.diagnostics.empty());
    const Diagnostic& fault = checked.diagnostics.front();
    EXPECT_EQ(fault.sentence, "b has width 7, a has width 16: both must be equal");
    ASSERT_TRUE(fault.fix);
    EXPECT_EQ(fault.fix->title, "Insert Linear 7 -> 16");
}

} // namespace unroll::contract
