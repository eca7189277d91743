// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/trainer.h"

#include "core/train/sampler.h"
#include "tests/support/dataset_over.h"
#include "tests/support/short_runs.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {
namespace {

using testing::BuiltRun;
using testing::makeNode;
using testing::tinyExperiment;

at::Tensor tensorOf(const Batch& batch, const std::vector<std::int32_t>& values)
{
    at::Tensor tensor = at::empty({batch.steps, batch.sequences}, at::kLong);
    std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<std::int64_t>());
    return tensor;
}

ModelOutput forward(const BuiltRun& run, const Batch& batch, const States& states)
{
    const at::NoGradGuard guard;
    return run.model->forward({tensorOf(batch, batch.tokens), tensorOf(batch, batch.targets), {}}, states, {});
}

/// Every batch of another dataset in two halves, one after the other.
class InHalves : public testing::DatasetOver {
public:
    using DatasetOver::DatasetOver;

    Batch trainingBatch(std::int64_t step, std::int64_t size, std::uint64_t seed) const override
    {
        const Batch whole = m_whole->trainingBatch(step / 2, size * 2, seed);
        Batch half{whole.steps, size, {}, {}, {}, {}, {}};
        for (std::int64_t i = 0; i < whole.steps * size; ++i) {
            const auto at = static_cast<std::size_t>(i / size * size * 2 + i % size + step % 2 * size);
            half.tokens.push_back(whole.tokens[at]);
            half.targets.push_back(whole.targets[at]);
        }
        return half;
    }
    bool carriesState() const override { return false; }
};

Experiment frozen(const std::string& order = "streams")
{
    Experiment experiment = tinyExperiment("lstm", 24, order);
    experiment.training.learningRate = 0;
    return experiment;
}

TEST(Trainer, TwoBatchesAnUpdateAreOneOfTwiceTheSize)
{
    Experiment whole = tinyExperiment("lstm", 24, "windows");
    whole.training.batch = 8;
    Experiment halves = whole;
    halves.training.batch = 4;
    halves.training.accumulation = 2;
    const BuiltRun once(whole);
    const BuiltRun twice(halves, std::make_shared<InHalves>(once.data));
    double first = 0, last = 0;
    for (int step = 0; step < 20; ++step) {
        const StepReport one = once.trainer->step(), two = twice.trainer->step();
        last = one.loss.item<double>();
        first = step == 0 ? last : first;
        EXPECT_NEAR(two.loss.item<double>(), last, 1e-5) << "step " << step;
        EXPECT_NEAR(two.gradientNorm.item<double>(), one.gradientNorm.item<double>(), 1e-4) << "step " << step;
        EXPECT_EQ(two.tokens, one.tokens);
    }
    EXPECT_LT(last, first - 0.1) << "something was learnt, so the updates are compared too";
}

TEST(Trainer, StatesGoOnFromBatchToBatchOfAStream)
{
    const Experiment experiment = frozen();
    const BuiltRun run(experiment);
    States carried;
    for (std::int64_t step = 0; step < 3; ++step) {
        const Batch batch = run.data->batch(Split::Train, step, experiment.training.batch, experiment.seed);
        const double alone = forward(run, batch, {}).loss.item<double>();
        ModelOutput expected = forward(run, batch, carried);
        carried = detach(expected.states);
        const double loss = run.trainer->step().loss.item<double>();
        EXPECT_NEAR(loss, expected.loss.item<double>(), 1e-6) << "step " << step;
        if (step > 0) {
            EXPECT_GT(std::abs(loss - alone), 1e-5) << "step " << step;
        }
    }
}

TEST(Trainer, StatesOfWindowsStartFromZero)
{
    const Experiment experiment = frozen("windows");
    const BuiltRun run(experiment);
    for (std::int64_t step = 0; step < 3; ++step) {
        const Batch batch = run.data->batch(Split::Train, step, experiment.training.batch, experiment.seed);
        EXPECT_NEAR(run.trainer->step().loss.item<double>(), forward(run, batch, {}).loss.item<double>(), 1e-6);
    }
}

