// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/race_bands.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

RaceRun seedRun(const std::vector<double>& losses, std::int64_t every, RunState state = RunState::Finished)
{
    RaceRun run;
    run.state = state;
    std::int64_t step = 0;
    for (const double loss : losses) {
        step += every;
        RaceSample sample;
        sample.step = step;
        sample.tokens = step * 10;
        sample.seconds = static_cast<double>(step) * (1 + loss);
        sample.validation = loss;
        sample.train = 2 * loss;
        run.samples.push_back(sample);
    }
    return run;
}

TEST(RaceBands, MeanAndIntervalOverSeeds)
{
    const RaceLaneResults lane{{}, {seedRun({1, 0.5}, 5), seedRun({0, 0.5}, 5)}};
    const RaceCurve curve = raceCurve(lane, RaceMetric::Validation, 10);
    ASSERT_EQ(curve.mean.size(), 2U);
    EXPECT_TRUE(curve.ahead.empty());
    EXPECT_EQ(curve.mean[0].step, 5);
    EXPECT_EQ(curve.mean[0].seeds, 2U);
    EXPECT_DOUBLE_EQ(curve.mean[0].mean, 0.5);
    EXPECT_DOUBLE_EQ(curve.mean[0].band.low, 0.0375); // see bootstrap_test
    EXPECT_DOUBLE_EQ(curve.mean[0].band.high, 0.9625);
    EXPECT_DOUBLE_EQ(curve.mean[0].tokens, 50);
    EXPECT_DOUBLE_EQ(curve.mean[0].seconds, (10 + 5) / 2.0);
    EXPECT_EQ(curve.mean[1].band, (Interval{0.5, 0.5}));
}

TEST(RaceBands, ASeedThatIsAheadMovesNoMean)
{
    const RaceLaneResults lane{{}, {seedRun({4, 3, 2, 1}, 5), seedRun({6}, 5, RunState::Running)}};
    const RaceCurve curve = raceCurve(lane, RaceMetric::Validation, 20);
    ASSERT_EQ(curve.mean.size(), 1U);
    EXPECT_DOUBLE_EQ(curve.mean[0].mean, 5);
    ASSERT_EQ(curve.ahead.size(), 1U);
    ASSERT_EQ(curve.ahead[0].size(), 4U); // from the last shared step on
    EXPECT_EQ(curve.ahead[0].back().step, 20);
    EXPECT_DOUBLE_EQ(curve.ahead[0].back().mean, 1);
}

TEST(RaceBands, DivergedSeedsAreLeftOutUnlessAllDid)
{
    const RaceRun lost = seedRun({9}, 5, RunState::Failed);
    const RaceCurve with = raceCurve({{}, {seedRun({2, 1}, 5), lost}}, RaceMetric::Validation, 10);
    ASSERT_EQ(with.mean.size(), 2U);
    EXPECT_DOUBLE_EQ(with.mean[0].mean, 2);
    EXPECT_EQ(raceCurve({{}, {lost, lost}}, RaceMetric::Validation, 10).mean.size(), 1U);
    EXPECT_TRUE(raceCurve({{}, {RaceRun{}}}, RaceMetric::Validation, 10).mean.empty());
}

TEST(RaceBands, TrainingIsAveragedOverSpans)
{
    std::vector<double> losses;
    for (int step = 1; step <= 1000; ++step)
        losses.push_back(step);
    const RaceCurve curve = raceCurve({{}, {seedRun(losses, 1)}}, RaceMetric::Training, 1000);
    ASSERT_EQ(curve.mean.size(), 200U); // spans of 5 steps
    EXPECT_EQ(curve.mean[0].step, 5);
    EXPECT_DOUBLE_EQ(curve.mean[0].mean, 2 * 3);
    EXPECT_TRUE(raceCurve({{}, {seedRun(losses, 1)}}, RaceMetric::Accuracy, 1000).mean.empty());
}

} // namespace
} // namespace unroll
