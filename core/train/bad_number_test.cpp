// SPDX-License-Identifier: GPL-3.0-or-later
// Wherever a number stops being finite, the node is named, with what was bad there, the step and the pass.
#include "core/experiment/data_cache.h"
#include "core/train/bad_number.h"

#include "tests/support/short_runs.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unroll {
namespace {

using testing::BuiltRun;
using testing::makeNode;
using ::testing::StartsWith;
using testing::tinyExperiment;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A step whose numbers are bad, and what is said of it. The steps before are good.
BadNode badStep(const BuiltRun& run)
{
    const std::int64_t step = run.trainer->stepsDone();
    const StepReport report = run.trainer->step();
    EXPECT_FALSE(std::isfinite(report.loss.item<double>() + report.gradientNorm.item<double>()));
    return run.trainer->findBadNode(step);
}

/// An rnn to which the forward or the backward pass does something bad; every number but that is its own.
class FaultyRnn : public Block {
public:
    enum class Fault { Output, State, WeightGradient, InputGradient };
    inline static Fault fault = Fault::Output;

    explicit FaultyRnn(const BlockSetup& setup) : Block(setup), m_inner(allBuilders().block("rnn")(setup))
    {
        weights() = m_inner->weights();
    }
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        std::vector<Value> outputs = m_inner->forward(inputs, context);
        at::Tensor& y = outputs.front().front();
        switch (fault) {
        case Fault::Output: {
            at::Tensor bad = y.clone();
            bad.select(0, 6).select(0, 1).fill_(kInfinite);
            y = bad;
            break;
        }
        case Fault::State: outputs[1].front() = outputs[1].front() * std::nan(""); break;
        case Fault::WeightGradient: y = y + infiniteSlope(weights().front().tensor.sum()); break;
        case Fault::InputGradient: y = y + infiniteSlope(inputs.front().front().sum(-1, true)); break;
        }
        return outputs;
    }
    Value initialState(std::int64_t sequences) const override { return m_inner->initialState(sequences); }

private:
    static at::Tensor infiniteSlope(const at::Tensor& x) { return (x * 0).sqrt(); } // 0; its slope is NaN

    std::unique_ptr<Block> m_inner;
};

Builders faultyRnn(FaultyRnn::Fault fault)
{
    FaultyRnn::fault = fault;
    Builders builders = allBuilders();
    builders.addBlock(
        "rnn", [](const BlockSetup& setup) -> std::unique_ptr<Block> { return std::make_unique<FaultyRnn>(setup); });
    return builders;
}

/// embedding -> before -> rnn -> add (with what goes round the rnn) -> after -> head.
Experiment chain(const std::string& order = "streams")
{
    Experiment experiment = tinyExperiment("rnn", 12, order);
    const auto edit = [&](const GraphEdit& each) { experiment.graph = each.apply(experiment.graph).value(); };
    edit(edits::insertOnWire(makeNode(0, "gru", "before", {{"units", std::int64_t{12}}}), {{2, "y"}, {3, "x"}}, "x",
                             "y"));
    edit(edits::insertOnWire(makeNode(0, "add", "add"), {{3, "y"}, {4, "x"}}, "a", "y"));
    const NodeId before = experiment.graph.findByName("before")->id, add = experiment.graph.findByName("add")->id;
    edit(edits::connect({{before, "y"}, {add, "b"}}));
    edit(edits::insertOnWire(makeNode(0, "linear", "after", {{"width", std::int64_t{8}}}), {{add, "y"}, {4, "x"}}, "x",
                             "y"));
    return experiment;
}

BadNode badStepOf(FaultyRnn::Fault fault)
{
    return badStep(BuiltRun(chain(), nullptr, allSpecs(), faultyRnn(fault)));
}

TEST(BadNumber, InAnOutputIsNamedWithItsTimeStep)
{
    const BadNode bad = badStepOf(FaultyRnn::Fault::Output);
    EXPECT_EQ(bad.node, "rnn");
    EXPECT_EQ(bad.sentence, "inf in rnn (output y, first at time step 7 of 16) at step 1, forward pass");
}

TEST(BadNumber, InAStateIsNamedThoughTheOutputIsWell)
{
    const BuiltRun run(chain(), nullptr, allSpecs(), faultyRnn(FaultyRnn::Fault::State));
    run.trainer->step();
    EXPECT_EQ(run.trainer->findBadNode(0).sentence, "NaN in rnn (state h) at step 1, forward pass");
}

