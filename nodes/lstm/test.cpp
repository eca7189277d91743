// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <stdexcept>
#include <string>

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

TEST(Lstm, ForgetBiasReachesEveryLayerAndDirection)
{
    BlockCase made = casesOf("lstm").front();
    made.params["num_layers"] = std::int64_t{2};
    made.params["bidirectional"] = true;
    const auto plain = buildUnshaken(made, 1, at::kDouble);
    made.params["forget_bias"] = 1.5;
    const auto more = buildUnshaken(made, 1, at::kDouble);
    ASSERT_EQ(more->weights().size(), 16u);
    for (std::size_t i = 2; i < 16; i += 4) {
        const at::Tensor added = more->weights()[i].tensor.detach().sub(plain->weights()[i].tensor.detach());
        EXPECT_TRUE(more->weights()[i].name.starts_with("bias_ih_l")) << more->weights()[i].name;
        EXPECT_NEAR(added.sum().item<double>(), 1.5 * static_cast<double>(added.size(0)) / 4, 1e-12);
    }
}

/// Read from the end, a sequence is what the turned one is from its beginning.
TEST(Lstm, TheWayBackIsTheWayThereOfTheTurnedSequence)
{
    BlockCase made = casesOf("lstm").front();
    made.params["bidirectional"] = true;
    const auto block = build(made);
    {
        const at::NoGradGuard values;
        for (std::size_t i = 0; i < 4; ++i)
            block->weights()[4 + i].tensor.copy_(block->weights()[i].tensor);
    }
    const auto inputs = inputsOf(made, *block, {.steps = 7, .state = false, .mask = false});
    const at::Tensor y = block->forward(inputs, {})[0][0];
    const at::Tensor turned = block->forward({{inputs[0][0].flip(0)}, {}, {}}, {})[0][0];
    const auto sides = y.chunk(2, 2), turnedSides = turned.chunk(2, 2);
    EXPECT_LT(difference(sides[1], turnedSides[0].flip(0)), 1e-14);
    EXPECT_LT(difference(sides[0], turnedSides[1].flip(0)), 1e-14);
}

TEST(Lstm, OnlyTanhIsFused)
{
    BlockCase made = casesOf("lstm").front();
    made.params["activation"] = std::string("relu");
    EXPECT_EQ(made.spec->trainingPath(made.params, {}), "Step by step: PyTorch's fused operation has tanh only.");
}

/// A gate that is clipped is wholly shut at -3 and open at 3.
TEST(Lstm, AnotherGateActivationGoesStepByStep)
{
    BlockCase made = casesOf("lstm").front();
    made.params["gate_activation"] = std::string("hard_sigmoid");
    EXPECT_EQ(made.spec->trainingPath(made.params, {}),
              "Step by step: PyTorch's fused operation has sigmoid gates only.");
    const auto block = build(made);
    const auto inputs = inputsOf(made, *block, {.steps = 4, .mask = false});
    const auto units = std::get<std::int64_t>(made.params["units"]);
    const auto cellWith = [&](double input, double forget) {
        const at::NoGradGuard values;
        for (const Weight& weight : block->weights())
            weight.tensor.zero_();
        block->weights()[2].tensor.narrow(0, 0, units).fill_(input);
        block->weights()[2].tensor.narrow(0, units, units).fill_(forget);
        return block->forward(inputs, {})[1][1].clone();
    };
    EXPECT_EQ(difference(cellWith(0, 3), inputs[1][1]), 0) << "a forget gate wholly open keeps the cell";
    EXPECT_EQ(cellWith(0, -3).abs().max().item<double>(), 0) << "and wholly shut clears it";
}

TEST(Lstm, TellsWhichPathTrainingTakes)
{
    const BlockCase wired = casesOf("lstm").front();
    BlockCase free = wired;
    free.inputs.erase("mask");
    const auto path = [](const BlockCase& made) { return made.spec->trainingPath(made.params, made.inputs); };
    EXPECT_EQ(path(free), "PyTorch's fused operation, all steps at once.");
    EXPECT_EQ(path(wired),
              "PyTorch's fused operation, all steps at once; where a batch has a mask the kernel cell_steps, "
              "on a GPU step by step.");
}

