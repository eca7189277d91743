// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/forecast/forecast.h"

#include "core/experiment/gallery.h"
#include "core/lens/probe.h"
#include "core/lens/step_answers.h"
#include "tests/support/short_runs.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unroll {
namespace {

using ::testing::HasSubstr;

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

/// Three rows of one number, two columns to predict, in units of their own.
ProbeText threeRows()
{
    ProbeText text;
    text.width = 1;
    text.features = {0, 1, 2};
    text.targets = {{.name = "height"}, {.name = "weight"}};
    text.targets[0].scale = 4;
    text.targets[0].shift = -1;
    text.targets[1].scale = 0.5;
    text.targets[1].shift = 100;
    text.values = {1, 0, 2, -2, kNoValue, 8};
    text.of = "rows 1 to 3";
    return text;
}

std::shared_ptr<const ForecastData> forecastSeen(const ProbeText& text, const at::Tensor& prediction,
                                                 const std::string& unit)
{
    ProbeFrame look{.step = 9, .characters = {}, .signalFrames = {}};
    look.of = text.of;
    look.forecasts = forecastsOf(text, {prediction, {}, unit});
    const auto frame = frameOf({look}, forecastQuery());
    EXPECT_EQ(frame->trouble, "");
    return dataOf<ForecastData>(frame);
}

/// [3, 1, 2] fp64.
at::Tensor predictionOf(const std::vector<double>& values)
{
    at::Tensor made = at::empty({3, 1, 2}, at::kDouble);
    std::copy(values.begin(), values.end(), made.mutable_data_ptr<double>());
    return made;
}

TEST(ForecastLens, KnownAnswer)
{
    const auto data = forecastSeen(threeRows(), predictionOf({0.25, 3, -1, 0.5, 7, -8}), "squared error");
    ASSERT_EQ(data->columns.size(), 2u);
    const Figure figure = data->figure();
    ASSERT_EQ(figure.panels.size(), 2u);
    const double told[2][3] = {{0, -5, 27}, {101.5, 100.25, 96}}; // times the scale, and the shift: exact
    const double right[2][3] = {{3, 7, NAN}, {100, 99, 104}};
    for (std::size_t column = 0; column < 2; ++column) {
        const FigurePanel& panel = figure.panels[column];
        EXPECT_EQ(panel.title, column == 0 ? "height" : "weight");
        ASSERT_EQ(panel.series.size(), 2u);
        EXPECT_EQ(panel.series[0].name, "actual");
        EXPECT_EQ(panel.series[1].name, "predicted");
        for (std::size_t step = 0; step < 3; ++step) {
            EXPECT_EQ(panel.series[1].x[step], static_cast<double>(step));
            EXPECT_EQ(panel.series[1].y[step], told[column][step]);
            if (std::isnan(right[column][step]))
                EXPECT_TRUE(std::isnan(panel.series[0].y[step])) << "nothing is asked there";
            else
                EXPECT_EQ(panel.series[0].y[step], right[column][step]);
        }
    }
    EXPECT_EQ(figure.missing, 0) << "that nothing is asked is no fault";
    EXPECT_THAT(figure.shows, HasSubstr("each of 3 steps of rows 1 to 3"));
    EXPECT_THAT(figure.shows, HasSubstr("the closer the lines, the better the forecast"));
}

TEST(ForecastLens, SharesAreProbabilities)
{
    ProbeText text = threeRows();
    for (ColumnScale& column : text.targets)
        column.scale = 1, column.shift = 0;
    const auto data = forecastSeen(text, predictionOf({0, std::log(3), -std::log(3), 0, 0, 0}), "nats/target");
    EXPECT_NEAR(data->columns[0].told[0], 0.5, 1e-7);
    EXPECT_NEAR(data->columns[1].told[0], 0.75, 1e-7);
    EXPECT_NEAR(data->columns[0].told[1], 0.25, 1e-7);
}

TEST(ForecastLens, WhatIsNoNumberIsCounted)
{
    const double inf = std::numeric_limits<double>::infinity();
    const auto data = forecastSeen(threeRows(), predictionOf({0.25, NAN, -1, inf, 7, -8}), "squared error");
    EXPECT_EQ(data->figure().missing, 2);
}

/// A network in double precision whose head is a constant predicts that constant, in the column's own unit.
TEST(ForecastLens, OfANetworkThatTellsAConstant)
{
    const Experiment experiment = loadExperiment(findExperiment("waves-lstm").value().string()).value();
    const testing::BuiltRun run(experiment);
    DataCache cache(allBuilders());
    const CheckedGraph checked = checkExperiment(experiment, run.registry, cache);
    const auto model = Model::build(experiment.graph, checked, run.registry, allBuilders(), 3, at::kDouble).value();
    const at::NoGradGuard guard;
    int heads = 0;
    for (const Weight& weight : model->weights()) {
        const bool isHead = weight.name == "mse.bias";
        at::Tensor(weight.tensor).fill_(isHead ? 0.375 : 0);
        heads += isHead;
    }
    ASSERT_EQ(heads, 1);
    const ProbeFrame seen = look(*model, makeReading(*run.data, {}), needsOf({forecastQuery()}), 0);
    const auto data = dataOf<ForecastData>(frameOf({seen}, forecastQuery()));
    ASSERT_NE(data, nullptr);
    const auto scales = run.data->scales().targets;
    ASSERT_EQ(data->columns.size(), scales.size());
    for (std::size_t column = 0; column < scales.size(); ++column) {
        const double constant = 0.375 * scales[column].scale + scales[column].shift;
        ASSERT_EQ(data->columns[column].told.size(), seen.forecasts[column].right.size());
        for (const float told : data->columns[column].told)
            EXPECT_NEAR(told, constant, 1e-6 * std::max(1.0, std::abs(constant))); // kept as a float
    }
}

TEST(ForecastLens, OfClassesSaysWhyThereIsNone)
{
    EXPECT_THAT(frameOf({ProbeFrame{}}, forecastQuery())->trouble, HasSubstr("does not predict numbers step by step"));
}

} // namespace
} // namespace unroll
