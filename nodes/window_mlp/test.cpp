// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

namespace unroll::contract {

/// Steps within the window move the output, older ones do not; nor do later ones.
TEST(WindowMlp, ReadsItsWindowAndNothingElse)
{
    BlockCase made = casesOf("window_mlp").front();
    made.params["window"] = std::int64_t{3};
    made.inputs["state"].width = 2 * made.inputs.at("x").width;
    const auto block = build(made);
    const std::int64_t steps = 8, changed = 2;
    at::Tensor x = at::randn({steps, 2, made.inputs.at("x").width}, generatorOf(5), at::kDouble);
    const at::Tensor before = block->forward({{x}, {}, {}}, {})[0][0];
    x = x.clone();
    x.select(0, changed).add_(1);
    const at::Tensor moved = (block->forward({{x}, {}, {}}, {})[0][0] - before).abs().sum({1, 2});
    for (std::int64_t t = 0; t < steps; ++t)
        EXPECT_EQ(moved.select(0, t).item<double>() > 0, t >= changed && t < changed + 3) << t;
}

/// One more step of the window is one more matrix of the first layer.
TEST(WindowMlp, HasParametersLinearInItsWindow)
{
    BlockCase made = casesOf("window_mlp").front();
    const std::int64_t in = made.inputs.at("x").width, hidden = std::get<std::int64_t>(made.params.at("hidden"));
    const auto parametersAt = [&](std::int64_t window) {
        made.params["window"] = window;
        return trainedElements(made.spec->weightsOf(made.params, made.inputs));
    };
    EXPECT_EQ(parametersAt(4) - parametersAt(3), in * hidden);
    EXPECT_EQ(parametersAt(64) - parametersAt(63), in * hidden);
}

} // namespace unroll::contract
