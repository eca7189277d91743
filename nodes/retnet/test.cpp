// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

at::Tensor retNetWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

/// Of one pair of keys, that turns by one radian a step.
BlockCase retNetOfOnePair()
{
    BlockCase made = casesOf("retnet").front();
    made.params["units"] = std::int64_t{2};
    made.params["num_heads"] = std::int64_t{1};
    made.params["value_factor"] = std::int64_t{1};
    return made;
}

} // namespace

/// Sums over all pairs of steps: (31/32)^(t-s) times q_t · R^(s-t) k_s, normed and gated.
TEST(RetNet, IsAttentionWithTurningAndDecayingWeights)
{
    const BlockCase made = retNetOfOnePair();
    const auto block = build(made);
    const std::int64_t steps = 23;
    const at::Tensor x = at::randn({steps, 1, made.inputs.at("x").width}, generatorOf(3), at::kDouble);
    const at::Tensor rows = x.squeeze(1);
    const auto made_of = [&](const char* name) { return at::matmul(rows, retNetWeight(*block, name).t()); };
    const at::Tensor q = made_of("q_proj.weight"), k = made_of("k_proj.weight") / std::sqrt(2.0),
                     v = made_of("v_proj.weight"), g = made_of("g_proj.weight");
    at::Tensor read = at::zeros({steps, 2}, at::kDouble);
    for (std::int64_t t = 0; t < steps; ++t)
        for (std::int64_t s = 0; s <= t; ++s) {
            const double back = static_cast<double>(t - s), c = std::cos(back), i = std::sin(back);
            const at::Tensor turned = at::cat({k[s].narrow(0, 0, 1) * c + k[s].narrow(0, 1, 1) * i,
                                               k[s].narrow(0, 1, 1) * c - k[s].narrow(0, 0, 1) * i});
            read[t] += v[s] * (q[t] * turned).sum() * std::pow(31.0 / 32, back);
        }
    const at::Tensor normed = read / (read.square().mean(-1, true) + 1e-6).sqrt();
    const at::Tensor want = at::matmul(normed * g * g.sigmoid(), retNetWeight(*block, "out_proj.weight").t());
    EXPECT_LT(difference(block->forward({{x}, {}, {}}, {})[0][0].squeeze(1), want), 1e-12);
}

/// Without input a state decays by 31/32 a step and turns back by a radian.
TEST(RetNet, AStateTurnsBackWithEveryStep)
{
    const BlockCase made = retNetOfOnePair();
    const auto block = build(made);
    const at::Tensor nothing = at::zeros({3, 1, made.inputs.at("x").width}, at::kDouble);
    const at::Tensor start = at::randn({1, 4}, generatorOf(3), at::kDouble), rows = start.view({2, 2});
    const double kept = std::pow(31.0 / 32, 3), c = std::cos(3.0), s = std::sin(3.0);
    const at::Tensor want = at::cat({rows[0] * c + rows[1] * s, rows[1] * c - rows[0] * s}) * kept;
    EXPECT_LT(difference(block->forward({{nothing}, {start}, {}}, {})[1][0].squeeze(0), want), 1e-14);
}

} // namespace unroll::nodes
