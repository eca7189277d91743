// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <limits>

namespace unroll::nodes {

namespace {

using namespace contract;

constexpr double kNotAsked = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST(MseHead, ScoresNothingAsZeroWithAZeroGradient)
{
    const BlockCase made = casesOf("mse").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    inputs[1] = {at::full_like(inputs[1].front(), kNotAsked)};
    const auto outputs = block->forward(inputs, {});
    outputs[0][0].backward();
    EXPECT_EQ(outputs[0][0].item<double>(), 0);
    EXPECT_EQ(block->weights()[0].tensor.grad().abs().sum().item<double>(), 0);
}

TEST(MseHead, WithoutTargetsGivesAPredictionAlone)
{
    const BlockCase made = casesOf("mse").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    inputs[1] = {};
    const auto outputs = block->forward(inputs, {});
    EXPECT_TRUE(outputs[0].empty());
    EXPECT_EQ(outputs[1][0].size(-1), made.inputs.at("targets").width);
}

TEST(MseHead, IsTorchsMeanSquaredErrorWhereAllIsScored)
{
    const BlockCase made = casesOf("mse").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    at::Generator random = generatorOf(3);
    inputs[1] = {at::randn(inputs[1].front().sizes(), random, at::kDouble)};
    const auto outputs = block->forward(inputs, {});
    EXPECT_NEAR(outputs[0][0].item<double>(), at::mse_loss(outputs[1][0], inputs[1][0]).item<double>(), 1e-14);
}

TEST(MseHead, AMissingTargetLeavesTheGradientsFinite)
{
    const BlockCase made = casesOf("mse").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    ASSERT_TRUE(inputs[1].front().isnan().any().item<bool>()) << "a third of the targets is missing";
    inputs[0].front().set_requires_grad(true);
    block->forward(inputs, {})[0][0].backward();
    EXPECT_TRUE(at::isfinite(inputs[0].front().grad()).all().item<bool>());
    EXPECT_TRUE(at::isfinite(block->weights()[0].tensor.grad()).all().item<bool>());
}

} // namespace unroll::nodes
