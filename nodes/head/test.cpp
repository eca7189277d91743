// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/randint.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

} // namespace

TEST(Head, ScoresNothingAsZeroWithAZeroGradient)
{
    const BlockCase made = casesOf("head").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    inputs[1] = {at::full({5, 3}, -100, at::kLong)};
    const auto outputs = block->forward(inputs, {});
    outputs[0][0].backward();
    EXPECT_EQ(outputs[0][0].item<double>(), 0);
    EXPECT_EQ(block->weights()[0].tensor.grad().abs().sum().item<double>(), 0);
}

TEST(Head, WithoutTargetsGivesLogitsAlone)
{
    const BlockCase made = casesOf("head").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    inputs[1] = {};
    const auto outputs = block->forward(inputs, {});
    EXPECT_TRUE(outputs[0].empty());
    EXPECT_EQ(outputs[1][0].sizes().vec(), (std::vector<std::int64_t>{5, 3, 7}));
}

TEST(Head, OfEqualLogitsCostsTheLogarithmOfTheClasses)
{
    const BlockCase made = casesOf("head").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    for (Weight& weight : block->weights())
        weight.tensor.detach().zero_();
    EXPECT_NEAR(block->forward(inputs, {})[0][0].item<double>(), std::log(7.0), 1e-12);
}

/// A network wired by hand brings its own prediction.
TEST(Head, WithoutALinearLayerComparesWhatComesIn)
{
    BlockCase made = casesOf("head").front();
    made.params["readout"] = std::string("none");
    EXPECT_EQ(infer(made).diagnostics.size(), 1u) << "x is not as wide as the targets";
    EXPECT_EQ(infer(made).offer, std::pair(std::string("readout"), ParamValue(std::string("linear"))));
    made.inputs["x"].width = made.inputs.at("targets").classes;
    EXPECT_TRUE(infer(made).diagnostics.empty());
    EXPECT_EQ(costOf(made).parameters, 0);
    const auto block = build(made);
    EXPECT_TRUE(block->weights().empty());
    auto inputs = inputsOf(made, *block);
    const at::Tensor x = inputs[0].front().set_requires_grad(true);
    inputs[1] = {at::randint(0, x.size(-1), {x.size(0), x.size(1)}, at::kLong)};
    const auto outputs = block->forward(inputs, {});
    EXPECT_TRUE(outputs[1][0].equal(x));
    const at::Tensor right = inputs[1].front().reshape({-1});
    EXPECT_NEAR(outputs[0][0].item<double>(), at::nll_loss(at::log_softmax(x.flatten(0, 1), -1), right).item<double>(),
                1e-12);
    outputs[0][0].backward();
    EXPECT_GT(x.grad().abs().sum().item<double>(), 0);
}

} // namespace unroll::nodes
