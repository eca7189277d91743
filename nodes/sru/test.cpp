// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

namespace {

/// An SRU whose U, or U and V, come by wire.
BlockCase givenCase(const std::string& how, const Params& params, std::int64_t in, std::int64_t parts)
{
    BlockCase made{registry().find("sru"), registry().find("sru")->withDefaults(params), {}};
    made.params["custom_m"] = how;
    const std::int64_t out =
        std::get<std::int64_t>(made.params.at("units")) * (std::get<bool>(made.params.at("bidirectional")) ? 2 : 1);
    made.inputs["x"] = {.type = PortType::Sequence, .width = in};
    made.inputs["u"] = {.type = PortType::Sequence, .width = parts * out};
    made.inputs["mask"] = {.type = PortType::Mask};
    return made;
}

/// The same numbers in two blocks but for the weight that makes U, and what that makes.
at::Tensor takeWeights(Block& to, const Block& from)
{
    const at::NoGradGuard values;
    at::Tensor product;
    for (const Weight& weight : from.weights()) {
        if (weight.name == "weight")
            product = weight.tensor.detach();
        for (Weight& target : to.weights())
            if (target.name == weight.name)
                target.tensor.copy_(weight.tensor);
    }
    return product;
}

} // namespace

/// The kernel over a U from outside, and the plain steps with a V of zeros, are what the block makes itself.
TEST(Sru, GivenItsOwnProductItIsTheSame)
{
    constexpr std::int64_t kUnits = 4;
    for (const bool both : {false, true}) {
        const Params params = {{"units", kUnits}, {"bidirectional", both}, {"activation", std::string("tanh")}};
        const std::int64_t out = both ? 2 * kUnits : kUnits;
        BlockCase own = givenCase("none", params, out, 3);
        own.inputs.erase("u");
        const auto plain = build(own);
        const auto inputs = inputsOf(own, *plain, {.steps = 7});
        const auto wanted = plain->forward(inputs, {});
        for (const std::string how : {"u", "u_and_v"}) {
            SCOPED_TRACE(how);
            const BlockCase made = givenCase(how, params, out, how == "u" ? 3 : 5);
            EXPECT_TRUE(infer(made).diagnostics.empty());
            const auto given = build(made);
            const at::Tensor product = takeWeights(*given, *plain);
            at::Tensor u = inputs[0][0].matmul(product.t());
            if (how == "u_and_v")
                u = at::constant_pad_nd(u, {0, 2 * out});
            const auto found = given->forward({inputs[0], inputs[1], inputs[2], {u}}, {});
            EXPECT_LT(difference(found[0][0], wanted[0][0]), 1e-12);
            EXPECT_LT(difference(found[1][0], wanted[1][0]), 1e-12);
        }
    }
}

/// One unit, two steps: v + V takes the place of v.
TEST(Sru, VIsAddedToTheCellWeightsAtEveryStep)
{
    const BlockCase made = givenCase("u_and_v", {{"units", std::int64_t{1}}, {"has_skip_term", false}}, 3, 5);
    const auto block = build(made);
    double v[2] = {0, 0}, b[2] = {0, 0};
    for (const Weight& weight : block->weights())
        for (std::int64_t i = 0; i < 2; ++i)
            (weight.name == "weight_c" ? v : b)[i] = weight.tensor[i].item<double>();
    const at::Tensor x = at::zeros({2, 1, 3}, at::kDouble), u = at::randn({2, 1, 5}, generatorOf(2), at::kDouble);
    const auto found = block->forward({{x}, {}, {}, {u}}, {});
    double c = 0;
    for (std::int64_t t = 0; t < 2; ++t) {
        const auto part = [&](std::int64_t i) { return u[t][0][i].item<double>(); };
        const auto gate = [&](std::int64_t i) {
            return 1 / (1 + std::exp(-(part(1 + i) + b[i] + (v[i] + part(3 + i)) * c)));
        };
        const double f = gate(0), r = gate(1);
        c = f * c + (1 - f) * part(0);
        EXPECT_NEAR(found[0][0][t].item<double>(), r * c, 1e-14) << t;
    }
}

TEST(Sru, WhatComesByWireMustHaveItsParts)
{
    const auto sentence = [](const BlockCase& made) {
        const auto diagnostics = infer(made).diagnostics;
        return diagnostics.empty() ? std::string() : diagnostics.front().sentence;
    };
    BlockCase made = givenCase("u", {{"units", std::int64_t{6}}}, 6, 3);
    EXPECT_EQ(sentence(made), "");
    made.inputs["u"].width = 20;
    EXPECT_EQ(sentence(made), "u expects 3 parts of the output's width 6, 18 features; it gets 20");
    made.inputs.erase("u");
    EXPECT_EQ(sentence(made), "U is set to come by wire, but u is not wired; it expects 18 features");
    made = givenCase("u", {{"units", std::int64_t{6}}, {"layer_norm", true}}, 6, 3);
    EXPECT_THAT(sentence(made), ::testing::HasSubstr("layer_norm is of the input of the product"));
    made = givenCase("u", {{"units", std::int64_t{6}}}, 5, 3);
    EXPECT_THAT(sentence(made), ::testing::HasSubstr("x as wide as the output, 6; it is 5"));
}

} // namespace unroll::nodes
