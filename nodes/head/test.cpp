// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/ops/full.h>
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

} // namespace unroll::nodes
