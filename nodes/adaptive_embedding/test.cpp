// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

} // namespace

TEST(AdaptiveEmbedding, TakesEachTokensRowFromItsBand)
{
    BlockCase made = casesOf("adaptive_embedding").front();
    made.params["cutoffs"] = std::string("2, 4");
    made.params["div_value"] = 2.0;
    const auto block = build(made);
    const at::Tensor tokens = at::tensor({0, 1, 2, 3, 4, 5, 6}, at::kLong).unsqueeze(1);
    const at::Tensor y = block->forward({{tokens}}, {})[0][0];
    const auto weight = [&](std::size_t i) { return block->weights()[i].tensor.detach(); };
    for (std::int64_t token = 0; token < 7; ++token) {
        const std::size_t tail = token < 4 ? 1 : 3;
        const at::Tensor want =
            token < 2 ? weight(0)[token] : at::matmul(weight(tail + 1), weight(tail)[token - (token < 4 ? 2 : 4)]);
        EXPECT_LT(difference(y[token][0], want), 1e-12) << token;
    }
}

} // namespace unroll::nodes
