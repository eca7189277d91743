// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

std::unique_ptr<Block> hgrnWithout(const BlockCase& made, double theta)
{
    auto block = build(made);
    const at::NoGradGuard values;
    for (Weight& weight : block->weights())
        if (weight.name == "theta")
            weight.tensor.fill_(theta);
        else if (weight.name != "g_norm.weight" && weight.name != "o_proj.weight")
            weight.tensor.zero_();
    return block;
}

} // namespace

/// With a gate of a half and nothing let in, three steps turn a state by 3 θ and leave an eighth.
TEST(Hgrn, AStateTurnsByThetaAStep)
{
    const BlockCase made = casesOf("hgrn").front();
    const auto block = hgrnWithout(made, 0.4);
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    const at::Tensor start = at::randn({2, 2 * units}, generatorOf(3), at::kDouble);
    const at::Tensor nothing = at::zeros({3, 2, made.inputs.at("x").width}, at::kDouble);
    const at::Tensor re = start.narrow(1, 0, units), im = start.narrow(1, units, units);
    const double c = std::cos(1.2), s = std::sin(1.2);
    const at::Tensor want = at::cat({re * c - im * s, im * c + re * s}, 1) / 8;
    EXPECT_LT(difference(block->forward({{nothing}, {start}, {}}, {})[1][0], want), 1e-14);
}

/// The last of three layers keeps at least two thirds, whatever its gate says.
TEST(Hgrn, TheBoundRisesWithTheLayer)
{
    BlockCase made = casesOf("hgrn").front();
    made.params["layer"] = std::int64_t{2};
    made.params["layers"] = std::int64_t{3};
    const auto block = hgrnWithout(made, 0);
    {
        const at::NoGradGuard values;
        for (Weight& weight : block->weights())
            if (weight.name == "f_proj.bias")
                weight.tensor.fill_(-60);
    }
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    const at::Tensor start = at::randn({2, 2 * units}, generatorOf(3), at::kDouble);
    const at::Tensor nothing = at::zeros({2, 2, made.inputs.at("x").width}, at::kDouble);
    EXPECT_LT(difference(block->forward({{nothing}, {start}, {}}, {})[1][0], start * 4 / 9), 1e-14);
}

} // namespace unroll::nodes
