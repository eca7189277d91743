// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/optimizer.h"
#include "core/train/update_rule.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace unroll {
namespace {

class Optimizers : public ::testing::TestWithParam<const OptimizerSpec*> {};

TEST_P(Optimizers, IsFullyDescribed)
{
    const OptimizerSpec& spec = *GetParam();
    EXPECT_EQ(findOptimizer(spec.id), &spec);
    EXPECT_FALSE(spec.summary.empty());
    EXPECT_EQ(paramsFault(spec.settings), "");
    EXPECT_EQ(std::set<std::string>(spec.slots.begin(), spec.slots.end()).size(), spec.slots.size());
    EXPECT_NE(spec.python.find("def update_rule(groups):"), std::string::npos);
    EXPECT_NE(updateRule(spec.id), nullptr);
    for (const ParamSpec& setting : spec.settings)
        EXPECT_EQ(setting.type, unroll::ParamType::Real) << setting.name;
}

TEST_P(Optimizers, KeepsWhatItsSpecSaysFromZerosOn)
{
    const OptimizerSpec& spec = *GetParam();
    TrainSettings settings;
    settings.optimizer = spec.id;
    std::vector<Weight> weights(1);
    weights[0].name = "w";
    weights[0].tensor = at::full({2, 3}, 1.0);
    std::set<std::string> kept, wanted;
    for (const std::string& slot : spec.slots)
        wanted.insert(slot + ".w");
    if (spec.counts)
        wanted.insert("count.w");
    for (const auto& [name, tensor] : Optimizer(settings, weights).state()) {
        kept.insert(name);
        EXPECT_EQ(tensor.abs().sum().item<double>(), 0) << name;
        EXPECT_EQ(tensor.sizes().vec(),
                  name == "count.w" ? std::vector<std::int64_t>() : weights[0].tensor.sizes().vec());
    }
    EXPECT_EQ(kept, wanted);
}

TEST_P(Optimizers, GoesDownASlope)
{
    TrainSettings settings;
    settings.optimizer = GetParam()->id;
    std::vector<Weight> weights(1);
    weights[0].name = "w";
    weights[0].tensor = at::full({2, 3}, 1.0f);
    Optimizer optimizer(settings, weights);
    for (int step = 0; step < 20; ++step) {
        weights[0].tensor.mutable_grad() = weights[0].tensor * 2;
        optimizer.update(0.02, at::zeros({1}));
    }
    EXPECT_LT(weights[0].tensor.abs().max().item<double>(), 0.8);
}

std::vector<const OptimizerSpec*> every()
{
    std::vector<const OptimizerSpec*> all;
    for (const OptimizerSpec& spec : optimizerSpecs())
        all.push_back(&spec);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Every, Optimizers, ::testing::ValuesIn(every()),
                         [](const auto& tested) { return tested.param->id; });

/// Algorithm 2 of Liu et al. 2019 in plain loops, over the first steps (by the mean alone) and those behind them.
TEST(RAdam, IsItsAlgorithm)
{
    constexpr double kBeta1 = 0.8, kBeta2 = 0.9, kEpsilon = 1e-6, kDecay = 0.1, kRate = 0.05;
    TrainSettings settings;
    settings.optimizer = "radam";
    for (const auto& [name, value] : std::map<std::string, double>{
             {"beta1", kBeta1}, {"beta2", kBeta2}, {"epsilon", kEpsilon}, {"weight_decay", kDecay}})
        settings = *withTrainSetting(settings, name, value);
    std::vector<Weight> weights(1);
    weights[0].name = "w";
    weights[0].tensor = at::full({1, 1}, 0.7, at::kDouble);
    Optimizer optimizer(settings, weights);
    double w = 0.7, m = 0, v = 0;
    int rectified = 0;
    for (int t = 1; t <= 12; ++t) {
        const double g = std::sin(3.0 * t) + w;
        weights[0].tensor.mutable_grad() = at::full({1, 1}, g, at::kDouble);
        optimizer.update(kRate, at::zeros({1}));
        m = kBeta1 * m + (1 - kBeta1) * g;
        v = kBeta2 * v + (1 - kBeta2) * g * g;
        const double most = 2 / (1 - kBeta2) - 1, left = 1 - std::pow(kBeta2, t);
        const double length = most - 2 * t * (1 - left) / left;
        double step = m / (1 - std::pow(kBeta1, t));
        if (length > 5) {
            ++rectified;
            step *= std::sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)) *
                    std::sqrt(left) / (std::sqrt(v) + kEpsilon);
        }
        w -= kRate * (kDecay * w + step);
        EXPECT_NEAR(weights[0].tensor.item<double>(), w, 1e-12) << t;
    }
    EXPECT_GT(rectified, 0);
    EXPECT_LT(rectified, 12);
}

/// Whatever it is, an update that is skipped changes not a bit: not even where the gradient is NaN.
TEST_P(Optimizers, ASkippedUpdateChangesNothing)
{
    TrainSettings settings;
    settings.optimizer = GetParam()->id;
    std::vector<Weight> weights(1);
    weights[0].name = "w";
    weights[0].tensor = at::full({2, 3}, 1.0f);
    Optimizer optimizer(settings, weights);
    weights[0].tensor.mutable_grad() = at::full({2, 3}, 0.5f);
    optimizer.update(0.02, at::zeros({1}));
    std::vector<at::Tensor> before{weights[0].tensor.clone()};
    for (const auto& [name, tensor] : optimizer.state())
        before.push_back(tensor.clone());
    weights[0].tensor.mutable_grad() = at::full({2, 3}, std::numeric_limits<float>::quiet_NaN());
    optimizer.update(0.02, at::ones({1}));
    EXPECT_TRUE(weights[0].tensor.equal(before[0]));
    std::size_t i = 1;
    for (const auto& [name, tensor] : optimizer.state())
        EXPECT_TRUE(tensor.equal(before[i++])) << name;
}

TEST(OptimizerSettings, OfOneNameAreOne)
{
    std::map<std::string, const ParamSpec*> known;
    for (const OptimizerSpec& spec : optimizerSpecs())
        for (const ParamSpec& setting : spec.settings) {
            const ParamSpec& first = *known.emplace(setting.name, &setting).first->second;
            EXPECT_EQ(setting.defaultValue, first.defaultValue) << spec.id << " " << setting.name;
            EXPECT_EQ(setting.minimum, first.minimum) << spec.id << " " << setting.name;
            EXPECT_EQ(setting.maximum, first.maximum) << spec.id << " " << setting.name;
            EXPECT_EQ(setting.help, first.help) << spec.id << " " << setting.name;
        }
    EXPECT_EQ(optimizerSpecs().front().id, kDefaultOptimizer);
    EXPECT_EQ(findOptimizer("magic"), nullptr);
}

TEST(OptimizerSettings, OfAnOptimiserThatIsNotChosenAreKept)
{
    const auto changed = withTrainSetting(TrainSettings{}, "momentum", 0.5);
    ASSERT_TRUE(changed);
    EXPECT_EQ(trainSetting(*changed, "momentum"), ParamValue(0.5));
    EXPECT_EQ(optimizerSetting(*changed, "momentum"), 0) << "AdamW has none";
    EXPECT_EQ(optimizerSetting(*changed, "beta1"), 0.9);
    EXPECT_EQ(*withTrainSetting(*changed, "momentum", 0.0), TrainSettings{});
}

} // namespace
} // namespace unroll
