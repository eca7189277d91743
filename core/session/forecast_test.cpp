// SPDX-License-Identifier: GPL-3.0-or-later
// What a model of numbers is seen to tell, beside what was right.
#include "core/experiment/gallery.h"
#include "core/lens/probe.h"
#include "tests/support/short_runs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace unroll {
namespace {

using testing::BuiltRun;
using testing::lookIn;

Experiment waves()
{
    Experiment experiment = loadExperiment(findExperiment("waves-lstm").value().string()).value();
    experiment.training.steps = 2;
    experiment.training.threads = 1;
    experiment.training.device = "cpu";
    return experiment;
}

TEST(Forecast, IsWhatTheLossCompares)
{
    const BuiltRun run(waves());
    ProbeText text = makeProbeText(*run.data, "");
    const auto scales = run.data->scales().targets;
    ASSERT_FALSE(scales.empty());
    const WatchedSignal told{"mse", "prediction"};
    const ProbeFrame frame = look(*run.model, text, {.watched = {}, .forecasts = true}, 0);
    EXPECT_TRUE(frame.signalFrames.empty()) << "nobody watches it";
    ASSERT_EQ(frame.forecasts.size(), scales.size());
    const ProbeFrame seen = probe(*run.model, text, {told}, 0);
    ASSERT_EQ(seen.signalFrames.size(), 1u);
    const std::vector<float>& values = seen.signalFrames[0].values;
    for (std::size_t column = 0; column < scales.size(); ++column) {
        const Forecast& forecast = frame.forecasts[column];
        EXPECT_EQ(forecast.column, scales[column].name);
        ASSERT_EQ(forecast.told.size(), text.features.size() / static_cast<std::size_t>(text.width));
        for (std::size_t step = 0; step < forecast.told.size(); ++step) {
            const std::size_t at = step * scales.size() + column;
            const auto inUnits = [&](float value) { return value * scales[column].scale + scales[column].shift; };
            EXPECT_NEAR(forecast.told[step], inUnits(values[at]), 1e-4);
            EXPECT_NEAR(forecast.right[step], inUnits(text.values[at]), 1e-4);
        }
    }
}

TEST(Forecast, ComesWithEveryLook)
{
    const auto session = startSession(waves(), allSpecs(), allBuilders(), {});
    session->ask({stateQuery({"lstm", "c"}), forecastQuery()});
    ASSERT_TRUE(testing::stepAndWait(*session, 2));
    session->look();
    ASSERT_TRUE(
        testing::waitUntil([&] { return lookIn(*session->snapshot()) && lookIn(*session->snapshot())->step == 2; }));
    const auto frame = lookIn(*session->snapshot());
    ASSERT_EQ(frame->signalFrames.size(), 1u);
    ASSERT_FALSE(frame->forecasts.empty());
    EXPECT_FALSE(frame->forecasts[0].column.empty());
    for (const float told : frame->forecasts[0].told)
        EXPECT_TRUE(std::isfinite(told));
}

TEST(Forecast, IsNoneOfText)
{
    const testing::EndedRun run(testing::tinyExperiment(), {}, {{"lstm", "c"}});
    EXPECT_TRUE(lookIn(run.last)->forecasts.empty());
}

} // namespace
} // namespace unroll
