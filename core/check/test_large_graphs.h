// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Graphs that a test or a benchmark of the check can make as large as it likes.

#include "core/block/test_specs.h"

#include <string>

namespace unroll::testing_specs {

/// A deep residual model: three nodes a layer, and three besides.
inline Graph residualLayers(int count)
{
    GraphMaker maker;
    maker.node("text", "text").node("embedding", "embedding").wire("text.tokens", "embedding.tokens");
    std::string last = "embedding.y";
    for (int i = 0; i < count; ++i) {
        const std::string n = std::to_string(i);
        maker.node("lstm", "lstm" + n).node("linear", "linear" + n).node("add", "add" + n);
        maker.wire(last, "lstm" + n + ".x")
            .wire("lstm" + n + ".y", "linear" + n + ".x")
            .wire("linear" + n + ".y", "add" + n + ".a");
        maker.wire(last, "add" + n + ".b");
        last = "add" + n + ".y";
    }
    maker.node("head", "head").wire(last, "head.x").wire("text.targets", "head.targets");
    return maker.graph();
}

/// Nodes without a wire, all of one name and with a bad width.
inline Graph looseNodes(int count)
{
    Graph graph;
    for (int i = 0; i < count; ++i)
        graph.addNode({.id = graph.nextId,
                       .block = i % 2 == 0 ? "add" : "lstm",
                       .name = "same",
                       .params = {{"units", std::int64_t{0}}}});
    return graph;
}

/// Every node stands in many cycles.
inline Graph rings(int nodes)
{
    Graph graph;
    const auto count = static_cast<NodeId>(nodes);
    for (NodeId id = 1; id <= count; ++id)
        graph.addNode({.id = id, .block = "add", .name = "n" + std::to_string(id)});
    for (NodeId id = 1; id <= count; ++id) {
        graph.addWire({{id, "y"}, {id % count + 1, "a"}});
        graph.addWire({{id, "y"}, {(id + count / 2) % count + 1, "b"}});
    }
    return graph;
}

} // namespace unroll::testing_specs
