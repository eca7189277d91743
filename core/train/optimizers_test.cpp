// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/optimizer.h"
#include "core/train/update_rule.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>
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
