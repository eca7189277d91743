// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

std::unique_ptr<Block> minGru(const std::string& activation, BlockCase& made)
{
    made = casesOf("mingru").front();
    made.params["activation"] = activation;
    return build(made);
}

} // namespace

/// What the log-space form of the paper rests on.
TEST(MinGru, WithGTheStateIsPositive)
{
    BlockCase made;
    const auto block = minGru("g", made);
    const at::Tensor x = at::randn({40, 3, made.inputs.at("x").width}, at::kDouble) * 5;
    const auto outputs = block->forward({{x}, {}, {}}, {});
    EXPECT_GT(outputs[0][0].min().item<double>(), 0);
    EXPECT_GT(outputs[0][0].max().item<double>(), 1) << "and not bounded";
}

/// A mean of the state before and of the candidates lies between them.
TEST(MinGru, WithTanhTheStateStaysWithinOne)
{
    BlockCase made;
    const auto block = minGru("tanh", made);
    const at::Tensor x = at::randn({40, 3, made.inputs.at("x").width}, at::kDouble) * 5;
    EXPECT_LE(block->forward({{x}, {}, {}}, {})[0][0].abs().max().item<double>(), 1);
}

/// With all sums 0, z is a half and g is a half: h comes halfway to ½ at each step, from negative states too.
TEST(MinGru, HalfOpenGatesGoHalfway)
{
    BlockCase made;
    const auto block = minGru("g", made);
    {
        const at::NoGradGuard values;
        for (Weight& weight : block->weights())
            weight.tensor.zero_();
    }
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    const at::Tensor nothing = at::zeros({3, 1, made.inputs.at("x").width}, at::kDouble);
    const at::Tensor start = at::zeros({1, units}, at::kDouble) - 3.5;
    const auto outputs = block->forward({{nothing}, {start}, {}}, {});
    EXPECT_LT((outputs[1][0] - (0.5 - 4.0 / 8)).abs().max().item<double>(), 1e-12);
}

} // namespace unroll::nodes
