// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/rms_norm.h"

#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

TEST(RmsNorm, OfOneTwoThree)
{
    const at::Tensor y = rmsNorm(at::tensor({1.0, 2.0, 3.0}, at::kDouble), {}, 1e-12);
    EXPECT_NEAR(y[0].item<double>(), 0.46291, 5e-6);
    EXPECT_NEAR(y[1].item<double>(), 0.92582, 5e-6);
    EXPECT_NEAR(y[2].item<double>(), 1.38873, 5e-6);
}

TEST(RmsNorm, OfARowOfZerosIsZeroWithAFiniteGradient)
{
    at::Tensor x = at::randn({3, 4}, at::kDouble);
    x[1].zero_();
    x.set_requires_grad(true);
    const at::Tensor y = rmsNorm(x, {}, 1e-6);
    y.sum().backward();
    EXPECT_EQ(y[1].abs().sum().item<double>(), 0);
    EXPECT_NEAR(x.grad()[1][0].item<double>(), 1e3, 1e-9); // 1 / sqrt(epsilon)
    EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
}

TEST(RmsNorm, DoesNotDependOnTheScaleOfItsInput)
{
    const at::Tensor x = at::randn({5, 7}, at::kDouble);
    EXPECT_LT(rmsNorm(x.mul(1e3), {}, 1e-12).sub(rmsNorm(x, {}, 1e-12)).abs().max().item<double>(), 1e-9);
}

} // namespace unroll::nodes
