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

struct ShownByRwkv7 : Observer {
    std::map<std::string, at::Tensor> seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen[signal] = value.clone();
    }
};

} // namespace

/// Decays begin between exp(-e^{-1/2}) and 1, the same at every step, and the output at 0.
TEST(Rwkv7, BeginsWithDecaysOfManyLengthsAndWithoutAnOutput)
{
    const BlockCase made = freshCasesOf("rwkv7").front();
    const auto block = buildUnshaken(made, 1, at::kDouble);
    ShownByRwkv7 observer;
    at::Generator random = generatorOf(3);
    const at::Tensor x = at::randn({4, 2, made.inputs.at("x").width}, random, at::kDouble);
    const auto outputs = block->forward({{x}, {}, {}}, {.observer = &observer});
    EXPECT_FALSE(outputs[0][0].any().item<bool>());
    const at::Tensor w = observer.seen.at("w"), kappa = observer.seen.at("kappa");
    EXPECT_GT(w.min().item<double>(), std::exp(-std::exp(-0.5)));
    EXPECT_LT(w.max().item<double>(), 1.0);
    EXPECT_LT((w - w[0]).abs().max().item<double>(), 1e-12) << "w1 begins at 0";
    const std::int64_t heads = observer.seen.at("S").size(2);
    EXPECT_LT((kappa.unflatten(2, {heads, -1}).norm(2, {-1}) - 1).abs().max().item<double>(), 1e-9);
}

} // namespace unroll::nodes
