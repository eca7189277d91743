// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

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

TEST(Lstm, TellsWhichPathTrainingTakes)
{
    const BlockCase wired = casesOf("lstm").front();
    BlockCase free = wired;
    free.inputs.erase("mask");
    const auto path = [](const BlockCase& made) { return made.spec->trainingPath(made.params, made.inputs); };
    EXPECT_EQ(path(free), "fused");
    EXPECT_EQ(path(wired), "fused; step by step: batches with a mask");
}

} // namespace unroll::nodes
