// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase slstmCase(const Params& params)
{
    BlockCase made = casesOf("slstm").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

at::Tensor slstmWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

} // namespace

/// The first step writes its candidate whole, whatever the input gate: h = σ(õ) tanh(z̃).
TEST(Slstm, TheFirstStepIsItsCandidate)
{
    const BlockCase made = slstmCase({});
    const auto block = build(made);
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    const at::Tensor x = at::randn({1, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble);
    const at::Tensor sums = x[0].matmul(slstmWeight(*block, "weight").t()) + slstmWeight(*block, "bias");
    const at::Tensor want = sums.narrow(1, 3 * units, units).sigmoid() * sums.narrow(1, 2 * units, units).tanh();
    EXPECT_LT(difference(block->forward({{x}, {}, {}}, {})[0][0][0], want), 1e-14);
}

/// By the definition, without a stabiliser: c and n grow as the gates say, and h is the same. fp64 holds them for a few
/// steps.
TEST(Slstm, TheStabiliserCancels)
{
    for (const std::string forget : {"sigmoid", "exp"}) {
        const BlockCase made = slstmCase({{"forget_gate", forget}});
        const auto block = build(made);
        const at::NoGradGuard values;
        slstmWeight(*block, "recurrent_kernel").zero_();
        const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
        const at::Tensor x = at::randn({7, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble) * 2;
        const auto sums = (x.matmul(slstmWeight(*block, "weight").t()) + slstmWeight(*block, "bias")).split(units, 2);
        const at::Tensor i = sums[0].exp(), f = forget == "exp" ? sums[1].exp() : sums[1].sigmoid();
        const at::Tensor y = block->forward({{x}, {}, {}}, {})[0][0];
        at::Tensor c = i[0] * 0, n = c;
        for (std::int64_t t = 0; t < 7; ++t) {
            c = f[t] * c + i[t] * sums[2][t].tanh();
            n = f[t] * n + i[t];
            EXPECT_LT(difference(y[t], sums[3][t].sigmoid() * c / n), 1e-12) << forget << " " << t;
        }
    }
}

/// Input gates of exp(±10,000) in single precision.
TEST(Slstm, LargeGatesStayFinite)
{
    const BlockCase made = slstmCase({});
    const auto block = build(made, 1, at::kFloat);
    const at::Tensor x = at::randn({20, 2, made.inputs.at("x").width}, generatorOf(3), at::kFloat) * 1e4;
    const at::Tensor y = block->forward({{x}, {}, {}}, {})[0][0];
    EXPECT_TRUE(y.isfinite().all().item<bool>());
    EXPECT_LE(y.abs().max().item<double>(), 1) << "a mean of candidates";
}

TEST(Slstm, BiasesFallByAPowerOfThePlace)
{
    const auto block =
        buildUnshaken(slstmCase({{"units", std::int64_t{10}}, {"num_heads", std::int64_t{2}}}), 1, at::kDouble);
    const at::Tensor bias = slstmWeight(*block, "bias").narrow(0, 10, 10);
    for (std::int64_t k = 0; k < 10; ++k)
        EXPECT_NEAR(bias[k].item<double>(), 5 - 12 * std::pow(static_cast<double>(k % 5) / 4, 0.3), 1e-12);
}

} // namespace unroll::nodes
