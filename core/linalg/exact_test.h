// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of products hold against fp64.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <gtest/gtest.h>

namespace unroll::linalg {

inline at::Tensor exact(const at::Tensor& tensor)
{
    return tensor.to(at::kDouble);
}

/// Within 1e-5 of the largest element.
inline void expectNear(const at::Tensor& got, const at::Tensor& exact)
{
    constexpr double kBound = 1e-5;
    ASSERT_EQ(got.sizes(), exact.sizes());
    ASSERT_EQ(got.layout(), at::kStrided);
    EXPECT_LE((got.to(at::kDouble) - exact).abs().max().item<double>(), kBound * exact.abs().max().item<double>());
}

} // namespace unroll::linalg
