// SPDX-License-Identifier: GPL-3.0-or-later
// Every block inside a whole model: the loss falls on a toy task. Recurrent blocks must tell the token of the step
// before, others the token of the step itself; what does not go by steps, the one token of the whole sequence.
#include "core/model/model.h"
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace unroll::contract {

namespace {

class Learning : public ::testing::TestWithParam<std::string> {};
class LearningMasked : public Learning {};
class LearningRounded : public Learning {};

constexpr std::int64_t kSteps = 8, kSequences = 16, kSymbols = 5;

struct Task {
    bool earlier; ///< the token of the step before is asked for
    bool numbers; ///< the number of the step itself, 0 or 1, is asked for, and no token
    bool masked;  ///< a step in five is none: nothing is asked there, and the step before is the last real one
    bool whole;   ///< all steps of a sequence are one token
};

/// The token at the last real step before each; -100 where there is none.
at::Tensor tokensBefore(const at::Tensor& tokens, const at::Tensor& mask)
{
    at::Tensor before = at::full_like(tokens, -100), last = at::full({kSequences}, -100, at::kLong);
    for (std::int64_t t = 0; t < kSteps; ++t) {
        before[t] = last;
        last = at::where(mask[t], tokens[t], last);
    }
    return before;
}

ModelInput draw(at::Generator& random, Task task)
{
    if (task.numbers) {
        const at::Tensor numbers = at::randint(0, 2, {kSteps, kSequences, 1}, random, at::kFloat);
        return {.tokens = {}, .targets = numbers, .mask = {}, .features = numbers};
    }
    const at::Tensor drawn = at::randint(0, kSymbols, {task.whole ? 1 : kSteps, kSequences}, random, at::kLong);
    const at::Tensor tokens = drawn.expand({kSteps, kSequences}).contiguous();
    const at::Tensor mask = task.masked ? at::rand({kSteps, kSequences}, random, at::kFloat).lt(0.8)
                                        : at::full_like(tokens, true, at::kBool);
    const at::Tensor targets = task.earlier ? tokensBefore(tokens, mask) : tokens;
    return {tokens, targets.masked_fill(mask.logical_not(), -100), task.masked ? mask : at::Tensor()};
}

/// Adam (Kingma, Ba 2015) with the blocks' own factors of the rate, the least that trains anything.
class Adam {
public:
    explicit Adam(const std::vector<Weight>& weights) : m_weights(weights)
    {
        for (const Weight& weight : weights) {
            m_first.push_back(at::zeros_like(weight.tensor));
            m_second.push_back(at::zeros_like(weight.tensor));
        }
    }

    void step(double rate)
    {
        const at::NoGradGuard noGradient;
        ++m_count;
        const double scale = rate * std::sqrt(1 - std::pow(0.999, m_count)) / (1 - std::pow(0.9, m_count));
        for (std::size_t i = 0; i < m_weights.size(); ++i) {
            at::Tensor weight = m_weights[i].tensor;
            if (!weight.grad().defined())
                continue;
            m_first[i].mul_(0.9).add_(weight.grad(), 0.1);
            m_second[i].mul_(0.999).addcmul_(weight.grad(), weight.grad(), 0.001);
            weight.sub_(m_first[i].div(m_second[i].sqrt().add_(1e-8)), scale * m_weights[i].rule.learningRateScale);
            weight.mutable_grad().zero_();
        }
    }

private:
    const std::vector<Weight>& m_weights;
    std::vector<at::Tensor> m_first, m_second;
    double m_count = 0;
};

/// The middle one of the last sixty losses: at a rate that never falls some batches stand out (of MRU with LDU by a nat
/// and more), and which ones is a matter of rounding.
double train(Model& model, Task task, int steps)
{
    constexpr std::size_t kLast = 60;
    at::Generator data = generatorOf(21), dropout = generatorOf(22);
    Adam adam(model.weights());
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
        const auto output = model.forward(draw(data, task), {}, {.training = true, .dropout = &dropout});
        output.loss.backward();
        adam.step(1e-2);
        losses.push_back(output.loss.item<double>());
    }
    const auto last = losses.end() - static_cast<std::ptrdiff_t>(std::min(kLast, losses.size())),
               middle = last + (losses.end() - last) / 2;
    std::nth_element(last, middle, losses.end());
    return *middle;
}

/// The loss after 200 steps is far below guessing.
void expectToLearn(const std::string& block, Params params, bool masked)
{
    const BlockSpec& spec = *registry().find(block);
    params.insert(spec.forShortSequences.begin(), spec.forShortSequences.end()); // the task has eight steps
    const Graph graph = graphAround(block, params, masked);
    const auto checked = checkAround(graph);
    ASSERT_TRUE(checked.runnable());
    auto model = Model::build(graph, checked, registry(), builders(), 1);
    ASSERT_TRUE(model);
    const Shape& data = checked.nodes.at(checked.source).outputs.at("targets");
    const bool numbers = data.type == PortType::TargetValues;
    const double guessing = numbers ? 0.25 : std::log(double{kSymbols});
    EXPECT_LT(train(**model, {spec.recurrent, numbers, masked, !spec.isCausal(spec.withDefaults(params))}, 200),
              0.3 * guessing);
}

} // namespace

TEST_P(Learning, TheLossFalls)
{
    expectToLearn(GetParam(), {}, false);
}

TEST_P(LearningMasked, TheLossFallsAcrossMaskedSteps)
{
    expectToLearn(GetParam(), {}, true);
}

/// Where the forward pass rounds, what is rounded is an option.
TEST_P(LearningRounded, TheLossFallsHoweverItIsRounded)
{
    const BlockSpec& spec = *registry().find(GetParam());
    for (const ParamSpec& param : spec.params)
        if (const auto* flag = std::get_if<bool>(&param.defaultValue)) {
            SCOPED_TRACE(param.name);
            expectToLearn(GetParam(), {{param.name, !*flag}}, false);
        }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Learning, ::testing::ValuesIn(computingBlocks()), blockName);
INSTANTIATE_TEST_SUITE_P(Blocks, LearningMasked, ::testing::ValuesIn(recurrentBlocks()), blockName);
INSTANTIATE_TEST_SUITE_P(Blocks, LearningRounded, ::testing::ValuesIn(roundingBlocks()), blockName);

} // namespace unroll::contract