TEST(BadNumber, InAGradientIsNamedWhereItBeginsAndNotWhereItArrives)
{
    const BadNode weight = badStepOf(FaultyRnn::Fault::WeightGradient);
    EXPECT_EQ(weight.node, "rnn");
    EXPECT_EQ(weight.sentence, "NaN in rnn (gradient of weight_ih_l0) at step 1, backward pass");
    const BadNode input = badStepOf(FaultyRnn::Fault::InputGradient);
    EXPECT_EQ(input.node, "rnn") << "though add and before have read what it spoils, and before's weights are spoilt";
    EXPECT_EQ(input.sentence, "NaN in rnn (gradient of its input x) at step 1, backward pass");
}

TEST(BadNumber, InTheLossIsNamedWhereAllThatTheLossReadIsWell)
{
    const BuiltRun run(tinyExperiment());
    const at::Tensor bias = run.weight("head.bias");
    bias.detach().narrow(0, 0, bias.size(0) / 2).fill_(-3e38);
    EXPECT_EQ(badStep(run).sentence, "inf in head (loss) at step 1, forward pass");
    const auto evaluation = run.trainer->evaluate(run.trainer->portion(Split::Validation, 1));
    ASSERT_TRUE(evaluation && evaluation->bad);
    EXPECT_EQ(evaluation->bad->sentence, "inf in head (loss) after step 1, forward pass");
}

TEST(BadNumber, InThePredictionGoesBeforeTheLoss)
{
    const BuiltRun run(tinyExperiment());
    run.weight("head.weight").detach().fill_(3e38);
    EXPECT_THAT(badStep(run).sentence, StartsWith("inf in head (output logits, first at time step "));
}

TEST(BadNumber, InAWeightIsSaidToComeFromTheUpdateBefore)
{
    const BuiltRun run(tinyExperiment());
    run.trainer->step();
    run.weight("lstm.weight_hh_l0").detach().select(0, 3).fill_(kInfinite);
    EXPECT_EQ(badStep(run).sentence, "inf in lstm (weight weight_hh_l0) after step 1, optimizer step");
}

TEST(BadNumber, InAPenaltyIsNamedWithItsWeight)
{
    BlockRegistry changed;
    for (const BlockSpec* spec : testing::registry().all()) {
        BlockSpec copy = *spec;
        if (copy.id == "lstm")
            copy.weights = [weights = copy.weights](const WeightScope& scope) {
                auto list = weights(scope);
                list[1].rule.l2 = 1e38;
                return list;
            };
        changed.add(std::move(copy));
    }
    const BuiltRun run(tinyExperiment(), nullptr, changed);
    run.weight("lstm.weight_hh_l0").detach().fill_(0.1);
    EXPECT_EQ(badStep(run).sentence, "inf in lstm (penalty of weight_hh_l0) at step 1, penalty");
}

TEST(BadNumber, InACarriedStateIsNamed)
{
    const BuiltRun run(tinyExperiment());
    run.trainer->step();
    TrainerState state = run.trainer->state();
    state.carried.at("lstm")[1] = state.carried.at("lstm")[1] * std::nan("");
    ASSERT_TRUE(run.trainer->restore(std::move(state)));
    EXPECT_EQ(badStep(run).sentence, "NaN in lstm (state c carried in) at step 2, forward pass");
}

/// Every gradient is a number, and the sum of their squares is none.
TEST(BadNumber, OfANormAloneNamesTheLargestGradient)
{
    Experiment experiment = tinyExperiment("rnn", 12);
    const auto scale = makeNode(0, "scale", "scale", {{"learned", true}});
    experiment.graph = edits::insertOnWire(scale, {{3, "y"}, {4, "x"}}, "x", "y").apply(experiment.graph).value();
    const BuiltRun run(experiment);
    run.weight("scale.weight").detach().fill_(1e-24);
    run.weight("head.weight").detach().mul_(1e24);
    EXPECT_THAT(badStep(run).sentence, StartsWith("inf in the norm of scale (gradient of weight, which reaches "));
}

