// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase mambaCase(const Params& params)
{
    BlockCase made = casesOf("mamba").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

at::Tensor mambaWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

struct ShownByMamba : Observer {
    at::Tensor h;
    bool wants(const std::string&, const std::string& signal) const override { return signal == "h"; }
    void show(const std::string&, const std::string&, const at::Tensor& value) override { h = value.clone(); }
};

} // namespace

/// Steps between both bounds, uniform by their logarithm, raised to 1e-4; rates 1 to N.
TEST(Mamba, BeginsAsTheAuthorsDo)
{
    BlockCase made = mambaCase({{"state_size", std::int64_t{4}}, {"dt_min", 1e-5}, {"dt_max", 0.1}});
    made.inputs["x"].width = 2000;
    const auto block = buildUnshaken(made, 1, at::kDouble);
    const at::Tensor step = at::softplus(mambaWeight(*block, "dt_proj.bias"));
    EXPECT_NEAR(step.min().item<double>(), 1e-4, 1e-12);
    EXPECT_LE(step.max().item<double>(), 0.1 + 1e-12);
    EXPECT_NEAR(step.lt(1e-3).to(at::kDouble).mean().item<double>(), 0.5, 0.05);
    const at::Tensor rates = mambaWeight(*block, "A_log").exp();
    for (std::int64_t n = 0; n < 4; ++n)
        EXPECT_LT((rates.select(1, n) - static_cast<double>(n + 1)).abs().max().item<double>(), 1e-12);
}

/// Δ = 0 in the limit: the input is skipped, and the states stay.
TEST(Mamba, AStepOfZeroPassesTheInputOver)
{
    const BlockCase made = mambaCase({});
    const auto block = build(made);
    const at::NoGradGuard values;
    mambaWeight(*block, "dt_proj.weight").zero_();
    mambaWeight(*block, "dt_proj.bias").fill_(-800);
    const std::int64_t held = mambaWeight(*block, "A_log").numel();
    const at::Tensor state = at::randn(block->initialState(2).front().sizes(), generatorOf(3), at::kDouble);
    const at::Tensor x = at::randn({6, 2, made.inputs.at("x").width}, generatorOf(4), at::kDouble);
    const auto outputs = block->forward({{x}, {state}, {}}, {});
    EXPECT_EQ(difference(outputs[1][0].narrow(1, 0, held), state.narrow(1, 0, held)), 0);
}

/// Rows are inner features, columns their states; the last one is what is handed on.
TEST(Mamba, ItsStatesAreSeenAsOneMatrix)
{
    BlockCase made = mambaCase({{"state_size", std::int64_t{3}}, {"expand", std::int64_t{2}}});
    made.inputs["x"].width = 5;
    const auto block = build(made);
    ShownByMamba observer;
    const at::Tensor x = at::randn({4, 2, 5}, generatorOf(4), at::kDouble);
    const auto outputs = block->forward({{x}, {}, {}}, {.observer = &observer});
    EXPECT_EQ(observer.h.sizes(), (std::vector<std::int64_t>{4, 2, 1, 10, 3}));
    EXPECT_EQ(difference(observer.h[3].flatten(1), outputs[1][0].narrow(1, 0, 30)), 0);
}

/// Behind h the state holds what the convolution read last; nothing earlier is needed.
TEST(Mamba, TheStateHoldsTheLastInputsOfTheConvolution)
{
    const BlockCase made = mambaCase({});
    const auto block = build(made);
    const std::int64_t held = mambaWeight(*block, "A_log").numel(), inner = mambaWeight(*block, "D").numel();
    const at::Tensor x = at::randn({6, 2, made.inputs.at("x").width}, generatorOf(4), at::kDouble);
    const at::Tensor last = block->forward({{x}, {}, {}}, {})[1][0].narrow(1, held, 3 * inner);
    const at::Tensor u = x.matmul(mambaWeight(*block, "in_proj.weight").narrow(0, 0, inner).t());
    EXPECT_LT(difference(last, u.narrow(0, 3, 3).transpose(0, 1).flatten(1)), 1e-14);
}

} // namespace unroll::nodes
