// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tril.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

constexpr std::int64_t kWidth = 4;

/// One head as wide as its input, whose matrices are I.
std::unique_ptr<Block> plainAttention(const Params& params)
{
    BlockCase made = casesOf("linear_attention").front();
    made.params["units"] = kWidth;
    made.params["num_heads"] = std::int64_t{1};
    made.params["decay"] = std::string("none");
    for (const auto& [name, value] : params)
        made.params[name] = value;
    made.inputs["x"].width = kWidth;
    auto block = build(made);
    const at::NoGradGuard values;
    for (Weight& weight : block->weights())
        weight.tensor.copy_(at::eye(kWidth, at::kDouble));
    return block;
}

at::Tensor readBy(Block& block, const at::Tensor& x)
{
    return block.forward({{x.unsqueeze(1)}, {}, {}}, {})[0][0].squeeze(1);
}

} // namespace

/// Softmax's place is taken by φ(q)·φ(k), normalised.
TEST(LinearAttention, IsAWeightedMeanOfTheValuesSoFar)
{
    const at::Tensor x = at::randn({30, kWidth}, at::kDouble), features = at::elu(x) + 1;
    const at::Tensor weights = at::tril(at::matmul(features, features.t()));
    const at::Tensor want = at::matmul(weights / weights.sum(1, true), x);
    EXPECT_LT(difference(readBy(*plainAttention({}), x), want), 1e-5) << "but for 1e-6 in the sum of the weights";
}

TEST(LinearAttention, WithTheIdentityItIsAttentionWithoutASoftmax)
{
    const at::Tensor x = at::randn({30, kWidth}, at::kDouble);
    const at::Tensor want = at::matmul(at::tril(at::matmul(x, x.t())), x) / 2;
    EXPECT_LT(difference(readBy(*plainAttention({{"feature_map", std::string("identity")}}), x), want), 1e-12);
}

/// The first of RetNet's heads: 1 - 2^-5.
TEST(LinearAttention, RetentionForgetsByAThirtySecondAStep)
{
    const auto block = plainAttention({{"feature_map", std::string("identity")}, {"decay", std::string("retnet")}});
    at::Tensor x = at::randn({30, kWidth}, at::kDouble);
    at::Tensor weights = at::matmul(x, x.t()).tril() / 2;
    for (std::int64_t t = 0; t < 30; ++t)
        for (std::int64_t s = 0; s <= t; ++s)
            weights[t][s] *= std::pow(31.0 / 32, t - s);
    EXPECT_LT(difference(readBy(*block, x), at::matmul(weights, x)), 1e-12);
}

} // namespace unroll::nodes