/// A network of MRUs whose matrices multiply until nothing is finite.
TEST(BadNumber, OfAChainOfMrusIsFoundInTheOneThatOverflows)
{
    Experiment experiment = tinyExperiment("mru", 16);
    Params second{{"units", std::int64_t{16}}, {"maker", std::string("identity")}};
    experiment.graph = edits::insertOnWire(makeNode(0, "mru", "mru_2", second), {{3, "y"}, {4, "x"}}, "x", "y")
                           .apply(experiment.graph)
                           .value();
    const BuiltRun run(experiment);
    run.weight("mru_2.state_matrices_up").detach().fill_(1e6);
    const BadNode bad = badStep(run);
    EXPECT_EQ(bad.node, "mru_2");
    EXPECT_THAT(bad.sentence, ::testing::HasSubstr(" in mru_2 (output y, first at time step "));
    EXPECT_THAT(bad.sentence, ::testing::EndsWith(" of 16) at step 1, forward pass"));
}

/// Steps of a loop are walked one by one; the walk back goes through them in the same order.
TEST(BadNumber, InALoopIsNamedToo)
{
    Experiment experiment = chain();
    const auto edit = [&](const GraphEdit& each) { experiment.graph = each.apply(experiment.graph).value(); };
    const NodeId add = experiment.graph.findByName("add")->id;
    const NodeId before = experiment.graph.findByName("before")->id;
    edit(edits::addNode(makeNode(0, "delay", "delay")));
    const NodeId delay = experiment.graph.findByName("delay")->id;
    edit(edits::connect({{add, "y"}, {delay, "x"}}));
    edit(edits::insertOnWire(makeNode(0, "add", "sum"), {{2, "y"}, {before, "x"}}, "a", "y"));
    edit(edits::connect({{delay, "y"}, {experiment.graph.findByName("sum")->id, "b"}}));
    const BuiltRun run(experiment, nullptr, allSpecs(), faultyRnn(FaultyRnn::Fault::InputGradient));
    EXPECT_EQ(badStep(run).sentence, "NaN in rnn (gradient of its input x) at step 1, backward pass");
}

/// Data whose numbers leave single precision.
class InfiniteWaves : public Dataset {
public:
    explicit InfiniteWaves(std::shared_ptr<const Dataset> inner) : m_inner(std::move(inner)) {}
    Batch trainingBatch(std::int64_t step, std::int64_t size, std::uint64_t seed) const override
    {
        Batch batch = m_inner->trainingBatch(step, size, seed);
        batch.features.back() = std::numeric_limits<float>::infinity();
        return batch;
    }
    NumberFacts numbers() const override { return m_inner->numbers(); }
    bool carriesState() const override { return m_inner->carriesState(); }
    std::int64_t classes() const override { return 0; }
    std::int64_t steps() const override { return m_inner->steps(); }
    Result<void> accepts(std::int64_t size) const override { return m_inner->accepts(size); }
    std::int64_t batchesInSplit(Split split, std::int64_t size) const override
    {
        return m_inner->batchesInSplit(split, size);
    }
    Batch evaluationBatch(Split split, std::int64_t index, std::int64_t size) const override
    {
        return m_inner->evaluationBatch(split, index, size);
    }
    std::string evaluationText(Split split) const override { return m_inner->evaluationText(split); }
    std::string describe() const override { return ""; }
    std::vector<std::string> alphabet() const override { return {}; }
    std::string contentHash() const override { return ""; }
    Result<std::vector<std::int32_t>> encode(std::string_view) const override { return std::vector<std::int32_t>{}; }
    std::string decode(const std::vector<std::int32_t>&) const override { return ""; }
    std::string written(const std::vector<std::int32_t>&, bool) const override { return ""; }

private:
    std::shared_ptr<const Dataset> m_inner;
};

TEST(BadNumber, OfTheDataIsNamedAtTheDataAndAsksForNoLowerRate)
{
    Experiment experiment = tinyExperiment("rnn", 12);
    experiment.graph =
        testing::makeGraph({makeNode(1, "series", "waves", {{"steps", std::int64_t{16}}}),
                            makeNode(2, "rnn", "rnn", {{"units", std::int64_t{8}}}), makeNode(3, "mse", "mse")},
                           {{{1, "features"}, {2, "x"}}, {{2, "y"}, {3, "x"}}, {{1, "targets"}, {3, "targets"}}});
    DataCache cache(allBuilders());
    const auto waves =
        cache.open("series", testing::registry().find("series")->withDefaults({{"steps", std::int64_t{16}}}), "");
    ASSERT_TRUE(waves);
    const BuiltRun run(experiment, std::make_shared<InfiniteWaves>(*waves));
    const BadNode bad = badStep(run);
    EXPECT_EQ(bad.sentence, "inf in waves (features, first at time step 16 of 16) at step 1, data");
    EXPECT_TRUE(bad.fromData);
}

} // namespace
} // namespace unroll
