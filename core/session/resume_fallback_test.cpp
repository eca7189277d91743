// SPDX-License-Identifier: GPL-3.0-or-later
// Which checkpoint a run goes on from where the newest cannot be read.
#include "core/session/session.h"
#include "core/train/tensor_file.h"
#include "tests/support/short_runs.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::EndedRun;

Experiment withFallbacks()
{
    Experiment experiment = testing::tinyExperiment();
    experiment.training.checkpointEvery = 5;
    return experiment;
}

void beginFallback(const Experiment& experiment, const std::string& folder, std::int64_t steps)
{
    const auto session = startSession(experiment, allSpecs(), allBuilders(), {.runFolder = folder});
    ASSERT_TRUE(testing::stepAndWait(*session, steps));
}

EndedRun goOnFallback(const Experiment& experiment, const std::string& folder)
{
    return EndedRun(experiment, {.runFolder = folder, .resume = true});
}

/// An older checkpoint is no remedy for a model of another shape.
TEST(ResumeFallback, ACheckpointOfAnotherShapeEndsTheSearchAndIsNamed)
{
    TestFolder folder;
    const Experiment experiment = withFallbacks();
    beginFallback(experiment, folder / "run", 10);
    const std::string path = folder / "run/checkpoints/step-10/weights.safetensors";
    auto file = loadTensors(path);
    ASSERT_TRUE(file);
    NamedTensors tensors(file->tensors.begin(), file->tensors.end());
    for (auto& [name, tensor] : tensors)
        if (name == "head.weight")
            tensor = tensor.narrow(0, 0, 1).contiguous();
    ASSERT_TRUE(saveTensors(path, tensors, file->metadata));
    const EndedRun run = goOnFallback(experiment, folder / "run");
    EXPECT_EQ(run.last.state, RunState::Failed);
    EXPECT_NE(run.last.failure.find("step-10/weights.safetensors"), std::string::npos) << run.last.failure;
    EXPECT_NE(run.last.failure.find("does not match"), std::string::npos) << run.last.failure;
    EXPECT_FALSE(run.told("skipped checkpoint"));
}

TEST(ResumeFallback, WhereAllCheckpointsAreDamagedTheNewestIsNamed)
{
    TestFolder folder;
    const Experiment experiment = withFallbacks();
    beginFallback(experiment, folder / "run", 10);
    for (const std::string step : {"step-5", "step-10"})
        writeContent(folder / ("run/checkpoints/" + step + "/weights.safetensors"), "no tensors");
    const EndedRun run = goOnFallback(experiment, folder / "run");
    EXPECT_EQ(run.last.state, RunState::Failed);
    EXPECT_NE(run.last.failure.find("step-10"), std::string::npos) << run.last.failure;
    EXPECT_TRUE(run.told("step-5/weights.safetensors")) << "both are noted";
}

} // namespace
} // namespace unroll
