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

/// Of each head state_size rows and head_size columns; the last ones are handed on, row by row.
TEST(Mamba2, ItsStatesAreSeenAsMatrices)
{
    BlockCase made = casesOf("mamba2").front();
    made.params["state_size"] = std::int64_t{5};
    made.params["head_size"] = std::int64_t{3};
    made.params["expand"] = std::int64_t{2};
    made.inputs["x"].width = 6;
    const auto block = build(made);
    ShownByMamba2 observer;
    at::Generator random = generatorOf(4);
    const at::Tensor x = at::randn({4, 2, 6}, random, at::kDouble);
    const auto outputs = block->forward({{x}, {}, {}}, {.observer = &observer});
    const at::Tensor S = observer.seen.at("S");
    EXPECT_EQ(S.sizes(), (std::vector<std::int64_t>{4, 2, 4, 5, 3}));
    EXPECT_LT(difference(S[3].flatten(1), outputs[1][0].narrow(1, 0, 60)), 1e-12);
}

} // namespace unroll::nodes
