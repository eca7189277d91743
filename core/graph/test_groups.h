// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of groups share.
#pragma once

#include "core/block/test_specs.h"
#include "core/graph/test_edits.h"

#include <algorithm>
#include <string>
#include <vector>

namespace unroll::testing_groups {

using namespace testing_specs;

/// The wires by names, which survive renumbering: "embedding.y -> lstm.x".
inline std::vector<std::string> wires(const Graph& graph)
{
    std::vector<std::string> texts;
    for (const Wire& wire : graph.wires)
        texts.push_back(graph.find(wire.from.node)->name + "." + wire.from.port + " -> " +
                        graph.find(wire.to.node)->name + "." + wire.to.port);
    std::sort(texts.begin(), texts.end());
    return texts;
}

inline const Group& groupAt(const Graph& graph, NodeId id)
{
    return *graph.find(id)->group;
}

/// text -> embedding -> lstm -> linear -> head, with the mask on the lstm.
inline GraphMaker longModel()
{
    GraphMaker maker;
    maker.node("text", "text")
        .node("embedding", "embedding")
        .node("lstm", "lstm")
        .node("linear", "linear")
        .node("head", "head");
    maker.wire("text.tokens", "embedding.tokens").wire("embedding.y", "lstm.x").wire("text.mask", "lstm.mask");
    maker.wire("lstm.y", "linear.x").wire("linear.y", "head.x").wire("text.targets", "head.targets");
    return maker;
}

} // namespace unroll::testing_groups
