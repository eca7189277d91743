// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/sampler.h"

#include "core/model/initial.h"
#include "tests/support/short_runs.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/multinomial.h>
#include <ATen/ops/tensor.h>

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace unroll {
namespace {

using testing::BuiltRun;
using testing::tinyExperiment;

/// Scores whose chances are 1/2, 1/4, 1/8, 1/8 in another order, and what each rule leaves of them.
TEST(Sampler, ARuleLeavesTheseChances)
{
    const at::Tensor scores = at::tensor(std::vector<double>{0.125, 0.5, 0.125, 0.25}).log();
    const std::pair<SamplingRule, std::vector<double>> wanted[] = {
        {{.temperature = 1}, {0.125, 0.5, 0.125, 0.25}},
        {{.temperature = 0.5}, {1 / 22.0, 16 / 22.0, 1 / 22.0, 4 / 22.0}}, // squares of them
        {{.temperature = 0}, {0, 1, 0, 0}},
        {{.temperature = 1, .topK = 2}, {0, 2 / 3.0, 0, 1 / 3.0}},
        {{.temperature = 1, .topK = 3}, {1 / 7.0, 4 / 7.0, 0, 2 / 7.0}}, // of equal ones the first
        {{.temperature = 1, .topK = 9}, {0.125, 0.5, 0.125, 0.25}},
        {{.temperature = 1, .topP = 0.7}, {0, 2 / 3.0, 0, 1 / 3.0}},
        {{.temperature = 1, .topP = 0.4}, {0, 1, 0, 0}},
        {{.temperature = 1, .topP = 0}, {0, 1, 0, 0}},
        {{.temperature = 1, .topP = 0.8}, {1 / 7.0, 4 / 7.0, 0, 2 / 7.0}},
        {{.temperature = 1, .topK = 2, .topP = 0.6}, {0, 1, 0, 0}}, // 2/3 of what topK has left
        {{.temperature = 0, .topK = 3, .topP = 0.9}, {0, 1, 0, 0}},
    };
    for (const auto& [rule, chances] : wanted)
        EXPECT_LT((chancesOf(scores, rule) - at::tensor(chances)).abs().max().item<double>(), 1e-15)
            << rule.temperature << " " << rule.topK << " " << rule.topP;
}

/// Half a million draws of one step lie as near to the chances as five deviations allow.
TEST(Sampler, DrawsAreOfTheseChances)
{
    const at::Tensor scores = at::tensor(std::vector<double>{1, 3, 2, -1, 2.5, 0}),
                     chances = chancesOf(scores, {.temperature = 1.3, .topK = 5, .topP = 0.9});
    EXPECT_EQ((chances == 0).sum().item<std::int64_t>(), 2);
    at::Generator generator = makeGenerator(at::kCPU, 5);
    constexpr double kDraws = 500'000;
    const at::Tensor found =
        at::multinomial(chances, static_cast<std::int64_t>(kDraws), true, generator).bincount({}, 6) / kDraws;
    EXPECT_LT(((found - chances).abs() - 5 * (chances * (1 - chances) / kDraws).sqrt()).max().item<double>(), 1e-15);
}

TEST(Sampler, EndsWhereItHasWrittenTheStopText)
{
    const BuiltRun run(tinyExperiment());
    const std::string whole =
        sampleText(*run.model, *run.data, {.tokens = 60, .rule = {.temperature = 1}, .seed = 3}).value();
    const std::string stop = whole.substr(20, 2);
    const std::string text =
        sampleText(*run.model, *run.data, {.tokens = 60, .rule = {.temperature = 1, .stop = stop}, .seed = 3}).value();
    EXPECT_EQ(text, whole.substr(0, whole.find(stop, 1) + 2)) << "the prompt does not count";
    const auto strange = sampleText(*run.model, *run.data, {.tokens = 3, .rule = {.stop = "\x01"}});
    ASSERT_FALSE(strange);
    EXPECT_EQ(strange.error().place, "stop");
}

} // namespace
} // namespace unroll
