// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/regularisation.h"
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase indRnnCase(const Params& params)
{
    BlockCase made = casesOf("ind_rnn").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

Weight& indRnnRecurrent(Block& block)
{
    return block.weights().back();
}

} // namespace

/// Held at the bound: over T steps without input a state grows by `growth`.
TEST(IndRnn, OverTStepsAStateGrowsByNoMoreThanGrowth)
{
    const BlockCase made = indRnnCase({{"time_steps", std::int64_t{20}}, {"growth", 3.0}, {"use_bias", false}});
    const auto block = buildUnshaken(made, 1, at::kDouble);
    Weight& recurrent = indRnnRecurrent(*block);
    ASSERT_EQ(recurrent.name, "weight_hh");
    {
        const at::NoGradGuard values;
        recurrent.tensor.fill_(7);
        recurrent.tensor.copy_(constrained(recurrent.tensor, recurrent.rule.constraint));
    }
    const at::Tensor start = at::ones({1, recurrent.tensor.size(0)}, at::kDouble);
    const at::Tensor nothing = at::zeros({20, 1, made.inputs.at("x").width}, at::kDouble);
    EXPECT_LT(difference(block->forward({{nothing}, {start}, {}}, {})[1][0], start * 3), 1e-12);
}

TEST(IndRnn, RecurrentWeightsBeginWithinTheirBound)
{
    for (const std::string rule : {"uniform", "long"}) {
        const auto block = buildUnshaken(indRnnCase({{"units", std::int64_t{3000}},
                                                     {"time_steps", std::int64_t{2}},
                                                     {"growth", 4.0},
                                                     {"recurrent_initializer", rule}}),
                                         1, at::kDouble);
        const at::Tensor u = indRnnRecurrent(*block).tensor.detach();
        const double least = rule == "long" ? 0.5 : 0;
        EXPECT_GE(u.min().item<double>(), least);
        EXPECT_LE(u.max().item<double>(), 2);
        EXPECT_NEAR(u.mean().item<double>(), (least + 2) / 2, 0.05);
    }
}

} // namespace unroll::nodes
