// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase gruCase(const std::string& convention)
{
    BlockCase made = casesOf("gru").front();
    made.params["convention"] = convention;
    return made;
}

/// y of a sequence with given weights.
at::Tensor gruOutput(const std::string& convention, const std::vector<at::Tensor>& weights)
{
    const BlockCase made = gruCase(convention);
    const auto block = build(made);
    {
        const at::NoGradGuard values;
        for (std::size_t i = 0; i < weights.size(); ++i)
            block->weights()[i].tensor.copy_(weights[i]);
    }
    return block->forward(inputsOf(made, *block, {.steps = 7, .mask = false}), {})[0][0];
}

std::vector<at::Tensor> gruWeights()
{
    std::vector<at::Tensor> weights;
    const auto block = build(gruCase("reset_after"), 5);
    for (const Weight& weight : block->weights())
        weights.push_back(weight.tensor.detach());
    return weights;
}

} // namespace

/// Where weights are all alike one convention passes for another; random ones tell them apart.
TEST(Gru, TheConventionsGiveDifferentNumbers)
{
    const auto weights = gruWeights();
    const at::Tensor after = gruOutput("reset_after", weights), before = gruOutput("reset_before", weights);
    EXPECT_GT(difference(after, before), 1e-2);
    EXPECT_GT(difference(before, gruOutput("reset_before_inverted_z", weights)), 1e-2);
}

/// 1 - σ(a) is σ(-a).
TEST(Gru, InvertedZIsZWithItsRowsNegated)
{
    auto weights = gruWeights();
    const at::Tensor plain = gruOutput("reset_before", weights);
    for (at::Tensor& weight : weights)
        weight.narrow(0, weight.size(0) / 3, weight.size(0) / 3).neg_();
    EXPECT_LT(difference(gruOutput("reset_before_inverted_z", weights), plain), 1e-14);
}

/// An open reset gate is none, before the product or after it.
TEST(Gru, WithAnOpenResetGateBeforeAndAfterAreTheSame)
{
    const auto weights = gruWeights();
    for (const at::Tensor& bias : {weights[2], weights[3]})
        bias.narrow(0, 0, bias.size(0) / 3).fill_(400);
    EXPECT_LT(difference(gruOutput("reset_before", weights), gruOutput("reset_after", weights)), 1e-14);
}

TEST(Gru, TellsThatOnlyResetAfterIsFused)
{
    const auto path = [](const std::string& convention) {
        const BlockCase made = gruCase(convention);
        return made.spec->trainingPath(made.params, {});
    };
    EXPECT_EQ(path("reset_after"), "Torch's fused operation, all steps at once.");
    EXPECT_EQ(path("reset_before"), "Step by step: Torch's fused operation has reset_after alone.");
}

} // namespace unroll::nodes
