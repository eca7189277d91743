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

at::Tensor mlstmWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

struct ShownByMlstm : Observer {
    std::map<std::string, at::Tensor> seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen[signal] = value.clone();
    }
};

} // namespace

/// Exponentials of hundreds: what is read stays a mean of values, and no number overflows.
TEST(Mlstm, GatesOfAnySizeStayInRange)
{
    BlockCase made = casesOf("mlstm").front();
    made.params["gate_soft_cap"] = 0.0;
    for (const double size : {-800.0, 800.0}) {
        const auto block = build(made, 1, at::kFloat);
        mlstmWeight(*block, "igate_preact.bias").fill_(size);
        ShownByMlstm observer;
        const at::Tensor x = at::randn({40, 2, made.inputs.at("x").width}, generatorOf(3), at::kFloat);
        const auto outputs = block->forward({{x}, {}, {}}, {.observer = &observer});
        EXPECT_TRUE(outputs[0][0].isfinite().all().item<bool>()) << size;
        EXPECT_TRUE(outputs[1][0].isfinite().all().item<bool>()) << size;
        EXPECT_LE(observer.seen.at("i").max().item<float>(), 1.0F);
        EXPECT_LE(observer.seen.at("f").max().item<float>(), 1.0F);
    }
}

/// m is bookkeeping: S and n scaled by e, m raised by 1 stand for the same memory.
TEST(Mlstm, TheStabiliserCancels)
{
    const BlockCase made = casesOf("mlstm").front();
    const auto block = build(made);
    const std::int64_t heads = std::get<std::int64_t>(made.params.at("num_heads"));
    const std::int64_t width = made.inputs.at("state").width;
    const at::Tensor x = at::randn({9, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble);
    const at::Tensor start = at::randn({2, width}, generatorOf(4), at::kDouble);
    at::Tensor same = start.clone();
    same.narrow(1, 0, width - heads).mul_(std::exp(-1.0));
    same.narrow(1, width - heads, heads).add_(1);
    const auto read = [&](const at::Tensor& state) { return block->forward({{x}, {state}, {}}, {})[0][0]; };
    EXPECT_LT(difference(read(same), read(start)), 1e-4) << "but for 1e-6 in the divisor";
}

/// Over thousands of steps the sums of ln f grow large; m of a whole sequence is still that of single steps.
TEST(Mlstm, TheStabiliserOfLongSequencesIsThatOfSteps)
{
    const BlockCase made = casesOf("mlstm").front();
    const auto block = build(made, 1, at::kFloat);
    mlstmWeight(*block, "fgate_preact.bias").fill_(-4);
    const std::int64_t heads = std::get<std::int64_t>(made.params.at("num_heads"));
    const std::int64_t width = made.inputs.at("state").width, steps = 3000;
    const at::Tensor x = at::randn({steps, 1, made.inputs.at("x").width}, generatorOf(3), at::kFloat);
    const at::NoGradGuard values;
    const at::Tensor whole = block->forward({{x}, {}, {}}, {})[1][0].narrow(1, width - heads, heads);
    Value state = block->initialState(1);
    for (std::int64_t t = 0; t < steps; ++t)
        state = block->forward({{x.narrow(0, t, 1)}, state, {}}, {})[1];
    EXPECT_LT(difference(whole, state[0].narrow(1, width - heads, heads)), 1e-5);
}

} // namespace unroll::nodes
