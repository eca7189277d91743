// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

at::Tensor inputBias(double forgetBias)
{
    BlockCase made = casesOf("lstm").front();
    made.params["forget_bias"] = forgetBias;
    const auto block = buildUnshaken(made, 1, at::kDouble);
    return block->weights()[2].tensor.detach().clone();
}

} // namespace

TEST(Lstm, ForgetBiasIsAddedToTheForgetGateAlone)
{
    const at::Tensor plain = inputBias(0), more = inputBias(1.5);
    const std::int64_t units = plain.size(0) / 4;
    const at::Tensor added = more.sub(plain);
    EXPECT_NEAR(added.narrow(0, units, units).sub(1.5).abs().max().item<double>(), 0, 1e-12);
    EXPECT_EQ(added.narrow(0, 0, units).abs().max().item<double>(), 0);
    EXPECT_EQ(added.narrow(0, 2 * units, 2 * units).abs().max().item<double>(), 0);
}

TEST(Lstm, ChronoInitializationSpreadsTheTimesOverWhichUnitsForget)
{
    constexpr std::int64_t units = 512, steps = 40;
    BlockCase made = casesOf("lstm").front();
    made.params["units"] = units;
    made.params["chrono"] = steps;
    const auto block = buildUnshaken(made, 1, at::kDouble);
    const at::Tensor input = block->weights()[2].tensor.detach(), recurrent = block->weights()[3].tensor.detach();
    const at::Tensor spread = input.narrow(0, units, units).exp();
    EXPECT_GE(spread.min().item<double>(), 1);
    EXPECT_LE(spread.max().item<double>(), steps - 1);
    EXPECT_NEAR(spread.mean().item<double>(), steps / 2.0, 4 * steps / std::sqrt(12.0 * units));
    EXPECT_EQ(input.narrow(0, 0, units).add(input.narrow(0, units, units)).abs().max().item<double>(), 0);
    EXPECT_EQ(recurrent.narrow(0, 0, 2 * units).abs().max().item<double>(), 0);
    EXPECT_GT(recurrent.narrow(0, 2 * units, units).abs().min().item<double>(), 0);
}

TEST(Lstm, ChronoOverOneStepIsRefused)
{
    const auto checked = checkAround(graphAround("lstm", {{"chrono", std::int64_t{1}}}));
    EXPECT_FALSE(checked.runnable());
    ASSERT_EQ(checked.diagnostics.size(), 1u);
    EXPECT_THAT(checked.diagnostics.front().sentence, ::testing::HasSubstr("chrono = 1 leaves no step"));
    EXPECT_TRUE(checked.diagnostics.front().fix);
}

TEST(Lstm, TellsWhichPathTrainingTakes)
{
    const BlockCase wired = casesOf("lstm").front();
    BlockCase free = wired;
    free.inputs.erase("mask");
    const auto path = [](const BlockCase& made) { return made.spec->trainingPath(made.params, made.inputs); };
    EXPECT_EQ(path(free), "Torch's fused operation, all steps at once.");
    EXPECT_EQ(path(wired), "Torch's fused operation, all steps at once; step by step where a batch has a mask.");
}

} // namespace unroll::nodes
