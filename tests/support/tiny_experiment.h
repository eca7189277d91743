// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/experiment.h"
#include "tests/support/test_folder.h"

#include <string>

namespace unroll::testing {

inline Node makeNode(NodeId id, const std::string& block, const std::string& name, Params params = {})
{
    Node node;
    node.id = id;
    node.block = block;
    node.name = name;
    node.params = std::move(params);
    return node;
}

inline Graph makeGraph(std::vector<Node> nodes, std::vector<Wire> wires)
{
    Graph graph;
    for (Node& node : nodes) {
        graph.nextId = std::max(graph.nextId, node.id + 1);
        graph.nodes[node.id] = std::make_shared<const Node>(std::move(node));
    }
    for (Wire& wire : wires) {
        auto made = edits::connect(wire).apply(graph);
        graph = made.value();
    }
    return graph;
}

/// Bundled corpus -> embedding -> recurrent block -> head. Small enough for a hundred steps a second.
inline Experiment tinyExperiment(const std::string& block = "lstm", std::int64_t units = 24,
                                 const std::string& order = "streams")
{
    Experiment experiment;
    experiment.title = "tiny";
    experiment.graph = makeGraph(
        {makeNode(1, "text", "text", {{"order", order}, {"steps", std::int64_t{16}}}),
         makeNode(2, "embedding", "embedding", {{"width", std::int64_t{12}}}),
         makeNode(3, block, block, {{"units", units}}), makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    experiment.training.steps = 30;
    experiment.training.batch = 4;
    experiment.training.warmup = 5;
    experiment.training.learningRate = 5e-3;
    experiment.training.evaluateEvery = 10;
    experiment.training.evaluateBatches = 2;
    experiment.training.evaluateWhole = false;
    experiment.training.sampleEvery = 0;
    experiment.training.checkpointEvery = 0;
    experiment.training.threads = 1; // two would mostly wait for each other: its products are too small to share
    experiment.training.device = "cpu";
    return experiment;
}

} // namespace unroll::testing
