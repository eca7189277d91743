// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase minLstmCase(const std::string& activation)
{
    BlockCase made = casesOf("min_lstm").front();
    made.params["activation"] = activation;
    return made;
}

} // namespace

/// f' and i' are both a half where f and i are equal: h comes halfway to g(0) = ½ at each step, from negative states
/// too.
TEST(MinLstm, EqualGatesGoHalfway)
{
    const BlockCase made = minLstmCase("g");
    const auto block = build(made);
    {
        const at::NoGradGuard values;
        block->weights()[0].tensor.zero_();
    }
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    const at::Tensor nothing = at::zeros({3, 1, made.inputs.at("x").width}, at::kDouble);
    const at::Tensor start = at::zeros({1, units}, at::kDouble) - 3.5;
    const auto outputs = block->forward({{nothing}, {start}, {}}, {});
    EXPECT_LT((outputs[1][0] - (0.5 - 4.0 / 8)).abs().max().item<double>(), 1e-12);
}

/// f / (f + i) with i = 1 - f is f: where the rows of both gates are opposite, the share kept is σ(W_f x).
TEST(MinLstm, OppositeGatesAreOneGate)
{
    const BlockCase made = minLstmCase("tanh");
    const auto block = build(made);
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    const at::Tensor weight = block->weights()[0].tensor.detach();
    weight.narrow(0, 2 * units, units).copy_(-weight.narrow(0, units, units));
    at::Generator random = generatorOf(3);
    const at::Tensor x = at::randn({1, 2, made.inputs.at("x").width}, random, at::kDouble);
    const at::Tensor start = at::randn({2, units}, random, at::kDouble);
    const at::Tensor parts = at::matmul(x[0], weight.t());
    const at::Tensor f = parts.narrow(1, units, units).sigmoid(), c = parts.narrow(1, 0, units).tanh();
    EXPECT_LT(difference(block->forward({{x}, {start}, {}}, {})[1][0], f * start + (1 - f) * c), 1e-14);
}

/// Both gates all but shut: their quotient is what counts, and neither divides by zero.
TEST(MinLstm, ShutGatesStillShareOut)
{
    const BlockCase made = minLstmCase("tanh");
    const auto block = build(made, 1, at::kFloat);
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    {
        const at::NoGradGuard values;
        block->weights()[0].tensor.narrow(0, units, 2 * units).fill_(-200);
    }
    const at::Tensor x = at::zeros({4, 1, made.inputs.at("x").width}, at::kFloat) + 1;
    const at::Tensor y = block->forward({{x}, {}, {}}, {})[0][0];
    ASSERT_TRUE(y.isfinite().all().item<bool>());
    EXPECT_LT((y[1] - y[0] * 1.5).abs().max().item<double>(), 1e-6) << "a half of c, then a quarter more";
}

} // namespace unroll::nodes