namespace {

const at::Tensor& lstmWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor;
    throw std::runtime_error(name);
}

} // namespace

/// From zeros it is what the same cell without a learned state makes of that one, and what it hands on is less by it.
TEST(Lstm, SequencesBeginFromTheLearnedState)
{
    BlockCase made = casesOf("lstm").front();
    const auto plain = build(made);
    made.params["learned_state"] = true;
    const auto learned = build(made);
    {
        const at::NoGradGuard values;
        for (const Weight& weight : plain->weights())
            lstmWeight(*learned, weight.name).copy_(weight.tensor);
    }
    const auto inputs = inputsOf(made, *learned, {.state = false, .mask = false});
    const std::int64_t sequences = inputs[0][0].size(1);
    const at::Tensor &h = lstmWeight(*learned, "initial_h"), &c = lstmWeight(*learned, "initial_c");
    const auto found = learned->forward(inputs, {});
    const auto wanted = plain->forward(
        {inputs[0], {h.expand({sequences, -1}).contiguous(), c.expand({sequences, -1}).contiguous()}, {}}, {});
    EXPECT_LT(difference(found[0][0], wanted[0][0]), 1e-12);
    EXPECT_LT(difference(found[1][0] + h, wanted[1][0]), 1e-12);
    EXPECT_LT(difference(found[1][1] + c, wanted[1][1]), 1e-12);
}

/// A carried state has started; only the sequence that starts again, with zeros, tells where to begin.
TEST(Lstm, TheLearnedStateIsLearnedFromSequencesThatBegin)
{
    BlockCase made = casesOf("lstm").front();
    made.params["learned_state"] = true;
    const auto block = build(made);
    auto inputs = inputsOf(made, *block, {.mask = false});
    const auto gradientOf = [&] {
        const at::Tensor loss = block->forward(inputs, {})[0][0].sum();
        return torch::autograd::grad({loss}, {lstmWeight(*block, "initial_c")}, {}, {}, false, true)[0];
    };
    EXPECT_EQ(gradientOf().abs().max().item<double>(), 0);
    for (at::Tensor& part : inputs[1])
        part.select(0, 1).zero_();
    EXPECT_GT(gradientOf().abs().max().item<double>(), 0);
}

/// One unit, one step, all sums from the peepholes.
TEST(Lstm, PeepholesReadTheCell)
{
    BlockCase made = casesOf("lstm").front();
    made.params["units"] = std::int64_t{1};
    made.params["peepholes"] = true;
    made.inputs["state"].width = 1;
    const auto block = build(made);
    {
        const at::NoGradGuard values;
        for (const Weight& weight : block->weights())
            weight.tensor.zero_();
        const at::Tensor& peephole = lstmWeight(*block, "peephole_l0");
        for (std::int64_t i = 0; i < 3; ++i)
            peephole[i].fill_(0.5 + static_cast<double>(i));
        lstmWeight(*block, "bias_ih_l0")[2].fill_(0.3); // of g
    }
    const at::Tensor x = at::zeros({1, 1, made.inputs.at("x").width}, at::kDouble);
    const double before = 0.8, share = 1 / (1 + std::exp(-0.5 * before)), kept = 1 / (1 + std::exp(-1.5 * before));
    const double cell = kept * before + share * std::tanh(0.3);
    const double output = std::tanh(cell) / (1 + std::exp(-2.5 * cell));
    const auto found =
        block->forward({{x}, {at::zeros({1, 1}, at::kDouble), at::full({1, 1}, before, at::kDouble)}, {}}, {});
    EXPECT_NEAR(found[1][1].item<double>(), cell, 1e-15);
    EXPECT_NEAR(found[0][0].item<double>(), output, 1e-15);
}

} // namespace unroll::nodes
