// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of two streams, reversible and plain.
#pragma once

#include "core/model/model.h"
#include "tests/contract/block_case.h"
#include "tests/support/tiny_experiment.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace unroll::contract::reversible {

inline constexpr std::int64_t kClasses = 11, kSequences = 3;

struct Stack {
    std::int64_t copies = 2;
    bool sharedWeights = false;
    std::string f = "lstm", g = "attention";
    Params fParams = {}, gParams = {};
    double dropout = 0;
    bool masked = false;
    std::int64_t width = 8;
};

/// A residual branch within the group: norm -> block -> dropout, with ids from `first`.
inline void addBranch(std::vector<Node>& nodes, std::vector<Wire>& wires, NodeId first, const std::string& name,
                      const std::string& block, Params params, const Stack& stack)
{
    const BlockSpec& spec = *registry().find(block);
    for (const char* size : {"units", "width"})
        if (spec.param(size) != nullptr)
            params.emplace(size, stack.width);
    if (block == "attention")
        params.emplace("num_heads", std::int64_t{2});
    nodes.push_back(testing::makeNode(first, "layer_norm", name + "_norm"));
    nodes.push_back(testing::makeNode(first + 1, block, name, params));
    nodes.push_back(testing::makeNode(first + 2, "dropout", name + "_dropout", {{"rate", stack.dropout}}));
    wires.push_back({{first, "y"}, {first + 1, "x"}});
    wires.push_back({{first + 1, "y"}, {first + 2, "x"}});
}

/// y1 = x1 + F(x2), y2 = x2 + G(y1). The nodes of G come first, so that the ids say nothing of the order.
inline Group layers(const Stack& stack, bool reversible)
{
    std::vector<Node> nodes{testing::makeNode(7, "add", "add_1"), testing::makeNode(8, "add", "add_2")};
    std::vector<Wire> wires;
    addBranch(nodes, wires, 1, "g", stack.g, stack.gParams, stack);
    addBranch(nodes, wires, 4, "f", stack.f, stack.fParams, stack);
    wires.insert(wires.end(), {{{6, "y"}, {7, "b"}}, {{7, "y"}, {1, "x"}}, {{3, "y"}, {8, "b"}}});
    Group group;
    group.graph = std::make_shared<const Graph>(testing::makeGraph(std::move(nodes), std::move(wires)));
    group.inputs = {{"x1", {7, "a"}}, {"x2", {4, "x"}}, {"x2_sum", {8, "a"}}};
    group.outputs = {{"y1", {7, "y"}}, {"y2", {8, "y"}}, {"y2_sum", {8, "y"}}};
    if (stack.masked) {
        group.inputs.push_back({"mask_f", {5, "mask"}});
        group.inputs.push_back({"mask_g", {2, "mask"}});
    }
    group.repeat = stack.copies;
    group.sharedWeights = stack.sharedWeights;
    group.reversible = reversible;
    return group;
}

/// data -> embedding -> both streams -> their sum -> head.
inline Graph graphOf(const Stack& stack, const Group& group)
{
    Node node = testing::makeNode(3, "group", "layers");
    node.group = std::make_shared<const Group>(group);
    std::vector<Wire> wires{{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x1"}},           {{2, "y"}, {3, "x2"}},
                            {{2, "y"}, {3, "x2_sum"}},      {{3, "y1"}, {4, "a"}},           {{3, "y2"}, {4, "b"}},
                            {{4, "y"}, {5, "x"}},           {{1, "targets"}, {5, "targets"}}};
    if (stack.masked)
        wires.insert(wires.end(), {{{1, "mask"}, {3, "mask_f"}}, {{1, "mask"}, {3, "mask_g"}}});
    return testing::makeGraph({testing::makeNode(1, stack.masked ? "parity" : "text", "data"),
                               testing::makeNode(2, "embedding", "embedding", {{"width", stack.width}}), node,
                               testing::makeNode(4, "add", "streams"), testing::makeNode(5, "head", "head")},
                              std::move(wires));
}

inline CheckedGraph checkedOf(const Graph& graph)
{
    CheckOptions options;
    options.sourceFacts = [](const std::string&, const Params&) {
        return SourceFacts{.classes = kClasses, .steps = 7};
    };
    CheckedGraph checked = check(graph, registry(), options);
    for (const Diagnostic& diagnostic : checked.diagnostics)
        EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.nodeName << ": " << diagnostic.sentence;
    return checked;
}

inline std::unique_ptr<Model> modelOf(const Graph& graph, at::ScalarType type = at::kDouble)
{
    auto model = Model::build(graph, checkedOf(graph), registry(), builders(), 1, type);
    EXPECT_TRUE(model) << model.error().text();
    const at::NoGradGuard values;
    at::Generator random = generatorOf(17);
    for (const Weight& each : (*model)->weights())
        if (each.trained)
            each.tensor.add_(at::randn(each.tensor.sizes(), random, each.tensor.options()), 0.2);
    return std::move(*model);
}

inline ModelInput inputOf(const Stack& stack, std::int64_t steps, at::Generator& random)
{
    const std::int64_t classes = stack.masked ? 2 : kClasses;
    ModelInput input{at::randint(0, classes, {steps, kSequences}, random, at::kLong),
                     at::randint(0, classes, {steps, kSequences}, random, at::kLong),
                     {},
                     {}};
    if (stack.masked) {
        input.mask = at::ones({steps, kSequences}, at::kBool);
        input.mask.select(1, 1).slice(0, steps / 2).fill_(false);
        input.targets.select(1, 1).slice(0, steps / 2).fill_(-100);
    }
    return input;
}

} // namespace unroll::contract::reversible
