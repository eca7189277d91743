// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/dilated_conv/dilations.h"
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

namespace unroll::contract {

using nodes::dilated_conv::dilationOf;
using nodes::dilated_conv::reach;

TEST(DilatedConv, ContextGrowsExponentiallyWithLayers)
{
    EXPECT_EQ(dilationOf(5, 2), 32);
    EXPECT_EQ(reach(6, 2, 2), 63);
    EXPECT_EQ(reach(3, 3, 4), 2 * (1 + 4 + 16));
    EXPECT_EQ(reach(4, 2, 1), 4);
    EXPECT_EQ(reach(64, 64, 16), nodes::dilated_conv::kSaturated);
}

/// The steps that move the output are those that the reach says, and no other.
TEST(DilatedConv, ReadsExactlyItsContext)
{
    BlockCase made = casesOf("dilated_conv").front();
    for (const auto& [name, value] : {std::pair("num_layers", 3), {"kernel_size", 2}, {"growth", 2}})
        made.params[name] = std::int64_t{value};
    const auto block = build(made);
    const std::int64_t steps = 12, changed = 1;
    at::Tensor x = at::randn({steps, 2, made.inputs.at("x").width}, generatorOf(5), at::kDouble);
    const at::Tensor before = block->forward({{x}, {}, {}}, {})[0][0];
    x = x.clone();
    x.select(0, changed).add_(1);
    const at::Tensor moved = (block->forward({{x}, {}, {}}, {})[0][0] - before).abs().sum({1, 2});
    for (std::int64_t t = 0; t < steps; ++t)
        EXPECT_EQ(moved.select(0, t).item<double>() > 0, t >= changed && t <= changed + reach(3, 2, 2)) << t;
}

TEST(DilatedConv, RefusesAContextOfMillionsOfSteps)
{
    BlockCase made = casesOf("dilated_conv").front();
    made.params["num_layers"] = std::int64_t{40};
    made.params["growth"] = std::int64_t{2};
    const Inferred inferred = infer(made);
    ASSERT_EQ(inferred.diagnostics.size(), 1u);
    EXPECT_EQ(inferred.diagnostics.front().sentence,
              "the layers may reach back 65536 steps at most; these reach back 1099511627775");
    EXPECT_EQ(inferred.offer->second, ParamValue(std::int64_t{16}));
}

} // namespace unroll::contract
