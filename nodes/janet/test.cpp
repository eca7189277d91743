// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase janetCase(const Params& params)
{
    BlockCase made = casesOf("janet").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

at::Tensor janetWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

} // namespace

/// With weights of 0 and s = 0: f is a half, and i is 1 - σ(-β).
TEST(Janet, WritesMoreThanItForgetsByBeta)
{
    for (const double beta : {0.0, 1.0}) {
        const BlockCase made = janetCase({{"beta", beta}});
        const auto block = build(made);
        const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
        {
            const at::NoGradGuard values;
            for (Weight& weight : block->weights())
                weight.tensor.zero_();
            janetWeight(*block, "bias_ih_l0").narrow(0, units, units).fill_(0.7);
        }
        const at::Tensor start = at::randn({2, units}, generatorOf(3), at::kDouble);
        const auto outputs =
            block->forward({{at::zeros({1, 2, made.inputs.at("x").width}, at::kDouble)}, {start}, {}}, {});
        const double written = (1 - 1 / (1 + std::exp(beta))) * std::tanh(0.7);
        EXPECT_LT(difference(outputs[1][0], start * 0.5 + written), 1e-14);
    }
}

/// e^b is uniform from 1 to T - 1, and no other bias is left.
TEST(Janet, ChronoBiasesSpreadMemories)
{
    const BlockCase made = janetCase({{"units", std::int64_t{2000}}, {"chrono", std::int64_t{101}}});
    const auto block = buildUnshaken(made, 1, at::kDouble);
    const at::Tensor bias = janetWeight(*block, "bias_ih_l0"), spread = bias.narrow(0, 0, 2000).exp();
    EXPECT_GE(spread.min().item<double>(), 1);
    EXPECT_LE(spread.max().item<double>(), 100);
    EXPECT_NEAR(spread.mean().item<double>(), 50.5, 3);
    EXPECT_EQ(bias.narrow(0, 2000, 2000).abs().max().item<double>(), 0);
    EXPECT_EQ(janetWeight(*block, "bias_hh_l0").abs().max().item<double>(), 0);
}

} // namespace unroll::nodes
