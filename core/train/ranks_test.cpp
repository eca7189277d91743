// SPDX-License-Identifier: GPL-3.0-or-later
// Several ranks compute what one process computes: threads of this one, over a store in memory.
#include "core/train/ranks.h"

#include "core/experiment/adjust.h"
#include "core/experiment/gallery.h"
#include "tests/support/dataset_over.h"
#include "tests/support/rank_threads.h"
#include "tests/support/short_runs.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>

#include <cmath>
#include <functional>
#include <mutex>

namespace unroll {
namespace {

using testing::BuiltRun;
using testing::registry;
using testing::tinyExperiment;

/// Of the gallery, as small as `assignments` make it.
Experiment galleryRun(const std::string& name, std::vector<std::string> assignments)
{
    for (const char* same : {"training.threads=1", "training.device=cpu", "training.batch=8", "training.warmup=5"})
        assignments.emplace_back(same);
    return withChanges(loadExperiment(findExperiment(name).value().string()).value(), registry(), "", assignments)
        .value();
}

Experiment smallChars()
{
    return galleryRun("char-lstm", {"text.steps=24", "embedding.width=16", "lstm_1.units=24", "lstm_2.units=24"});
}

Experiment smallWaves()
{
    return galleryRun("waves-lstm", {});
}

Experiment smallRecall()
{
    return galleryRun("recall-attention", {});
}

/// What a training comes to.
struct Course {
    std::vector<double> losses, norms;
    std::vector<at::Tensor> weights;
    States carried;
    Evaluation evaluation;
};

Course courseOf(Trainer& trainer, const Model& model, int steps)
{
    Course course;
    for (int step = 0; step < steps; ++step) {
        const StepReport report = trainer.step();
        course.losses.push_back(report.learned ? report.loss.item<double>() : -1);
        course.norms.push_back(report.learned ? report.gradientNorm.item<double>() : -1);
    }
    course.evaluation = *trainer.evaluate(trainer.portion(Split::Validation, 3));
    course.carried = trainer.wholeState().carried;
    for (const Weight& weight : model.weights())
        course.weights.push_back(weight.tensor.detach().clone());
    return course;
}

Course alone(const Experiment& experiment, int steps, std::shared_ptr<const Dataset> data = nullptr)
{
    const BuiltRun run(experiment, std::move(data));
    return courseOf(*run.trainer, *run.model, steps);
}

using Prepare = std::function<void(Trainer&)>;

/// Of every rank.
std::vector<Course> together(const Experiment& experiment, std::int64_t size, int steps,
                             std::shared_ptr<const Dataset> data = nullptr, const Prepare& prepare = {})
{
    std::vector<Course> courses(static_cast<std::size_t>(size));
    const auto meeting = meetingInMemory();
    testing::onThreads(size, [&](std::int64_t rank) {
        at::set_num_threads(1);
        const BuiltRun run(experiment, data);
        auto group = joinGroup(testing::threadPlace(rank, size, meeting), "cpu");
        ASSERT_TRUE(group) << group.error().text();
        Ranks ranks(std::move(*group), at::kCPU);
        Trainer trainer(experiment, *run.model, *run.data, &ranks);
        if (prepare)
            prepare(trainer);
        courses[static_cast<std::size_t>(rank)] = courseOf(trainer, *run.model, steps);
        EXPECT_TRUE(trainer.align()) << "the weights of ranks have drifted apart";
    });
    return courses;
}

void expectEqual(const Course& found, const Course& wanted)
{
    EXPECT_EQ(found.losses, wanted.losses);
    EXPECT_EQ(found.norms, wanted.norms);
    EXPECT_EQ(found.evaluation.loss, wanted.evaluation.loss);
    EXPECT_EQ(found.evaluation.confusion, wanted.evaluation.confusion);
    ASSERT_EQ(found.weights.size(), wanted.weights.size());
    for (std::size_t i = 0; i < wanted.weights.size(); ++i)
        EXPECT_TRUE(at::equal(found.weights[i], wanted.weights[i])) << "weight " << i;
}

/// As near as the order of sums lets them be.
void expectNear(const Course& found, const Course& wanted, double most)
{
    ASSERT_EQ(found.losses.size(), wanted.losses.size());
    for (std::size_t step = 0; step < wanted.losses.size(); ++step) {
        EXPECT_NEAR(found.losses[step], wanted.losses[step], most) << "step " << step + 1;
        EXPECT_NEAR(found.norms[step], wanted.norms[step], 1e-3 * std::abs(wanted.norms[step])) << "step " << step + 1;
    }
    ASSERT_EQ(found.evaluation.loss.has_value(), wanted.evaluation.loss.has_value());
    if (wanted.evaluation.loss) {
        EXPECT_NEAR(*found.evaluation.loss, *wanted.evaluation.loss, 2 * most);
    }
    EXPECT_EQ(found.evaluation.targets, wanted.evaluation.targets);
    ASSERT_EQ(found.carried.size(), wanted.carried.size());
    for (const auto& [node, parts] : wanted.carried)
        for (std::size_t i = 0; i < parts.size(); ++i)
            EXPECT_LT((found.carried.at(node)[i] - parts[i]).abs().max().item<double>(), 1e-4) << node;
}

void expectOneProcess(const Experiment& experiment, int steps, double most = 1e-6)
{
    const Course wanted = alone(experiment, steps);
    EXPECT_LT(wanted.losses.back(), wanted.losses.front()) << "something is learned, so that updates are compared too";
    for (std::int64_t size : {2, 4}) {
        const std::vector<Course> found = together(experiment, size, steps);
        expectNear(found[0], wanted, most);
        for (const Course& other : found)
            expectEqual(other, found[0]);
        expectEqual(together(experiment, size, steps)[0], found[0]); // from run to run
    }
}

TEST(Ranks, TrainCharactersAsOneProcess)
{
    expectOneProcess(smallChars(), 50);
}

TEST(Ranks, TrainWavesWithTheirCarriedStatesAsOneProcess)
{
    const Experiment waves = smallWaves();
    ASSERT_TRUE(BuiltRun(waves).data->carriesState());
    expectOneProcess(waves, 50);
}

TEST(Ranks, TrainRecallWhoseTargetsAreFewAsOneProcess)
{
    expectOneProcess(smallRecall(), 50);
}

TEST(Ranks, AccumulateClipAndPenaliseAsOneProcess)
{
    Experiment experiment = tinyExperiment();
    experiment.training.accumulation = 3;
    experiment.training.clip = 0.05;
    experiment.graph =
        edits::setParam(experiment.graph.findByName("head")->id, "l2", 0.01).apply(experiment.graph).value();
    expectOneProcess(experiment, 20);
}

/// Sequences that have their targets where a mask of the step says: some ranks have none, and sometimes none has.
class Sparse : public testing::DatasetOver {
public:
    using DatasetOver::DatasetOver;

