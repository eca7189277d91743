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

at::Tensor liGruWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

} // namespace

/// The norm takes the scale of the input out: ten times the input is the same but for epsilon.
TEST(LiGru, TheScaleOfTheInputDoesNotCount)
{
    const BlockCase made = casesOf("ligru").front();
    const auto block = build(made);
    const at::Tensor x = at::randn({9, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble) * 100;
    EXPECT_LT(difference(block->forward({{x * 10}, {}, {}}, {})[0][0], block->forward({{x}, {}, {}}, {})[0][0]), 1e-6);
}

/// With recurrent weights of 0, a bias of z and none of the candidate, a state decays by σ(b) a step.
TEST(LiGru, AnOpenGateKeepsTheState)
{
    BlockCase made = casesOf("ligru").front();
    made.params["normalization"] = std::string("none");
    const auto block = build(made);
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    liGruWeight(*block, "u.weight").zero_();
    liGruWeight(*block, "w.bias").narrow(0, 0, units).fill_(-1);
    liGruWeight(*block, "w.bias").narrow(0, units, units).fill_(2);
    const at::Tensor start = at::randn({2, units}, generatorOf(3), at::kDouble);
    const at::Tensor nothing = at::zeros({4, 2, made.inputs.at("x").width}, at::kDouble);
    const double kept = std::pow(1 / (1 + std::exp(-2.0)), 4);
    EXPECT_LT(difference(block->forward({{nothing}, {start}, {}}, {})[1][0], start * kept), 1e-14);
}

} // namespace unroll::nodes
