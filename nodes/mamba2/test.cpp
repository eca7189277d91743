// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

struct ShownByMamba2 : Observer {
    std::map<std::string, at::Tensor> seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen[signal] = value.clone();
    }
};

} // namespace

/// Steps begin between dt_min and dt_max, and A between -16 and -1: what a head keeps a step is between exp(-1.6) and
/// exp(-0.001).
TEST(Mamba2, BeginsWithMemoriesOfManyLengths)
{
    BlockCase made = freshCasesOf("mamba2").front();
    const auto block = buildUnshaken(made, 1, at::kDouble);
    {
        const at::NoGradGuard values;
        for (Weight& weight : block->weights())
            if (weight.name == "in_proj.weight")
                weight.tensor.zero_();
    }
    ShownByMamba2 observer;
    at::Generator random = generatorOf(3);
    const at::Tensor x = at::randn({2, 1, made.inputs.at("x").width}, random, at::kDouble);
    block->forward({{x}, {}, {}}, {.observer = &observer});
    const at::Tensor a = observer.seen.at("a"), delta = observer.seen.at("delta");
    EXPECT_GE(delta.min().item<double>(), 0.001 - 1e-9);
    EXPECT_LE(delta.max().item<double>(), 0.1 + 1e-9);
    EXPECT_GT(a.min().item<double>(), std::exp(-1.6) - 1e-9);
    EXPECT_LT(a.max().item<double>(), std::exp(-0.001) + 1e-9);
}

} // namespace unroll::nodes
