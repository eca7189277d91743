// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase multiplicativeCase(std::int64_t width, std::int64_t modules, bool bias, std::int64_t in)
{
    const BlockSpec* spec = registry().find("multiplicative_dense");
    BlockCase made{spec, spec->withDefaults({{"width", width}, {"num_modules", modules}, {"bias", bias}}), {}};
    made.inputs["x"] = {.type = PortType::Sequence, .width = in};
    return made;
}

/// The sum of the definition, one number after the other. x [T, B, in].
at::Tensor multiplicativeSums(const Block& block, const at::Tensor& x, std::int64_t width)
{
    const auto& weights = block.weights();
    const at::Tensor d = weights[0].tensor.detach(), e = weights[1].tensor.detach();
    at::Tensor y = at::zeros({x.size(0), x.size(1), width}, at::kDouble);
    for (std::int64_t s = 0; s < d.size(0); ++s)
        for (std::int64_t m = 0; m < e.size(0); ++m)
            for (std::int64_t i = 0; i < x.size(2); ++i)
                y.select(2, s * e.size(0) + m).add_(x.select(2, i) * d[s][i] * e[m][i]);
    return weights.size() > 2 ? y + weights[2].tensor.detach() : y;
}

} // namespace

/// By the matrix, and module by module where tokens are few.
TEST(MultiplicativeDense, IsTheSumOfItsDefinition)
{
    for (const bool bias : {true, false})
        for (const auto& [steps, sequences] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 3}, {3, 2}, {9, 2}}) {
            const auto block = build(multiplicativeCase(15, 3, bias, 7));
            const at::Tensor x = at::randn({steps, sequences, 7}, generatorOf(3), at::kDouble);
            EXPECT_LT(difference(block->forward({{x}}, {})[0][0], multiplicativeSums(*block, x, 15)), 1e-13);
        }
}

TEST(MultiplicativeDense, ModulesThatDoNotFitOfferSomeThatDo)
{
    const auto found = infer(multiplicativeCase(15, 4, true, 7));
    ASSERT_EQ(found.diagnostics.size(), 1u);
    EXPECT_EQ(found.diagnostics[0].where, "num_modules");
    EXPECT_EQ(found.diagnostics[0].sentence, "num_modules must divide width, 15; it is 4");
    EXPECT_EQ(found.offer->second, ParamValue(std::int64_t{3}));
}

TEST(MultiplicativeDense, HasTheWeightsOfTwoSmallMatrices)
{
    EXPECT_EQ(costOf(multiplicativeCase(256, 16, false, 256)).parameters, 256 * (16 + 16));
}

} // namespace unroll::nodes
