// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients in double against central differences: every floating input, every weight, the initial state; a gradient
// arrives at every output, the last state included. Blocks that round are left to their reference.py.
#include "tests/contract/block_case.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <cstdlib>
#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

constexpr double kStep = 1e-6;

class Gradients : public ::testing::TestWithParam<std::string> {};
class SmoothGradients : public Gradients {};

/// A block with inputs, and one number made of everything it gives.
class Probe {
public:
    Probe(const BlockCase& blockCase, bool mask, bool training)
        : m_block(build(blockCase)),
          m_inputs(inputsOf(blockCase, *m_block, {.steps = 4, .sequences = 2, .mask = mask})),
          m_training(training)
    {
        for (at::Tensor& input : readFloats(*blockCase.spec, m_inputs))
            m_leaves.emplace_back("an input", input.set_requires_grad(true));
        for (const Weight& weight : m_block->weights())
            if (weight.trained)
                m_leaves.emplace_back(weight.name, weight.tensor);
        at::Generator random = generatorOf(99);
        for (const at::Tensor& output : floats(run()))
            m_directions.push_back(at::randn(output.sizes(), random, at::kDouble));
    }

    at::Tensor score()
    {
        const auto outputs = floats(run());
        at::Tensor total = outputs[0].mul(m_directions[0]).sum();
        for (std::size_t i = 1; i < outputs.size(); ++i)
            total = total.add(outputs[i].mul(m_directions[i]).sum());
        return total;
    }

    std::vector<std::pair<std::string, at::Tensor>>& leaves() { return m_leaves; }

private:
    // Dropout draws the same masks every time.
    std::vector<Value> run()
    {
        at::Generator dropout = generatorOf(5);
        return m_block->forward(m_inputs, {.training = m_training, .dropout = &dropout});
    }

    std::unique_ptr<Block> m_block;
    std::vector<Value> m_inputs;
    std::vector<at::Tensor> m_directions;
    std::vector<std::pair<std::string, at::Tensor>> m_leaves;
    bool m_training;
};

/// Of the score, where the leaf moves along a direction of length 1.
double slope(Probe& probe, at::Tensor& leaf, const at::Tensor& direction)
{
    const at::NoGradGuard noGradient;
    const at::Tensor before = leaf.clone();
    leaf.add_(direction, kStep);
    const double above = probe.score().item<double>();
    leaf.copy_(before).sub_(direction, kStep);
    const double below = probe.score().item<double>();
    leaf.copy_(before);
    return (above - below) / (2 * kStep);
}

/// All elements at once in a random mixture, then so many alone, spread over the leaf; every one with
/// UNROLL_TEST_ALL=1.
std::vector<std::pair<std::string, at::Tensor>> directionsIn(const at::Tensor& leaf)
{
    const bool all = std::getenv("UNROLL_TEST_ALL") != nullptr;
    const std::int64_t alone = all ? leaf.numel() : std::min<std::int64_t>(leaf.numel(), 12);
    at::Tensor mixture = at::randn(leaf.sizes(), generatorOf(7), at::kDouble);
    std::vector<std::pair<std::string, at::Tensor>> found{{"all elements", mixture.div_(mixture.norm())}};
    for (std::int64_t i = 0; i < alone; ++i) {
        const std::int64_t element = i * leaf.numel() / alone;
        at::Tensor one = at::zeros_like(leaf, at::MemoryFormat::Contiguous);
        one.data_ptr<double>()[element] = 1;
        found.emplace_back("element " + std::to_string(element), one);
    }
    return found;
}

/// Relative to the tensor's largest gradient: a single element may be tiny.
void expectSlopes(Probe& probe)
{
    probe.score().backward();
    for (auto& [name, leaf] : probe.leaves()) {
        ASSERT_TRUE(leaf.grad().defined()) << name;
        const at::Tensor gradient = leaf.grad();
        const double scale = std::max(1.0, gradient.abs().max().item<double>());
        for (const auto& [words, direction] : directionsIn(leaf.detach()))
            ASSERT_NEAR(gradient.mul(direction).sum().item<double>(), slope(probe, leaf, direction), 2e-7 * scale)
                << name << " " << words;
    }
}

} // namespace

TEST_P(SmoothGradients, AreTheSlopes)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        Probe plain(blockCase, false, false);
        expectSlopes(plain);
        Probe masked(blockCase, true, true);
        expectSlopes(masked);
    }
}

