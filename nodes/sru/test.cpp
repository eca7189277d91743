// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

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

} // namespace unroll::nodes
