// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

std::map<std::string, at::Tensor> weightsOf(Params params, std::int64_t width)
{
    BlockCase made = casesOf("sru").front();
    for (auto& [name, value] : params)
        made.params[name] = value;
    made.inputs["x"].width = width;
    std::map<std::string, at::Tensor> weights;
    const auto block = buildUnshaken(made, 1, at::kDouble);
    for (const Weight& weight : block->weights())
        weights[weight.name] = weight.tensor.detach();
    return weights;
}

double largest(const at::Tensor& tensor)
{
    return tensor.abs().max().item<double>();
}

} // namespace

TEST(Sru, HasFourPartsOnlyWhereTheSkipNeedsAnotherWidth)
{
    const std::int64_t units = 16;
    const auto rows = [&](Params params, std::int64_t width) {
        params["units"] = units;
        return weightsOf(params, width).at("weight").size(0);
    };
    EXPECT_EQ(rows({}, 16), 3 * units);
    EXPECT_EQ(rows({}, 15), 4 * units);
    EXPECT_EQ(rows({{"has_skip_term", false}}, 15), 3 * units);
    EXPECT_EQ(rows({{"bidirectional", true}}, 16), 2 * 4 * units);
    EXPECT_EQ(rows({{"bidirectional", true}}, 32), 2 * 3 * units);
}

TEST(Sru, InitialValuesAreThoseOfThePackage)
{
    const std::int64_t units = 64, in = 48;
    const double bound = std::sqrt(3.0 / 48), scale = std::sqrt(1 + 2 * std::exp(-2.0));
    const auto weights =
        weightsOf({{"units", units}, {"rescale", true}, {"highway_bias", -2.0}, {"dropout", 0.36}}, in);
    const at::Tensor parts = weights.at("weight").view({4, units, in});
    EXPECT_NEAR(largest(parts[0]), bound * 0.8, 0.002);
    EXPECT_NEAR(largest(parts[1]), bound * std::sqrt(0.5), 0.002);
    EXPECT_NEAR(largest(parts[2]), bound * std::sqrt(0.5), 0.002);
    EXPECT_NEAR(largest(parts[3]), bound * scale, 0.003);
    EXPECT_LE(largest(weights.at("weight_c")), std::sqrt(1.5));
    EXPECT_EQ(largest(weights.at("bias").narrow(0, 0, units)), 0);
    EXPECT_EQ(largest(weights.at("bias").narrow(0, units, units).add(2)), 0);
}

TEST(Sru, V1FreezesTheCellWeights)
{
    const auto weights = weightsOf({{"v1", true}}, 6);
    EXPECT_EQ(largest(weights.at("weight_c")), 0);
    EXPECT_FALSE(weights.at("weight_c").requires_grad());
}

namespace {

/// Usual parameters but for these, x of this width.
BlockCase sruCase(Params params, std::int64_t width)
{
    BlockCase made = casesOf("sru").front();
    for (auto& [name, value] : params)
        made.params[name] = value;
    made.inputs["x"].width = width;
    made.inputs["state"] = infer(made).outputs.at("state");
    return made;
}

std::string faultOf(const BlockCase& made)
{
    const auto found = infer(made).diagnostics;
    return found.size() == 1 ? found.front().where + ": " + found.front().sentence : std::to_string(found.size());
}

} // namespace

/// What the product gives, fed to the same cell without one: values, and gradients through U.
TEST(Sru, WithoutProjectionsXIsU)
{
    for (const Params& params : {Params{{"activation", std::string("tanh")}}, Params{{"has_skip_term", false}},
                                 Params{{"bidirectional", true}}, Params{{"masked_output", std::string("read")}}}) {
        const BlockCase whole = sruCase(params, 5);
        const auto block = build(whole);
        Params without = whole.params;
        without["projections"] = false;
        const at::Tensor weight = block->weights().front().tensor.detach();
        const BlockCase given = sruCase(without, weight.size(0));
        SCOPED_TRACE(given.text());
        EXPECT_EQ(faultOf(given), "0");
        const auto bare = build(given);
        ASSERT_EQ(bare->weights().size(), block->weights().size() - 1);
        {
            const at::NoGradGuard values;
            for (std::size_t i = 0; i < bare->weights().size(); ++i)
                bare->weights()[i].tensor.copy_(block->weights()[i + 1].tensor);
        }
        auto inputs = inputsOf(whole, *block);
        inputs[0][0].set_requires_grad(true);
        const at::Tensor want = block->forward(inputs, {})[0][0];
        const at::Tensor slope = torch::autograd::grad({want.sin().sum()}, {inputs[0][0]})[0];
        inputs[0] = {at::matmul(inputs[0][0].detach(), weight.t()).set_requires_grad(true)};
        const at::Tensor got = bare->forward(inputs, {})[0][0];
        EXPECT_LT(difference(got, want), 1e-13);
        const at::Tensor ofU = torch::autograd::grad({got.sin().sum()}, {inputs[0][0]})[0];
        EXPECT_LT(difference(at::matmul(ofU, weight), slope), 1e-13);
    }
}

TEST(Sru, WhatIsNotUIsRefused)
{
    const Params bare = {{"projections", false}};
    BlockCase made = sruCase(bare, 25);
    made.inputs.erase("state"); // of one direction
    EXPECT_EQ(faultOf(made), "projections: without projections x holds U: 4 parts, the last of them the skip term, of "
                             "units features, 24; its width is 25");
    EXPECT_EQ(infer(made).offer->second, ParamValue(true));
    made.inputs["x"].width = 32;
    EXPECT_EQ(infer(made).offer->second, ParamValue(std::int64_t{8}));
    made.params["has_skip_term"] = false;
    made.inputs["x"].width = 18;
    EXPECT_EQ(faultOf(made), "0");
    made.params["bidirectional"] = true;
    EXPECT_EQ(faultOf(made), "projections: without projections x holds U: 3 parts of units features for each of two "
                             "directions, 36; its width is 18");
    made.inputs["x"].width = 36;
    made.params["layer_norm"] = true;
    EXPECT_THAT(faultOf(made), ::testing::StartsWith("layer_norm: without projections there is no product"));
    made.params["normalize_after"] = true;
    EXPECT_EQ(faultOf(made), "0");
}

TEST(Sru, WithoutProjectionsThereIsNoProductToPayFor)
{
    const BlockCase made = sruCase({{"projections", false}}, 24);
    EXPECT_EQ(costOf(made).forwardFlops, 14 * 6);
    EXPECT_EQ(costOf(made).backwardFlops, 35 * 6);
}

TEST(Sru, ReadingFromTheEndIsRefusedForNextTokens)
{
    Graph graph = graphAround("sru", {{"bidirectional", true}});
    const auto& copy = graph.nodes.at(1);
    auto text = *copy;
    text.block = "text";
    text.params = {};
    graph.nodes[1] = std::make_shared<const Node>(text);
    std::vector<std::string> sentences;
    for (const Diagnostic& diagnostic : checkAround(graph).diagnostics)
        if (diagnostic.severity == Severity::Error && diagnostic.node == kMiddle)
            sentences.push_back(diagnostic.sentence);
    EXPECT_THAT(sentences, ::testing::SizeIs(1));
}

} // namespace unroll::nodes
