// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

struct ShownByDeltaNet : Observer {
    std::map<std::string, at::Tensor> seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen[signal] = value.clone();
    }
};

} // namespace

/// The same input again and again: what is written under its key goes to 0, by 1 - β a step; β is a half where W_β is
/// 0.
TEST(DeltaNet, WritesLessAndLessOfWhatItKnows)
{
    BlockCase made = casesOf("delta_net").front();
    made.params["use_short_conv"] = false;
    const auto block = build(made);
    {
        const at::NoGradGuard values;
        for (Weight& weight : block->weights())
            if (weight.name == "b_proj.weight")
                weight.tensor.zero_();
    }
    ShownByDeltaNet observer;
    at::Generator random = generatorOf(3);
    const at::Tensor x = at::randn({1, 2, made.inputs.at("x").width}, random, at::kDouble).expand({6, -1, -1});
    block->forward({{x}, {}, {}}, {.observer = &observer});
    const at::Tensor r = observer.seen.at("r"), k = observer.seen.at("k");
    EXPECT_LT((observer.seen.at("beta") - 0.5).abs().max().item<double>(), 1e-12);
    const std::int64_t heads = observer.seen.at("beta").size(2);
    const at::Tensor share = 1 - 0.5 * k.unflatten(2, {heads, -1}).square().sum(-1, true); // of length nearly 1
    const auto ofHeads = [&](std::int64_t t) { return r[t].unflatten(1, {heads, -1}); };
    for (std::int64_t t = 1; t < 6; ++t)
        EXPECT_LT((ofHeads(t) - share[t] * ofHeads(t - 1)).abs().max().item<double>(), 1e-12) << t;
}

} // namespace unroll::nodes
