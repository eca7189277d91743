// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/model_file.h"
#include "core/onnx/ops.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> opsOf(const std::vector<NodeOp>& nodes)
{
    std::vector<std::string> ops;
    for (const NodeOp& node : nodes)
        ops.push_back(node.op);
    return ops;
}

/// y = sigmoid(x) * exp(w); next = state + y.
void fillSmall(Graph& graph)
{
    const Value x = graph.input({"x", Type::Float, {2}, false}),
                state = graph.input({"state.a.0", Type::Float, {2}, true});
    graph.enter("a");
    const Value w = graph.weight("a.w", {2}, std::array{1.0F, 2.0F});
    const Value y = sigmoid(x) * exp(w);
    graph.output({"y", Type::Float, {2}, false}, y);
    graph.output({"next.a.0", Type::Float, {2}, true}, state + y);
}

TEST(OnnxGraph, WhatDependsOnWeightsAloneIsNotInTheStep)
{
    Graph graph;
    fillSmall(graph);
    EXPECT_THAT(opsOf(graph.ready()), ElementsAre("Exp"));
    EXPECT_THAT(opsOf(graph.step()), ElementsAre("Sigmoid", "Mul", "Identity", "Add", "Identity"));
}

TEST(OnnxGraph, NamesAreUniqueAndNumbersAreStoredOnce)
{
    Graph graph;
    const Value x = graph.input({"x", Type::Float, {2}, false});
    graph.enter("node");
    const Value a = x + 1, b = a + 1;
    EXPECT_EQ(a.name, "node/Add");
    EXPECT_EQ(b.name, "node/Add.2");
    EXPECT_EQ(graph.initializers().size(), 1u);
}

TEST(OnnxGraph, WhatNoOutputReadsIsDropped)
{
    Graph graph;
    fillSmall(graph);
    tanh(graph.weight("a.unread", {1}, std::array{1.0F}));
    cos(graph.input({"other", Type::Float, {2}, false}) + 3);
    graph.prune();
    EXPECT_THAT(opsOf(graph.ready()), ElementsAre("Exp"));
    EXPECT_THAT(opsOf(graph.step()), ElementsAre("Sigmoid", "Mul", "Identity", "Add", "Identity"));
    EXPECT_EQ(graph.initializers().size(), 1u);
}

TEST(OnnxGraph, ASequenceIsAScanWithTheWeightsOutside)
{
    Graph graph;
    fillSmall(graph);
    const std::string step = stepModel(graph, {"Unroll", "1", "small", {{"key", "value"}}});
    const std::string sequence = sequenceModel(graph, {"Unroll", "1", "small", {}});
    EXPECT_THAT(step, Not(HasSubstr("Scan")));
    EXPECT_THAT(sequence, HasSubstr("Scan"));
    EXPECT_THAT(sequence, HasSubstr("step/state.a.0"));
    EXPECT_EQ(weightBytes(graph), 8u);
    EXPECT_THAT(step, HasSubstr("key"));
}

} // namespace
} // namespace unroll::onnx
