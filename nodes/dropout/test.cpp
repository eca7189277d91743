// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase dropoutCase(double rate)
{
    BlockCase made = casesOf("dropout").front();
    made.params["rate"] = rate;
    return made;
}

at::Tensor pass(double rate, bool training, std::uint64_t seed)
{
    const BlockCase made = dropoutCase(rate);
    at::Generator generator = generatorOf(seed);
    return build(made)->forward({{at::ones({50, 20, 30})}}, {.training = training, .dropout = &generator})[0][0];
}

} // namespace

TEST(Dropout, KeepsTheMean)
{
    const at::Tensor y = pass(0.3, true, 1);
    EXPECT_NEAR(y.mean().item<double>(), 1, 0.02);
    EXPECT_NEAR(y.eq(0).to(at::kFloat).mean().item<double>(), 0.3, 0.01);
    EXPECT_NEAR(y.max().item<double>(), 1 / 0.7, 1e-6);
}

TEST(Dropout, DrawsFromThePassAlone)
{
    EXPECT_TRUE(at::equal(pass(0.3, true, 5), pass(0.3, true, 5)));
    EXPECT_FALSE(at::equal(pass(0.3, true, 5), pass(0.3, true, 6)));
}

TEST(Dropout, DoesNothingOutsideTraining)
{
    EXPECT_TRUE(at::equal(pass(0.3, false, 1), at::ones({50, 20, 30})));
    EXPECT_TRUE(at::equal(pass(0, true, 1), at::ones({50, 20, 30})));
}

} // namespace unroll::nodes
