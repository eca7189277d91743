// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/experiment.h"
#include "core/train/optimizer.h"
#include "tests/support/tiny_experiment.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace unroll {
namespace {

TEST(TrainSettings, EverySettingReadsBackWhatWasWritten)
{
    for (const ParamSpec& spec : trainSettingSpecs()) {
        const ParamValue value = trainSetting(TrainSettings{}, spec.name);
        auto same = withTrainSetting(TrainSettings{}, spec.name, value);
        ASSERT_TRUE(same) << spec.name << ": " << same.error().text();
        EXPECT_EQ(*same, TrainSettings{}) << spec.name;
        EXPECT_FALSE(spec.help.empty()) << spec.name;
    }
}

TEST(TrainSettings, AreWellFormedAndSayWithWhichChoicesTheyCount)
{
    EXPECT_EQ(paramsFault(trainSettingSpecs()), "");
    const auto counting = [](const char* optimizer) {
        std::set<std::string> names;
        for (const ParamSpec& spec : trainSettingSpecs())
            if (!spec.when.empty() && spec.when.front().param == "optimizer" &&
                spec.counts({{"optimizer", std::string(optimizer)}}))
                names.insert(spec.name);
        return names;
    };
    const std::set<std::string> adam{"beta1", "beta2", "epsilon"};
    EXPECT_EQ(counting("adamw"), adam);
    EXPECT_EQ(counting("adam"), adam);
    EXPECT_EQ(counting("radam"), adam);
    EXPECT_EQ(counting("sgd"), std::set<std::string>{"momentum"});
}

TEST(TrainSettings, RefusesWithWords)
{
    auto sentence = [](const char* name, ParamValue value) {
        return withTrainSetting({}, name, value).error().message;
    };
    EXPECT_EQ(sentence("batch", std::int64_t{0}), "batch must be at least 1; it is 0");
    EXPECT_EQ(sentence("optimizer", std::string("lion")),
              "optimizer must be one of adamw, adam, radam, sgd; it is \"lion\"");
    EXPECT_EQ(sentence("steps", 1.5), "steps must be a whole number; it is 1.5");
    EXPECT_EQ(sentence("bacth", std::int64_t{1}), "there is no training setting named bacth");
    EXPECT_EQ(sentence("learning_rate", std::numeric_limits<double>::quiet_NaN()).substr(0, 13), "learning_rate");
}

TEST(ExperimentFile, LoadOfSaveIsTheSame)
{
    TestFolder folder;
    Experiment experiment = testing::tinyExperiment("sru");
    experiment.summary = "Two lines\nwith \"quotes\" and ü";
    experiment.training.learningRate = 0.1 + 0.2;
    experiment.training.optimizer = "sgd";
    experiment.watchNode = "sru";
    ASSERT_TRUE(saveExperiment(experiment, folder / "a.unroll"));
    auto loaded = loadExperiment(folder / "a.unroll");
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_EQ(loaded->folder, folder.path());
    loaded->folder.clear();
    EXPECT_EQ(*loaded, experiment);
    EXPECT_EQ(experimentToText(*loaded), experimentToText(experiment));
}

TEST(ExperimentFile, SaysWhatIsWrong)
{
    auto error = [](const char* text) { return experimentFromText(text, "a.unroll").error().text(); };
    EXPECT_NE(error("{}").find("not an Unroll experiment"), std::string::npos);
    EXPECT_NE(error(R"({"unroll": 99})").find("format version 99"), std::string::npos);
    EXPECT_NE(error(R"({"unroll": 1})").find("\"graph\" is missing"), std::string::npos);
    EXPECT_NE(error(R"({"unroll": 1, "training": {"batch": 0}, "graph": {"nodes": [], "wires": []}})")
                  .find("batch must be at least 1"),
              std::string::npos);
    EXPECT_NE(loadExperiment("/nowhere/x.unroll").error().text().find("/nowhere/x.unroll"), std::string::npos);
}

TEST(Schedule, WarmsUpThenFallsByCosine)
{
    TrainSettings settings;
    settings.steps = 110;
    settings.warmup = 10;
    settings.learningRate = 1.0;
    settings.finalLearningRate = 0.1;
    const SchedulePlan plan{0, 110};
    EXPECT_DOUBLE_EQ(scheduledRate(settings, plan, 1.0, 0), 0.1);
    EXPECT_DOUBLE_EQ(scheduledRate(settings, plan, 1.0, 9), 1.0);
    EXPECT_DOUBLE_EQ(scheduledRate(settings, plan, 1.0, 10), 1.0);
    EXPECT_NEAR(scheduledRate(settings, plan, 1.0, 60), 0.55, 1e-12);
    EXPECT_NEAR(scheduledRate(settings, plan, 1.0, 110), 0.1, 1e-12);
    EXPECT_NEAR(scheduledRate(settings, plan, 2.0, 110), 0.2, 1e-12) << "the final rate scales with the peak";
    settings.schedule = ScheduleKind::Constant;
    EXPECT_DOUBLE_EQ(scheduledRate(settings, plan, 1.0, 60), 1.0);
}

/// As mru-lm's train.py has it: start + (peak - start) step / warm-up, then a cosine of its own length.
TEST(Schedule, BeginsAtARateOfItsOwnAndFallsAsLongAsItIsTold)
{
    TrainSettings settings;
    settings.steps = 110;
    settings.warmup = 10;
    settings.learningRate = 1.0;
    settings.startLearningRate = 0.2;
    settings.finalLearningRate = 0.1;
    EXPECT_EQ(planned(settings), (SchedulePlan{0, 110}));
    EXPECT_DOUBLE_EQ(scheduledRate(settings, planned(settings), 1.0, 0), 0.2);
    EXPECT_DOUBLE_EQ(scheduledRate(settings, planned(settings), 1.0, 5), 0.6);
    EXPECT_DOUBLE_EQ(scheduledRate(settings, planned(settings), 1.0, 10), 1.0);
    EXPECT_DOUBLE_EQ(scheduledRate(settings, planned(settings), 2.0, 5), 1.2) << "it scales with the peak";
    settings.decaySteps = 200;
    EXPECT_EQ(planned(settings, 7), (SchedulePlan{7, 217}));
    EXPECT_NEAR(scheduledRate(settings, planned(settings), 1.0, 110), 0.55, 1e-12) << "half of its cosine";
    settings.decaySteps = 50;
    EXPECT_DOUBLE_EQ(scheduledRate(settings, planned(settings), 1.0, 60), 0.1);
    EXPECT_DOUBLE_EQ(scheduledRate(settings, planned(settings), 1.0, 109), 0.1) << "where it stays";
    EXPECT_EQ(continued(settings, planned(settings), 1.0, 110, Continuation::Restart), (SchedulePlan{110, 170}));
}

/// A run of 110 updates that goes on to 310.
TEST(Schedule, GoesOnWithoutAJumpUnlessItBeginsAgain)
{
    TrainSettings settings;
    settings.steps = 310;
    settings.warmup = 10;
    settings.learningRate = 1.0;
    settings.finalLearningRate = 0.1;
    const SchedulePlan planned{0, 110};
    const auto rate = [&](const SchedulePlan& plan, std::int64_t step) {
        return scheduledRate(settings, plan, 1.0, step);
    };
    const auto went = [&](std::int64_t step, Continuation how) { return continued(settings, planned, 1.0, step, how); };
    for (const std::int64_t step : {5, 10, 60, 109, 110, 150}) {
        EXPECT_EQ(went(step, Continuation::Keep), planned);
        EXPECT_DOUBLE_EQ(rate(went(step, Continuation::Stretch), step), rate(planned, step)) << step;
        EXPECT_NEAR(rate(went(step, Continuation::Stretch), 310), 0.1, 1e-12) << step;
        EXPECT_DOUBLE_EQ(rate(went(step, Continuation::Restart), step), 0.1)
            << "the first of ten updates of the warm-up";
        EXPECT_DOUBLE_EQ(rate(went(step, Continuation::Restart), step + 10), 1.0);
    }
    EXPECT_DOUBLE_EQ(rate(planned, 200), 0.1) << "kept, it has ended";
    EXPECT_NEAR(rate(went(60, Continuation::Stretch), 185), (0.55 + 0.1) / 2, 1e-12) << "half a cosine from there";
    EXPECT_DOUBLE_EQ(rate(went(5, Continuation::Stretch), 9), 1.0) << "a warm-up is finished first";
    EXPECT_EQ(scheduleText(settings, planned, 1.0, 110), "the learning rate stays at 0.1");
    EXPECT_EQ(scheduleText(settings, planned, 1.0, 60),
              "the learning rate continues from 0.55 to 0.1 at step 110 and stays there to step 310");
    EXPECT_EQ(scheduleText(settings, went(60, Continuation::Stretch), 1.0, 60),
              "the learning rate continues from 0.55 to 0.1 at the last step, 310");
    EXPECT_EQ(scheduleText(settings, went(110, Continuation::Restart), 1.0, 110),
              "the learning rate rises from 0.1 to 1 at step 120 and is 0.1001 at the last step, 310");
    settings.warmup = 100;
    settings.steps = 40;
    EXPECT_EQ(scheduleText(settings, {0, 20}, 1.0, 20),
              "the learning rate continues from 0.21 to 0.4 at the last step, 40")
        << "the warm-up goes on beyond the planned end";
}

Weight weightOf(const std::string& name, at::Tensor values, WeightRule rule = {})
{
    return {name, values.set_requires_grad(true), rule, true};
}

void setGradient(const Weight& weight, const at::Tensor& gradient)
{
    at::Tensor(weight.tensor).mutable_grad() = gradient;
}

TEST(Optimizer, AdamWFollowsItsDefinition)
{
    TrainSettings s;
    s.optimizerSettings["weight_decay"] = 0.1;
    const at::Tensor start = at::randn({3, 5}, at::kDouble), bias = at::randn({5}, at::kDouble);
    std::vector<Weight> weights{weightOf("w", start.clone()), weightOf("b", bias.clone())};
    Optimizer optimizer(s, weights);
    at::Tensor w = start.clone(), b = bias.clone();
    at::Tensor m = at::zeros({3, 5}, at::kDouble), v = m.clone(), mb = at::zeros({5}, at::kDouble), vb = mb.clone();
    for (int t = 1; t <= 4; ++t) {
        const at::Tensor g = at::randn({3, 5}, at::kDouble), gb = at::randn({5}, at::kDouble);
        setGradient(weights[0], g.clone());
        setGradient(weights[1], gb.clone());
        optimizer.update(0.01, at::zeros({1}));
        auto plain = [&](at::Tensor& x, at::Tensor& mean, at::Tensor& square, const at::Tensor& grad, double decay) {
            x = x * (1 - 0.01 * decay);
            mean = 0.9 * mean + 0.1 * grad;
            square = 0.999 * square + 0.001 * grad * grad;
            x = x - 0.01 * (mean / (1 - std::pow(0.9, t))) / ((square / (1 - std::pow(0.999, t))).sqrt() + 1e-8);
        };
        plain(w, m, v, g, 0.1);
        plain(b, mb, vb, gb, 0.0); // one dimension: no weight decay
    }
    EXPECT_LT((w - weights[0].tensor).abs().max().item<double>(), 1e-12);
    EXPECT_LT((b - weights[1].tensor).abs().max().item<double>(), 1e-12);
}

TEST(Optimizer, ABadGradientLeavesWeightsMomentsAndCountsAlone)
{
    for (const OptimizerSpec& spec : optimizerSpecs()) {
        TrainSettings s;
        s.optimizer = spec.id;
        s.optimizerSettings["momentum"] = 0.9;
        std::vector<Weight> weights{weightOf("w", at::randn({4, 4}))};
        Optimizer optimizer(s, weights);
        setGradient(weights[0], at::randn({4, 4}));
        optimizer.update(0.1, at::zeros({1}));
        std::vector<at::Tensor> before{weights[0].tensor.detach().clone()};
        for (const auto& [name, tensor] : optimizer.state())
            before.push_back(tensor.clone());
        setGradient(weights[0], at::full({4, 4}, std::nan("")));
        optimizer.update(0.1, at::full({1}, 1.0f));
        EXPECT_TRUE(weights[0].tensor.equal(before[0]));
        std::size_t i = 1;
        for (const auto& [name, tensor] : optimizer.state())
            EXPECT_TRUE(tensor.equal(before[i++])) << name;
    }
}

TEST(Optimizer, UpdatesOfAWeightAreCountedWhereItHasAGradient)
{
    std::vector<Weight> weights{weightOf("a", at::zeros({2})), weightOf("b", at::zeros({2}))};
    Optimizer optimizer({}, weights);
    const auto counts = [&] {
        std::vector<double> found;
        for (const auto& [name, tensor] : optimizer.state())
            if (name.starts_with("count."))
                found.push_back(tensor.item<double>());
        return found;
    };
    setGradient(weights[0], at::full({2}, 1.0f));
    optimizer.update(0.1, at::zeros({1}));
    setGradient(weights[1], at::full({2}, 1.0f));
    optimizer.update(0.1, at::zeros({1}));
    EXPECT_EQ(counts(), (std::vector<double>{2, 1}));
    optimizer.clearGradients();
    setGradient(weights[1], at::full({2}, 1.0f));
    optimizer.update(0.1, at::zeros({1}));
    EXPECT_EQ(counts(), (std::vector<double>{2, 2}));
    EXPECT_NE(weights[1].tensor[0].item<double>(), 0);
}

/// Torch's fused updates alone do not, and a block that keeps what it made of a weight would go on with the old one.
TEST(Optimizer, AnUpdateCountsTheVersionsOn)
{
    for (const OptimizerSpec& spec : optimizerSpecs()) {
        TrainSettings s;
        s.optimizer = spec.id;
        std::vector<Weight> weights{weightOf("w", at::randn({4, 4}))};
        Optimizer optimizer(s, weights);
        setGradient(weights[0], at::randn({4, 4}));
        const auto before = weights[0].tensor._version();
        optimizer.update(0.1, at::zeros({1}));
        EXPECT_GT(weights[0].tensor._version(), before);
    }
}

TEST(Optimizer, ClipGroupsAreClippedApart)
{
    TrainSettings s;
    std::vector<Weight> weights{weightOf("a", at::zeros({2})), weightOf("b", at::zeros({2}), {.clipGroup = "own"})};
    Optimizer optimizer(s, weights);
    setGradient(weights[0], at::full({2}, 30.0f));
    setGradient(weights[1], at::full({2}, 0.1f));
    const double norm = optimizer.clipGradients(1.0).item<double>();
    EXPECT_NEAR(norm, std::sqrt(2 * 900 + 2 * 0.01), 1e-3);
    EXPECT_NEAR(weights[0].tensor.grad().norm().item<double>(), 1.0, 1e-5);
    EXPECT_NEAR(weights[1].tensor.grad()[0].item<double>(), 0.1, 1e-7) << "its own group is small enough";
}

TEST(Optimizer, AGroupIsClippedToANormOfItsOwn)
{
    const WeightRule rule = WeightRule{.clipGroup = "own", .byLength = true}.atLength(64);
    EXPECT_NEAR(rule.learningRateScale, std::sqrt(2.0 / 64), 1e-12);
    EXPECT_NEAR(rule.clipScale, std::sqrt(64 / 2.0), 1e-12);
    EXPECT_EQ(rule.atLength(64), rule) << "once";
    EXPECT_EQ((WeightRule{.byLength = true}).atLength(0).learningRateScale, 1) << "T is not known";
    std::vector<Weight> weights{weightOf("a", at::zeros({2})), weightOf("b", at::zeros({2}), rule)};
    Optimizer optimizer(TrainSettings{}, weights);
    setGradient(weights[0], at::full({2}, 30.0f));
    setGradient(weights[1], at::full({2}, 30.0f));
    optimizer.clipGradients(0.5);
    EXPECT_NEAR(weights[0].tensor.grad().norm().item<double>(), 0.5, 1e-5);
    EXPECT_NEAR(weights[1].tensor.grad().norm().item<double>(), 0.5 * std::sqrt(32.0), 1e-4);
}

TEST(Optimizer, RulesSetDecayAndRate)
{
    TrainSettings s;
    s.optimizer = "sgd";
    s.optimizerSettings["weight_decay"] = 0.5;
    std::vector<Weight> weights{weightOf("plain", at::full({1, 1}, 1.0f)),
                                weightOf("spared", at::full({1, 1}, 1.0f), {.decay = false}),
                                weightOf("slow", at::full({1, 1}, 1.0f), {.decay = false, .learningRateScale = 0.1})};
    Optimizer optimizer(s, weights);
    for (Weight& weight : weights)
        setGradient(weight, at::full({1, 1}, 1.0f));
    optimizer.update(0.1, at::zeros({1}));
    EXPECT_NEAR(weights[0].tensor.item<double>(), 1 - 0.1 * 1.5, 1e-6);
    EXPECT_NEAR(weights[1].tensor.item<double>(), 1 - 0.1, 1e-6);
    EXPECT_NEAR(weights[2].tensor.item<double>(), 1 - 0.01, 1e-6);
}

} // namespace
} // namespace unroll
