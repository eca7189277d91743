// SPDX-License-Identifier: GPL-3.0-or-later
// Training on a GPU against training on the CPU: the gallery's character models, and a run that changes its device.
#include "core/block/registry.h"
#include "core/experiment/gallery.h"
#include "core/model/builders.h"
#include "core/session/session.h"
#include "tests/gpu/gpu.h"
#include "tests/support/tiny_experiment.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

namespace unroll {
namespace {

constexpr std::int64_t kSteps = 50;

Experiment galleryExperiment(const std::string& name, const std::string& device)
{
    Experiment experiment = loadExperiment(findExperiment(name).value().string()).value();
    experiment.training.device = device;
    experiment.training.evaluateEvery = 0;
    experiment.training.evaluateWhole = false;
    experiment.training.sampleEvery = 0;
    experiment.training.checkpointEvery = 0;
    return experiment;
}

/// Losses of the steps up to `last`; the schedule stays that of the whole run.
std::vector<double> losses(const Experiment& experiment, std::int64_t steps, const SessionOptions& options = {})
{
    const auto session = startSession(experiment, allSpecs(), allBuilders(), options);
    session->step(steps);
    std::vector<double> found;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    while (std::ssize(found) < steps && session->snapshot()->failure.empty() &&
           std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        for (const MetricRow& row : session->takeMetrics())
            found.push_back(row.values.at("train/loss"));
    }
    session->stop();
    EXPECT_TRUE(session->finish(240));
    EXPECT_EQ(session->snapshot()->failure, "");
    return found;
}

void expectNear(const std::vector<double>& got, const std::vector<double>& want, double bound)
{
    ASSERT_EQ(got.size(), want.size());
    double worst = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
        worst = std::max(worst, std::abs(got[i] - want[i]));
    EXPECT_LE(worst, bound);
    std::printf("largest difference of %zu losses: %.1e\n", want.size(), worst);
}

struct Case {
    const char* name;
    double bound;
};

class CharacterModel : public ::testing::TestWithParam<Case> {};

TEST_P(CharacterModel, LosesOnAGpuWhatItLosesOnTheCpu)
{
    UNROLL_NEEDS_GPU();
    const auto cpu = losses(galleryExperiment(GetParam().name, "cpu"), kSteps);
    ASSERT_EQ(cpu.size(), static_cast<std::size_t>(kSteps));
    expectNear(losses(galleryExperiment(GetParam().name, "cuda"), kSteps), cpu, GetParam().bound);
}

TEST_P(CharacterModel, GoesOnOnTheOtherDevice)
{
    UNROLL_NEEDS_GPU();
    const auto whole = losses(galleryExperiment(GetParam().name, "cpu"), 20);
    for (const auto& [first, second] : {std::pair("cpu", "cuda"), std::pair("cuda", "cpu")}) {
        SCOPED_TRACE(first);
        TestFolder folder;
        auto parts = losses(galleryExperiment(GetParam().name, first), 10, {.runFolder = folder / "run"});
        const auto rest =
            losses(galleryExperiment(GetParam().name, second), 10, {.runFolder = folder / "run", .resume = true});
        parts.insert(parts.end(), rest.begin(), rest.end());
        expectNear(parts, whole, GetParam().bound);
    }
}

// Rounded weights may fall on the other side of a boundary.
INSTANTIATE_TEST_SUITE_P(Gallery, CharacterModel,
                         ::testing::Values(Case{"char-lstm", 1e-3}, Case{"char-sru", 1e-3}, Case{"char-gpt", 1e-3},
                                           Case{"char-grumml", 1e-2}),
                         [](const auto& tested) {
                             std::string name = tested.param.name;
                             return name.substr(name.find('-') + 1);
                         });

} // namespace
} // namespace unroll
