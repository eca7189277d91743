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

struct ShownByGla : Observer {
    std::map<std::string, at::Tensor> seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen[signal] = value.clone();
    }
};

} // namespace

/// With all weights 0 nothing is stored, and every gate is a half to the power of 1/16: 0.958.
TEST(Gla, AGateOfZeroKeepsNearlyAll)
{
    const BlockCase made = casesOf("gla").front();
    const auto block = build(made);
    {
        const at::NoGradGuard values;
        for (Weight& weight : block->weights())
            weight.tensor.zero_();
    }
    ShownByGla observer;
    const std::int64_t width = made.inputs.at("x").width, state = made.inputs.at("state").width;
    const at::Tensor start = at::randn({1, state}, at::kDouble);
    const auto outputs =
        block->forward({{at::zeros({3, 1, width}, at::kDouble)}, {start}, {}}, {.observer = &observer});
    const double kept = std::pow(0.5, 1.0 / 16);
    EXPECT_LT((observer.seen.at("a") - kept).abs().max().item<double>(), 1e-12);
    EXPECT_LT((outputs[1][0] - start * std::pow(kept, 3)).abs().max().item<double>(), 1e-12);
}

} // namespace unroll::nodes
