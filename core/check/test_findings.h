// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the check share.
#pragma once

#include "core/block/test_specs.h"
#include "core/check/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace unroll::testing_check {

using namespace testing_specs;

inline const BlockRegistry& blocks()
{
    static const auto* all = new BlockRegistry(registry());
    return *all;
}

inline CheckedGraph checked(const Graph& graph, const CheckOptions& with = options())
{
    return check(graph, blocks(), with);
}

/// "code node.where: sentence", errors first; warnings are marked.
inline std::vector<std::string> findings(const CheckedGraph& result)
{
    std::vector<std::string> texts;
    for (const Diagnostic& d : result.diagnostics)
        texts.push_back((d.severity == Severity::Warning ? "warning " : "") + d.code + " " + d.nodeName +
                        (d.where.empty() ? "" : "." + d.where) + ": " + d.sentence);
    return texts;
}

/// The one error of a graph.
inline Diagnostic only(const CheckedGraph& result)
{
    std::vector<Diagnostic> errors;
    std::copy_if(result.diagnostics.begin(), result.diagnostics.end(), std::back_inserter(errors),
                 [](const Diagnostic& d) { return d.severity == Severity::Error; });
    EXPECT_EQ(errors.size(), 1u) << ::testing::PrintToString(findings(result));
    return errors.empty() ? Diagnostic{} : errors.front();
}

inline Graph mended(const Graph& graph, const Diagnostic& diagnostic)
{
    EXPECT_TRUE(diagnostic.fix) << diagnostic.sentence;
    auto result = diagnostic.fix ? diagnostic.fix->edit.apply(graph) : Result<Graph>(graph);
    EXPECT_TRUE(result) << result.error().text();
    return result ? *result : graph;
}

/// text -> embedding -> enc, dec -> head; dec starts from enc's last state.
inline GraphMaker encoderAndDecoder()
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding").node("lstm", "enc").node("lstm", "dec");
    maker.node("head", "head")
        .wire("text.tokens", "embedding.tokens")
        .wire("embedding.y", "enc.x")
        .wire("embedding.y", "dec.x")
        .wire("enc.state", "dec.state")
        .wire("dec.y", "head.x")
        .wire("text.targets", "head.targets");
    return maker;
}

inline Graph withBlock(const Graph& graph, NodeId id, const std::string& block)
{
    Node node = *graph.find(id);
    node.block = block;
    Graph changed = graph;
    changed.addNode(std::move(node));
    return changed;
}

inline Graph with(const Graph& graph, NodeId id, const std::string& param, ParamValue value)
{
    Node node = *graph.find(id);
    node.params[param] = std::move(value);
    Graph changed = graph;
    changed.addNode(std::move(node));
    return changed;
}

} // namespace unroll::testing_check