TEST(Trainer, EvaluationCarriesStatesAndCountsByHand)
{
    const Experiment experiment = frozen();
    const BuiltRun run(experiment);
    double carriedLoss = 0, aloneLoss = 0, right = 0, targets = 0;
    States carried;
    for (std::int64_t i = 0; i < run.data->warmUp(Split::Validation) + 3; ++i) {
        const Batch batch = run.data->evaluationBatch(Split::Validation, i, experiment.training.batch);
        const auto count = static_cast<double>(batch.scoredTargets()); // 0 while it is warmed up
        ModelOutput output = forward(run, batch, carried);
        carried = detach(output.states);
        carriedLoss += count * output.loss.item<double>();
        aloneLoss += count * forward(run, batch, {}).loss.item<double>();
        right += (output.prediction.argmax(-1) == tensorOf(batch, batch.targets)).sum().item<double>();
        targets += count;
    }
    const auto evaluation = run.trainer->evaluate(run.trainer->portion(Split::Validation, 3));
    ASSERT_TRUE(evaluation);
    EXPECT_EQ(static_cast<double>(evaluation->targets), targets);
    EXPECT_NEAR(evaluation->loss.value(), carriedLoss / targets, 1e-6);
    EXPECT_GT(std::abs(carriedLoss - aloneLoss) / targets, 1e-5);
    EXPECT_DOUBLE_EQ(evaluation->accuracy.value(), right / targets);
}

TEST(Trainer, AskedToStopItEvaluatesAndSamplesNoFurther)
{
    const BuiltRun run(frozen());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(run.trainer->evaluate(run.trainer->portion(Split::Validation, 3), stop.get_token()));
    EXPECT_FALSE(sampleText(*run.model, *run.data, {.tokens = 3}, stop.get_token()));
}

TEST(Trainer, FromABadNumberOnNothingReachesTheWeights)
{
    const BuiltRun run(tinyExperiment());
    run.trainer->step();
    const at::Tensor bias = run.weight("head.bias"), other = run.weight("lstm.weight_hh_l0");
    const at::Tensor healthy = bias.detach().clone(), before = other.detach().clone();
    bias.detach().fill_(std::nan(""));
    EXPECT_FALSE(std::isfinite(run.trainer->step().loss.item<double>()));
    bias.detach().copy_(healthy);
    EXPECT_TRUE(std::isfinite(run.trainer->step().loss.item<double>()));
    EXPECT_TRUE(other.equal(before)) << "later updates wait too: their reports may not have been read yet";
    EXPECT_TRUE(bias.equal(healthy));
}

TEST(Trainer, ALossThatIsNotFiniteHoldsTheWeights)
{
    // Some classes are given no chance at all: where they are asked for the loss is infinite, and every gradient is
    // finite.
    const BuiltRun run(tinyExperiment());
    const at::Tensor bias = run.weight("head.bias");
    const at::Tensor before = run.weight("embedding.weight").detach().clone();
    bias.detach().narrow(0, 0, bias.size(0) / 2).fill_(-std::numeric_limits<float>::infinity());
    const StepReport report = run.trainer->step();
    EXPECT_TRUE(std::isinf(report.loss.item<double>()));
    EXPECT_TRUE(std::isfinite(report.gradientNorm.item<double>()));
    EXPECT_TRUE(run.weight("embedding.weight").equal(before));
}

/// One token, whose vector holds one number so large that twice as much is infinite: dropout decides.
TEST(Trainer, TheBadNodeIsFoundWithTheDrawsOfItsStep)
{
    Experiment experiment = tinyExperiment("lstm", 4, "windows");
    experiment.training.batch = 1;
    experiment.graph = edits::sequence("", {edits::setParam(1, "steps", std::int64_t(1)),
                                            edits::insertOnWire(makeNode(0, "dropout", "dropout", {{"rate", 0.5}}),
                                                                {{2, "y"}, {3, "x"}}, "x", "y")})
                           .apply(experiment.graph)
                           .value();
    int bad = 0;
    for (std::int64_t unit = 0; unit < 12; ++unit) {
        const BuiltRun run(experiment);
        for (int step = 0; step < 3; ++step) // the draws have moved on from their seed
            run.trainer->step();
        run.weight("embedding.weight").detach().select(1, unit).fill_(3e38);
        const std::int64_t step = run.trainer->stepsDone();
        const StepReport report = run.trainer->step();
        if (std::isfinite(report.loss.item<double>() + report.gradientNorm.item<double>()))
            continue;
        ++bad;
        SCOPED_TRACE(unit);
        EXPECT_EQ(run.trainer->findBadNode(step).sentence, "inf in dropout (output y) at step 4, forward pass");
    }
    EXPECT_GT(bad, 2);
    EXPECT_LT(bad, 12) << "some numbers were dropped";
}

