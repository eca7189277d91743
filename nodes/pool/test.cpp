// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

/// Two sequences of three steps; the last step of the second is masked, and all of the third.
Value pooled(const std::string& kind)
{
    const at::Tensor x = at::tensor({3.0, 1.0, 2.0, -1.0, 4.0, 5.0, 2.0, 9.0, 7.0}, at::kDouble).view({3, 3, 1});
    const at::Tensor mask = at::tensor({1, 1, 0, 1, 1, 0, 1, 0, 0}, at::kInt).to(at::kBool).view({3, 3});
    BlockCase made{registry().find("pool"), {{"kind", kind}}, {{"x", {.type = PortType::Sequence, .width = 1}}}};
    return build(made)->forward({{x}, {mask}}, {}).front();
}

void expectVector(const std::string& kind, std::vector<double> want)
{
    EXPECT_EQ(difference(pooled(kind).front(), at::tensor(want, at::kDouble).view({3, 1})), 0) << kind;
}

} // namespace

TEST(Pool, LooksAtRealStepsAlone)
{
    expectVector("max", {3, 4, 0});
    expectVector("mean", {4.0 / 3, 2.5, 0});
    expectVector("last", {2, 4, 0});
    expectVector("first", {3, 1, 0});
}

} // namespace unroll::contract
