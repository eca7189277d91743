// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase lrummlCase(const Params& params, const char* block = "lrumml")
{
    BlockCase made = casesOf(block).front();
    made.params["units"] = made.inputs["x"].width; // a skip that is a vector wants them equal
    for (const auto& [name, value] : params)
        if (made.spec->param(name) != nullptr)
            made.params[name] = value;
    return made;
}

at::Tensor lrummlWeight(Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor;
    return {};
}

} // namespace

/// With nothing entering, what is left of the state turns and decays as the LRU's does, and full-precision C and D read
/// it alike.
TEST(LruMml, AfterTheTernaryPartItIsTheLru)
{
    const Params params = {{"skip", std::string("vector")}};
    const BlockCase ternary = lrummlCase(params), plain = lrummlCase(params, "lru");
    const auto ours = build(ternary, 3), lru = build(plain, 4);
    const at::NoGradGuard values;
    for (Weight& weight : lru->weights())
        if (weight.name.starts_with("B_"))
            weight.tensor.zero_();
        else
            weight.tensor.copy_(lrummlWeight(*ours, weight.name));
    for (const char* name : {"B_re", "B_im"})
        lrummlWeight(*ours, name).zero_(); // ternary codes of zeros are zeros
    const auto inputs = inputsOf(ternary, *ours, {.steps = 9});
    const auto got = floats(ours->forward(inputs, {})), want = floats(lru->forward(inputs, {}));
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_LT(difference(got[i], want[i]), 1e-14);
}

/// The norm of the input comes first, so its size is not seen; that of the state is seen by a full-precision C alone.
TEST(LruMml, ATernaryReadOutTakesTheSizeOffTheState)
{
    for (const bool fully : {false, true}) {
        const BlockCase made = lrummlCase({{"fully_mml", fully}, {"skip", std::string("none")}});
        const auto block = build(made);
        auto inputs = inputsOf(made, *block, {.steps = 1, .mask = false});
        const at::NoGradGuard values;
        for (const char* name : {"B_re", "B_im"})
            lrummlWeight(*block, name).zero_();
        const at::Tensor once = block->forward(inputs, {})[0][0];
        for (at::Tensor& part : inputs[1])
            part = part * 2;
        const at::Tensor twice = block->forward(inputs, {})[0][0];
        EXPECT_LT(difference(twice, fully ? once : once * 2), 1e-6) << fully; // epsilon of the norm
    }
}

TEST(LruMml, OneFeatureIsWarnedOf)
{
    BlockCase narrow = lrummlCase({});
    narrow.inputs["x"].width = 1;
    const auto diagnostics = infer(narrow).diagnostics;
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics.front().severity, Severity::Warning);
    EXPECT_EQ(diagnostics.front().code, "one-feature");
}

TEST(LruMml, AStateOfOneNumberIsWarnedOfWhereItIsNormed)
{
    for (const bool fully : {false, true}) {
        BlockCase narrow = lrummlCase({{"state_size", std::int64_t{1}}, {"fully_mml", fully}});
        narrow.inputs.erase("state");
        EXPECT_EQ(infer(narrow).diagnostics.size(), fully ? 1u : 0u);
    }
}

TEST(LruMml, WhatIsBsLearnsAsTheRecurrenceDoes)
{
    const auto block = build(lrummlCase({{"use_bias", true}, {"fully_mml", true}}));
    for (const Weight& weight : block->weights()) {
        const bool slow = weight.name.find("_log") != std::string::npos || weight.name.find("B_") != std::string::npos;
        EXPECT_EQ(weight.rule.learningRateScale, slow ? 0.5 : 1) << weight.name;
        EXPECT_EQ(weight.rule.decay.has_value(), slow) << weight.name;
    }
}

} // namespace unroll::nodes