namespace {

/// exp(x) of a large x is infinite, as it must be.
bool isExponential(const BlockCase& blockCase)
{
    return std::any_of(blockCase.params.begin(), blockCase.params.end(),
                       [](const auto& param) { return param.second == ParamValue(std::string("exponential")); });
}

} // namespace

TEST_P(Gradients, AreFiniteForRowsOfZerosAndLargeInputs)
{
    for (const BlockCase& blockCase : casesOf(GetParam()))
        for (double scale : {0.0, isExponential(blockCase) ? 10.0 : 1e4}) {
            SCOPED_TRACE(blockCase.text());
            const auto block = buildUnshaken(blockCase, 1, at::kFloat);
            auto inputs = inputsOf(blockCase, *block, {.dtype = at::kFloat});
            std::vector<at::Tensor> leaves;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                if (blockCase.spec->inputs[i].onlyCounted)
                    continue;
                const bool state = blockCase.spec->inputs[i].type == PortType::State; // of steps that were: not large
                for (at::Tensor& input : floats({inputs[i]}))
                    leaves.push_back(input.mul_(state ? std::min(scale, 1.0) : scale).set_requires_grad(true));
            }
            at::Tensor total;
            for (const at::Tensor& output : floats(block->forward(inputs, {})))
                total = total.defined() ? total.add(output.sum()) : output.sum();
            total.backward();
            EXPECT_TRUE(total.isfinite().item<bool>());
            for (const Weight& weight : block->weights())
                if (weight.trained)
                    leaves.push_back(weight.tensor);
            for (const at::Tensor& leaf : leaves)
                EXPECT_TRUE(leaf.grad().isfinite().all().item<bool>());
        }
}

namespace {

struct All : Observer {
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string&, const at::Tensor&) override {}
};

/// Gradients of everything when one arrives at the outputs `from` .. `from + count - 1` alone.
std::vector<at::Tensor> gradientsFrom(const BlockCase& blockCase, at::ScalarType dtype, bool watched, std::size_t from,
                                      std::size_t count)
{
    const auto block = build(blockCase, 1, dtype);
    auto inputs = inputsOf(blockCase, *block, {.mask = false, .dtype = dtype});
    std::vector<at::Tensor> leaves = readFloats(*blockCase.spec, inputs);
    for (at::Tensor& leaf : leaves)
        leaf.set_requires_grad(true);
    for (const Weight& weight : block->weights())
        if (weight.trained)
            leaves.push_back(weight.tensor);
    All all;
    const auto outputs = floats(block->forward(inputs, {.observer = watched ? &all : nullptr}));
    at::Tensor total = outputs.at(from).square().sum();
    for (std::size_t i = from + 1; i < std::min(outputs.size(), from + count); ++i)
        total = total.add(outputs[i].square().sum());
    total.backward();
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& leaf : leaves)
        gradients.push_back(leaf.grad().defined() ? leaf.grad() : at::zeros_like(leaf));
    return gradients;
}

std::size_t floatOutputs(const BlockCase& blockCase)
{
    const auto block = build(blockCase);
    return floats(block->forward(inputsOf(blockCase, *block), {})).size();
}

void expectSameWhenWatched(const BlockCase& blockCase, at::ScalarType dtype, std::size_t from, std::size_t count)
{
    const auto alone = gradientsFrom(blockCase, dtype, false, from, count);
    const auto watched = gradientsFrom(blockCase, dtype, true, from, count);
    for (std::size_t i = 0; i < alone.size(); ++i)
        EXPECT_LT(difference(watched[i], alone[i]), dtype == at::kDouble ? 1e-12 : 1e-5) << "leaf " << i;
}

} // namespace

// A block that takes another path when it is watched must give the same gradients on both, from each output alone too:
// fused operations treat a missing gradient in their own way.
TEST_P(Gradients, AreTheSameWhenWatched)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const std::size_t outputs = floatOutputs(blockCase);
        for (at::ScalarType dtype : {at::kDouble, at::kFloat}) {
            expectSameWhenWatched(blockCase, dtype, 0, outputs);
            for (std::size_t from = 0; from < outputs; ++from)
                expectSameWhenWatched(blockCase, dtype, from, 1);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Gradients, ::testing::ValuesIn(learningBlocks()), blockName);
INSTANTIATE_TEST_SUITE_P(Blocks, SmoothGradients, ::testing::ValuesIn(smoothBlocks()), blockName);

} // namespace unroll::contract
