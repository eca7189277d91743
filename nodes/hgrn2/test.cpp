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

std::unique_ptr<Block> hgrn2With(BlockCase made, const Params& params, double gate)
{
    for (const auto& [name, value] : params)
        made.params[name] = value;
    auto block = build(made);
    const at::NoGradGuard values;
    for (Weight& weight : block->weights()) {
        if (weight.name != "g_norm.weight" && weight.name != "o_proj.weight")
            weight.tensor.zero_();
        if (weight.name == "f_proj.bias")
            weight.tensor.fill_(gate);
    }
    return block;
}

} // namespace

/// What a gate does not keep is the key: with f = 1/2 and nothing read in, S halves.
TEST(Hgrn2, AGateOfAHalfHalvesTheState)
{
    const BlockCase made = casesOf("hgrn2").front();
    const auto block = hgrn2With(made, {}, 0);
    const at::Tensor start = at::randn({2, made.inputs.at("state").width}, generatorOf(3), at::kDouble);
    const at::Tensor nothing = at::zeros({3, 2, made.inputs.at("x").width}, at::kDouble);
    EXPECT_LT(difference(block->forward({{nothing}, {start}, {}}, {})[1][0], start / 8), 1e-14);
}

/// With bounds of 0 in the table every layer has the same share, and the second of three keeps at least a third.
TEST(Hgrn2, AShutGateKeepsItsBound)
{
    const BlockCase made = casesOf("hgrn2").front();
    const auto block = hgrn2With(
        made, {{"layer", std::int64_t{1}}, {"layers", std::int64_t{3}}, {"convention", std::string("hgru")}}, -60);
    const at::Tensor start = at::randn({2, made.inputs.at("state").width}, generatorOf(3), at::kDouble);
    const at::Tensor nothing = at::zeros({2, 2, made.inputs.at("x").width}, at::kDouble);
    EXPECT_LT(difference(block->forward({{nothing}, {start}, {}}, {})[1][0], start / 9), 1e-14);
}

} // namespace unroll::nodes
