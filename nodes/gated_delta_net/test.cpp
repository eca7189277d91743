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

struct ShownByGatedDeltaNet : Observer {
    std::map<std::string, at::Tensor> seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen[signal] = value.clone();
    }
};

} // namespace

/// Where nothing is said, x = 0, the state decays by exp(-A Δ) with the steps and rates that it began with.
TEST(GatedDeltaNet, BeginsWithMemoriesOfManyLengths)
{
    BlockCase made = freshCasesOf("gated_delta_net").front();
    const auto block = buildUnshaken(made, 1, at::kDouble);
    ShownByGatedDeltaNet observer;
    block->forward({{at::zeros({2, 1, made.inputs.at("x").width}, at::kDouble)}, {}, {}}, {.observer = &observer});
    const at::Tensor a = observer.seen.at("a");
    EXPECT_GE(a.min().item<double>(), std::exp(-1.6) - 1e-9);
    EXPECT_LE(a.max().item<double>(), 1.0);
    EXPECT_FALSE(observer.seen.at("S").any().item<bool>()) << "keys and values of 0 store nothing";
}

} // namespace unroll::nodes
