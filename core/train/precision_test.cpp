// SPDX-License-Identifier: GPL-3.0-or-later
// Training with matrix products in bfloat16.
#include "core/train/trainer.h"

#include "tests/support/short_runs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace unroll {
namespace {

using testing::BuiltRun;
using testing::losses;
using testing::tinyExperiment;

Experiment inBf16(Experiment experiment)
{
    experiment.training.precision = Precision::Bf16;
    return experiment;
}

class Bf16 : public ::testing::TestWithParam<const char*> {};

TEST_P(Bf16, LearnsWhatFp32Learns)
{
    Experiment experiment = tinyExperiment(GetParam(), 32);
    experiment.training.steps = 60;
    experiment.training.learningRate = 1e-2;
    const BuiltRun exact(experiment), rounded(inBf16(experiment));
    double first = 0, last = 0, farthest = 0;
    for (int step = 0; step < 60; ++step) {
        last = exact.trainer->step().loss.item<double>();
        first = step == 0 ? last : first;
        farthest = std::max(farthest, std::abs(rounded.trainer->step().loss.item<double>() - last));
    }
    EXPECT_LT(last, first - 0.5) << "something was learnt";
    EXPECT_LT(farthest, 0.05);
    EXPECT_GT(farthest, 1e-6) << "something was rounded";
}

TEST_P(Bf16, WeightsStatesAndEvaluationStayInFp32)
{
    const Experiment experiment = tinyExperiment(GetParam(), 32);
    const BuiltRun exact(experiment), rounded(inBf16(experiment));
    EXPECT_EQ(*exact.trainer->evaluate(exact.trainer->portion(Split::Validation, 2))->loss,
              *rounded.trainer->evaluate(rounded.trainer->portion(Split::Validation, 2))->loss);
    EXPECT_EQ(rounded.trainer->step().loss.scalar_type(), at::kFloat);
    for (const Weight& weight : rounded.model->weights()) {
        EXPECT_EQ(weight.tensor.scalar_type(), at::kFloat) << weight.name;
        EXPECT_EQ(weight.tensor.grad().scalar_type(), at::kFloat) << weight.name;
    }
    const TrainerState state = rounded.trainer->state();
    EXPECT_EQ(state.carried.size(), 1u);
    for (const auto& [node, parts] : state.carried)
        for (const at::Tensor& part : parts)
            EXPECT_EQ(part.scalar_type(), at::kFloat) << node;
}

TEST_P(Bf16, StopAndResumeGiveTheSameLossesBitForBit)
{
    TestFolder folder;
    const Experiment experiment = inBf16(tinyExperiment(GetParam()));
    const auto whole = testing::trainAll(experiment);
    std::vector<double> parts;
    {
        const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        ASSERT_TRUE(testing::stepAndWait(*session, 13));
        parts = losses(session->takeMetrics());
    }
    const auto rest = testing::trainAll(experiment, {.runFolder = folder / "run", .resume = true});
    parts.insert(parts.end(), rest.begin(), rest.end());
    EXPECT_EQ(parts, whole);
}

INSTANTIATE_TEST_SUITE_P(Recurrent, Bf16,
                         ::testing::Values("rnn", "lstm", "gru", "sru", "srupp", "grumml", "lrumml", "qrnn", "mingru"),
                         [](const auto& tested) { return std::string(tested.param); });

} // namespace
} // namespace unroll
