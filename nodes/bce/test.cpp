// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isfinite.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unroll::nodes {

namespace {

using namespace contract;

} // namespace

TEST(BceHead, OfZeroLogitsCostsTheLogarithmOfTwo)
{
    const BlockCase made = casesOf("bce").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    for (Weight& weight : block->weights())
        weight.tensor.detach().zero_();
    EXPECT_NEAR(block->forward(inputs, {})[0][0].item<double>(), std::log(2.0), 1e-12) << "whatever the targets";
}

TEST(BceHead, ScoresNothingAsZeroWithAZeroGradient)
{
    const BlockCase made = casesOf("bce").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    inputs[1] = {at::full_like(inputs[1].front(), std::numeric_limits<double>::quiet_NaN())};
    const auto outputs = block->forward(inputs, {});
    outputs[0][0].backward();
    EXPECT_EQ(outputs[0][0].item<double>(), 0);
    EXPECT_EQ(block->weights()[0].tensor.grad().abs().sum().item<double>(), 0);
}

TEST(BceHead, AMissingTargetLeavesTheGradientsFinite)
{
    const BlockCase made = casesOf("bce").front();
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    inputs[0].front().set_requires_grad(true);
    block->forward(inputs, {})[0][0].backward();
    EXPECT_TRUE(at::isfinite(inputs[0].front().grad()).all().item<bool>());
}

TEST(BceHead, RefusesNumbersThatAreNoShares)
{
    const BlockCase made = casesOf("bce").front();
    BlockCase wrong = made;
    wrong.inputs["targets"].shares = false;
    EXPECT_TRUE(infer(made).diagnostics.empty());
    ASSERT_EQ(infer(wrong).diagnostics.size(), 1u);
    EXPECT_EQ(infer(wrong).diagnostics.front().where, "targets");
}

} // namespace unroll::nodes
