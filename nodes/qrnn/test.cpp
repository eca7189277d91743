// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase qrnnCase(const Params& params)
{
    BlockCase made = casesOf("qrnn").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

at::Tensor qrnnInput(const BlockCase& made, std::int64_t steps)
{
    at::Generator random = generatorOf(3);
    return at::randn({steps, 2, made.inputs.at("x").width}, random, at::kDouble);
}

at::Tensor lastCell(Block& block, const at::Tensor& x, const PassContext& context)
{
    return block.forward({{x}, {}, {}}, context)[1][0];
}

} // namespace

TEST(Qrnn, OneConventionIsTheOtherWithTheRowsOfFNegated)
{
    const BlockCase keeps = qrnnCase({}), writes = qrnnCase({{"convention", std::string("pytorch_qrnn")}});
    const auto paper = build(keeps), package = build(writes);
    const std::int64_t units = std::get<std::int64_t>(keeps.params.at("units"));
    const at::NoGradGuard values;
    for (std::size_t i = 0; i < 2; ++i) {
        package->weights()[i].tensor.copy_(paper->weights()[i].tensor);
        package->weights()[i].tensor.narrow(0, units, units).neg_();
    }
    const at::Tensor x = qrnnInput(keeps, 9);
    EXPECT_LT(difference(package->forward({{x}, {}, {}}, {})[0][0], paper->forward({{x}, {}, {}}, {})[0][0]), 1e-14);
}

TEST(Qrnn, WhatTheWindowSeesReachesBackAndNoFurther)
{
    const BlockCase made = qrnnCase({{"window", std::int64_t{3}}, {"pooling", std::string("f")}});
    const auto block = build(made);
    {
        const at::NoGradGuard values;
        const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
        block->weights()[0].tensor.narrow(0, units, units).zero_();     // nothing of the input opens or shuts f,
        block->weights()[1].tensor.narrow(0, units, units).fill_(-800); // which keeps nothing
    }
    at::Tensor x = qrnnInput(made, 8);
    const at::Tensor y = block->forward({{x}, {}, {}}, {})[0][0];
    x[2] += 1;
    const at::Tensor changed = block->forward({{x}, {}, {}}, {})[0][0] - y;
    for (std::int64_t t = 0; t < 8; ++t)
        EXPECT_EQ(changed[t].abs().max().item<double>() > 1e-9, t >= 2 && t <= 4) << "step " << t;
}

/// The mean over many draws of a single step's state is what the block gives without drawing.
TEST(Qrnn, ZoneoutKeepsTheMeanOfWhatAStepWrites)
{
    const BlockCase made = qrnnCase({{"zoneout", 0.4}});
    const auto block = build(made);
    const at::Tensor x = qrnnInput(made, 1), want = lastCell(*block, x, {});
    at::Generator dropout = generatorOf(5);
    constexpr int kDraws = 4000;
    at::Tensor mean = at::zeros(want.sizes(), at::kDouble);
    for (int i = 0; i < kDraws; ++i)
        mean += lastCell(*block, x, {.training = true, .dropout = &dropout}).detach();
    EXPECT_LT((mean / kDraws - want).abs().max().item<double>(), 0.05);
}

TEST(Qrnn, ZoneoutOfNearlyAllStepsKeepsTheState)
{
    const BlockCase made = qrnnCase({{"zoneout", 0.99}});
    const auto block = build(made);
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    const at::Tensor start = at::randn({2, units}, at::kDouble);
    at::Generator dropout = generatorOf(5);
    const PassContext training{.training = true, .dropout = &dropout};
    const at::Tensor moved = block->forward({{qrnnInput(made, 1)}, {start}, {}}, training)[1][0] - start;
    EXPECT_GE((moved.abs() < 1e-12).sum().item<std::int64_t>(), moved.numel() - 3);
}

TEST(Qrnn, AStateForAnotherWindowIsRefused)
{
    BlockCase made = qrnnCase({{"window", std::int64_t{2}}});
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units")), in = made.inputs.at("x").width;
    made.inputs["state"] = {.type = PortType::State, .width = units, .parts = 1};
    const auto found = infer(made).diagnostics;
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].sentence, "state expects c and the last inputs of width " + std::to_string(units + in) +
                                     "; it gets 1 tensor of width " + std::to_string(units));
}

} // namespace unroll::nodes
