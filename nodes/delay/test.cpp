// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>
#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

BlockCase delayOf(double initial)
{
    return {registry().find("delay"),
            {{"initial_value", initial}},
            {{"x", {.type = PortType::Sequence, .width = 3}},
             {"state", {.type = PortType::State, .width = 4, .parts = 1}},
             {"mask", {.type = PortType::Mask}}}};
}

} // namespace

TEST(Delay, ShiftsByOneStep)
{
    const BlockCase made = delayOf(0.25);
    const auto block = build(made);
    const auto inputs = inputsOf(made, *block, {.state = false, .mask = false});
    const at::Tensor x = inputs[0].front();
    const auto outputs = block->forward(inputs, {});
    const at::Tensor want = at::cat({at::full_like(x.narrow(0, 0, 1), 0.25), x.narrow(0, 0, x.size(0) - 1)});
    EXPECT_EQ(difference(outputs[0][0], want), 0);
    EXPECT_EQ(difference(outputs[1][0].narrow(1, 0, 3), x[x.size(0) - 1]), 0);
    EXPECT_EQ(outputs[1][0].narrow(1, 3, 1).min().item<double>(), 1) << "begun";
}

/// A large initial value takes no digits from what comes after it.
TEST(Delay, StepByStepIsTheWholeToTheLastBit)
{
    const BlockCase made = delayOf(1e6);
    const auto block = build(made, 1, at::kFloat);
    const auto inputs = inputsOf(made, *block, {.state = false, .mask = false, .dtype = at::kFloat});
    const at::Tensor x = inputs[0].front(), whole = block->forward(inputs, {})[0][0];
    Value state;
    for (std::int64_t t = 0; t < x.size(0); ++t) {
        const auto step = block->forward({{x.narrow(0, t, 1)}, state, {}}, {.keepsState = true});
        EXPECT_EQ(difference(step[0][0], whole.narrow(0, t, 1)), 0);
        state = step[1];
    }
}

TEST(Delay, GivesItsStateWhileItsInputIsNotThere)
{
    for (const bool mask : {false, true}) {
        const BlockCase made = delayOf(0.25);
        const auto block = build(made);
        auto inputs = inputsOf(made, *block, {.steps = 1, .mask = mask});
        const at::Tensor want = block->forward(inputs, {})[0][0];
        inputs[0].clear();
        const auto outputs = block->forward(inputs, {});
        EXPECT_EQ(difference(outputs[0][0], want), 0);
        EXPECT_EQ(difference(outputs[1][0], inputs[1][0]), 0) << "nothing came in";
    }
}

} // namespace unroll::contract