TEST(Trainer, ABlocksRulesReachTheOptimiser)
{
    BlockRegistry changed;
    for (const BlockSpec* spec : testing::registry().all()) {
        BlockSpec copy = *spec;
        if (copy.id == "lstm")
            copy.weights = [weights = copy.weights](const WeightScope& scope) {
                auto list = weights(scope);
                list[0].rule = {.decay = true, .learningRateScale = 0, .clipGroup = "apart"};
                list[2].rule = {.decay = true, .learningRateScale = 0.5, .clipGroup = ""};
                return list;
            };
        changed.add(std::move(copy));
    }
    Experiment experiment = tinyExperiment();
    experiment.training.optimizer = "sgd";
    experiment.training.optimizerSettings["weight_decay"] = 0.5;
    experiment.training.learningRate = 0.1;
    experiment.training.warmup = 0;
    experiment.training.clip = 1e-3;
    const BuiltRun run(experiment, nullptr, changed);
    const at::Tensor still = run.weight("lstm.weight_ih_l0"), bias = run.weight("lstm.bias_ih_l0");
    bias.detach().fill_(1);
    const at::Tensor stillBefore = still.detach().clone();
    run.trainer->step();
    EXPECT_TRUE(still.equal(stillBefore)) << "its learning rate is scaled to nothing";
    EXPECT_NEAR(still.grad().norm().item<double>(), 1e-3, 1e-5) << "a clip group of its own fills the norm alone";
    const at::Tensor expected = 1 - 0.1 * 0.5 * (bias.grad() + 0.5);
    EXPECT_LT((bias - expected).abs().max().item<double>(), 1e-6) << "half the rate, with decay though it is a bias";
}

TEST(Trainer, SignalsWithALimitAreLookedAtEveryTenthUpdate)
{
    const BuiltRun run(tinyExperiment("mru", 16));
    for (int update = 0; update < 21; ++update) {
        const StepReport report = run.trainer->step();
        ASSERT_EQ(report.peaks.size(), update % 10 == 0 ? 1u : 0u) << "update " << update;
        if (update % 10 != 0)
            continue;
        const SignalPeak& peak = report.peaks.front();
        EXPECT_EQ(peak.signal.node, "mru");
        EXPECT_EQ(peak.signal.spec->name, "log_norm");
        EXPECT_TRUE(std::isfinite(peak.most.item<double>()));
        EXPECT_TRUE(update > 0 || std::abs(peak.most.item<double>()) < 1e-5) << "the identity at first";
    }
}

TEST(Sampler, ATinyTemperatureTakesTheLikeliest)
{
    const BuiltRun run(tinyExperiment());
    for (int step = 0; step < 10; ++step)
        run.trainer->step();
    const auto likeliest = sampleText(*run.model, *run.data, {.tokens = 30, .rule = {.temperature = 0}});
    for (const double temperature : {1e-310, 1e-300, 1e-20}) {
        const auto text = sampleText(*run.model, *run.data, {.tokens = 30, .rule = {.temperature = temperature}});
        ASSERT_TRUE(text) << text.error().text();
        EXPECT_EQ(*text, *likeliest) << temperature;
    }
}

TEST(Sampler, APromptOfAByteOrderMarkAloneIsNoPrompt)
{
    const BuiltRun run(tinyExperiment());
    const auto text = sampleText(*run.model, *run.data, {.prompt = "\uFEFF", .tokens = 3});
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_EQ(*text, sampleText(*run.model, *run.data, {.tokens = 3}).value());
}

TEST(Sampler, ScoresThatAreNotFiniteAreAnErrorAndNoException)
{
    const BuiltRun run(tinyExperiment());
    run.weight("head.bias").detach().fill_(std::nan(""));
    const auto text = sampleText(*run.model, *run.data, {.tokens = 3});
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().message,
              "the model's outputs are not finite: NaN in head (weight bias) at token 1, weights");
    EXPECT_EQ(sampleText(*run.model, *run.data, {.prompt = "\x01"}).error().place, "prompt");
}

} // namespace
} // namespace unroll
