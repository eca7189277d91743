// SPDX-License-Identifier: GPL-3.0-or-later
// A block may keep what it made of a weight from one pass without gradient to the next, as ternary layers keep their
// codes. Whatever changes the weight, such a pass must give what one gives that makes it again; those with gradient do.
#include "core/train/checkpoint.h"
#include "tests/support/short_runs.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::BuiltRun;
using testing::tinyExperiment;

Experiment quick(const std::string& block, const std::string& optimizer = kDefaultOptimizer)
{
    Experiment experiment = tinyExperiment(block);
    experiment.training.optimizer = optimizer;
    experiment.training.warmup = 0;
    experiment.training.learningRate = 0.05;
    return experiment;
}

class KeptByBlocks : public ::testing::TestWithParam<const char*> {
protected:
    /// Of the same batch every time.
    static double loss(const BuiltRun& run, bool withGradient)
    {
        const Batch batch = run.data->batch(Split::Train, 0, 4, 1);
        const auto tensorOf = [&](const std::vector<std::int32_t>& values) {
            at::Tensor tensor = at::empty({batch.steps, batch.sequences}, at::kLong);
            std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<std::int64_t>());
            return tensor;
        };
        const at::AutoGradMode mode(withGradient);
        return run.model->forward({tensorOf(batch.tokens), tensorOf(batch.targets), {}, {}}, {}, {})
            .loss.item<double>();
    }

    /// The passes before this one have kept what they made of the weights as they were.
    void expectFollowed(const BuiltRun& run, const std::string& change)
    {
        const double kept = loss(run, false);
        EXPECT_FLOAT_EQ(kept, loss(run, true)) << change;
        EXPECT_NE(kept, m_last) << change << " has changed nothing";
        m_last = kept;
    }

private:
    double m_last = 0;
};

TEST_P(KeptByBlocks, FollowsEveryOptimiser)
{
    for (const OptimizerSpec& spec : optimizerSpecs()) {
        const BuiltRun run(quick(GetParam(), spec.id));
        expectFollowed(run, "a new model");
        for (int step = 0; step < 3; ++step) {
            run.trainer->step();
            expectFollowed(run, "step " + std::to_string(step));
        }
    }
}

TEST_P(KeptByBlocks, FollowsWhatIsLoaded)
{
    const TestFolder folder;
    const BuiltRun run(quick(GetParam()));
    ASSERT_TRUE(writeCheckpoint(folder.path(), *run.model, *run.trainer, {}));
    const KeptWeights copy = keepWeights(*run.model, "the first ones", legendOf(*run.data));
    const auto train = [&] {
        run.trainer->step();
        expectFollowed(run, "a step");
    };
    train();
    ASSERT_TRUE(readCheckpoint(folder.path(), 0.05, *run.model, *run.trainer));
    expectFollowed(run, "a checkpoint that was read");
    train();
    ASSERT_TRUE(loadWeights(folder / "weights.safetensors", *run.model));
    expectFollowed(run, "weights that were loaded");
    train();
    takeWeights(copy, *run.model, legendOf(*run.data));
    expectFollowed(run, "weights of another run");
}

INSTANTIATE_TEST_SUITE_P(Ternary, KeptByBlocks, ::testing::Values("dense_mml", "grumml", "lrumml"),
                         [](const auto& block) { return std::string(block.param); });

} // namespace
} // namespace unroll