    Batch trainingBatch(std::int64_t step, std::int64_t size, std::uint64_t seed) const override
    {
        Batch batch = m_whole->trainingBatch(step, size, seed);
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(batch.targets.size()); ++i)
            if (step % 5 == 4 || (step % 2 == 1 && i % size >= 2) || i % 3 == i % size)
                batch.targets[static_cast<std::size_t>(i)] = kIgnoredTarget;
        return batch;
    }
};

TEST(Ranks, MayBeWithoutATarget)
{
    Experiment experiment = tinyExperiment();
    const auto data = std::make_shared<Sparse>(BuiltRun(experiment).data);
    const Course wanted = alone(experiment, 20, data);
    EXPECT_EQ(wanted.losses[4], -1) << "no rank has a target";
    for (std::int64_t size : {2, 4})
        for (const Course& found : together(experiment, size, 20, data))
            expectNear(found, wanted, 1e-6);
}

/// A series is evaluated as one stream: that is one rank's.
TEST(Ranks, EvaluateFewerSequencesThanRanks)
{
    const Experiment waves = smallWaves();
    const BuiltRun run(waves);
    ASSERT_EQ(run.data->evaluationBatch(Split::Validation, 0, 8).sequences, 1);
    const Evaluation wanted = *run.trainer->evaluate(run.trainer->portion(Split::Validation));
    for (const Course& found : together(waves, 4, 0)) {
        EXPECT_EQ(found.evaluation.loss.has_value(), wanted.loss.has_value());
    }
}

/// One answer a sequence: the mean is over sequences, not steps.
TEST(Ranks, TellLabelsAsOneProcess)
{
    const Experiment labels = galleryRun("labels-lstm", {"embedding.width=8", "lstm.units=16"});
    const Course wanted = alone(labels, 15);
    ASSERT_FALSE(wanted.evaluation.confusion.empty());
    const Course found = together(labels, 2, 15)[0];
    expectNear(found, wanted, 1e-6);
    EXPECT_EQ(found.evaluation.confusion, wanted.evaluation.confusion);
}

/// Its states have a limit, which is that of all ranks together.
TEST(Ranks, WatchLimitsAsOneProcess)
{
    const Experiment parity = galleryRun("parity-mru", {"training.batch=8"});
    const auto peaksOf = [](Trainer& trainer) {
        std::vector<double> peaks;
        for (const SignalPeak& peak : trainer.step().peaks)
            peaks.push_back(peak.most.item<double>());
        return peaks;
    };
    const BuiltRun run(parity);
    const std::vector<double> wanted = peaksOf(*run.trainer);
    ASSERT_FALSE(wanted.empty());
    const auto seen = [&](Trainer& trainer) {
        const std::vector<double> found = peaksOf(trainer);
        ASSERT_EQ(found.size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            EXPECT_NEAR(found[i], wanted[i], 1e-5);
    };
    together(parity, 2, 1, nullptr, seen);
}

TEST(Ranks, DrawDropoutOfTheirOwnThatIsTheSameInEveryRun)
{
    Experiment experiment = tinyExperiment();
    experiment.graph =
        edits::setParam(experiment.graph.findByName("lstm")->id, "dropout", 0.3).apply(experiment.graph).value();
    const auto first = together(experiment, 2, 10), second = together(experiment, 2, 10);
    expectEqual(first[0], second[0]);
    expectEqual(first[1], first[0]);
}

TEST(Ranks, HearOfWishesAtTheSameUpdate)
{
    const Experiment experiment = tinyExperiment();
    const auto meeting = meetingInMemory();
    testing::onThreads(3, [&](std::int64_t rank) {
        const BuiltRun run(experiment);
        Ranks ranks(std::move(joinGroup(testing::threadPlace(rank, 3, meeting), "cpu").value()), at::kCPU);
        Trainer trainer(experiment, *run.model, *run.data, &ranks);
        EXPECT_FALSE(trainer.step().wishes.stop);
        if (rank == 1)
            ranks.wishes().stop = true;
        if (rank == 2)
            ranks.wishes().learningRate = 0.25;
        const Wishes heard = trainer.step().wishes;
        EXPECT_TRUE(heard.stop);
        EXPECT_FALSE(heard.pause);
        EXPECT_FALSE(heard.checkpoint);
        EXPECT_EQ(heard.learningRate, 0.25);
        EXPECT_FALSE(trainer.step().wishes.stop) << "once";
    });
}

TEST(Ranks, FindWhereANumberOfAnotherRankStoppedBeingFinite)
{
    const auto meeting = meetingInMemory();
    testing::onThreads(2, [&](std::int64_t rank) {
        Ranks ranks(std::move(joinGroup(testing::threadPlace(rank, 2, meeting), "cpu").value()), at::kCPU);
        const BadNode found = ranks.first(rank == 1 ? BadNode{"lstm", "NaN in lstm"} : BadNode{"", "nothing"});
        EXPECT_EQ(found.node, "lstm");
        EXPECT_EQ(found.sentence, "NaN in lstm (rank 1)");
        EXPECT_EQ(ranks.first(BadNode{"", "nothing"}).sentence, "nothing");
    });
}

TEST(Ranks, AlignTakesTheWeightsOfRankZero)
{
    const Experiment experiment = tinyExperiment();
    const auto meeting = meetingInMemory();
    testing::onThreads(2, [&](std::int64_t rank) {
        const BuiltRun run(experiment);
        Ranks ranks(std::move(joinGroup(testing::threadPlace(rank, 2, meeting), "cpu").value()), at::kCPU);
        Trainer trainer(experiment, *run.model, *run.data, &ranks);
        trainer.step();
        EXPECT_TRUE(trainer.align());
        const double before = run.weight("head.bias")[0].item<double>();
        if (rank == 1)
            run.weight("head.bias").detach()[0] += 1;
        EXPECT_FALSE(trainer.align());
        EXPECT_EQ(run.weight("head.bias")[0].item<double>(), before);
        EXPECT_TRUE(trainer.align());
    });
}

TEST(Ranks, ATensorsDigestIsOfItsBits)
{
    const auto ones = [] { return at::full({2, 3}, 1.0, at::kDouble); };
    const at::Tensor one = ones(), same = ones(), other = ones();
    other[1][2] += 1e-15;
    EXPECT_EQ(digestOf({one}), digestOf({same}));
    EXPECT_NE(digestOf({one}), digestOf({other}));
    EXPECT_NE(digestOf({one, at::full({}, 2.0)}), digestOf({at::full({}, 2.0), one}));
}

} // namespace
} // namespace unroll
