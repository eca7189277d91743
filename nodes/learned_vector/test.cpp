// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <limits>

namespace unroll::contract {

namespace {

BlockCase vectorCase(Params params)
{
    const BlockSpec* spec = registry().find("learned_vector");
    return {spec, spec->withDefaults(params), {{"x", {.type = PortType::Sequence, .width = 2}}}};
}

} // namespace

/// Nothing of x is read but how many sequences there are.
TEST(LearnedVector, IsTheSameForEverySequence)
{
    const auto block = build(vectorCase({{"width", std::int64_t{3}}}));
    const at::Tensor weight = block->weights().front().tensor;
    for (const std::int64_t steps : {1, 4})
        for (const std::int64_t sequences : {1, 5}) {
            const at::Tensor x = at::full({steps, sequences, 2}, std::numeric_limits<double>::quiet_NaN(), at::kDouble);
            const at::Tensor y = block->forward({{x}}, {}).front().front();
            EXPECT_EQ(y.sizes().vec(), (std::vector<std::int64_t>{sequences, 3}));
            for (std::int64_t b = 0; b < sequences; ++b)
                EXPECT_EQ(difference(y[b], weight), 0);
            y.sum().backward();
            EXPECT_EQ(difference(weight.grad(), at::full({3}, static_cast<double>(sequences), at::kDouble)), 0);
            weight.mutable_grad().zero_();
        }
}

TEST(LearnedVector, BeginsAtZerosOrIsDrawn)
{
    const auto plain = buildUnshaken(vectorCase({}), 1, at::kDouble);
    EXPECT_EQ(plain->weights().front().tensor.abs().max().item<double>(), 0);
    const BlockCase drawn =
        vectorCase({{"width", std::int64_t{4000}}, {"initializer", std::string("normal")}, {"init_std", 0.5}});
    EXPECT_NEAR(buildUnshaken(drawn, 1, at::kDouble)->weights().front().tensor.square().mean().sqrt().item<double>(),
                0.5, 0.05);
}

} // namespace unroll::contract
