// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/attention/attention.h"

#include "core/lens/probe.h"
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

ProbeFrame readingOf(std::int64_t steps, std::int64_t width, std::vector<float> values,
                     SignalKind look = SignalKind::Attention)
{
    return {
        .step = 3, .characters = {}, .signalFrames = {{"attention", "weights", look, steps, width, std::move(values)}}};
}

std::shared_ptr<const LensFrame> asked(const ProbeFrame& reading, Params settings = {})
{
    return frameOf({reading}, {"attention", "attention", "weights", std::move(settings)});
}

/// Head 0 looks evenly at all steps so far, head 1 at the first one alone. Head by head in each row.
std::vector<float> evenAndFirst(std::int64_t steps)
{
    std::vector<float> values;
    for (std::int64_t step = 0; step < steps; ++step) {
        for (std::int64_t key = 0; key < steps; ++key)
            values.push_back(key <= step ? 1 / static_cast<float>(step + 1) : 0);
        for (std::int64_t key = 0; key < steps; ++key)
            values.push_back(key == 0 ? 1 : 0);
    }
    return values;
}

TEST(AttentionLens, KnownAnswer)
{
    ProbeFrame reading = readingOf(4, 8, evenAndFirst(4));
    reading.characters = {"a", "b", "c", "d"};
    const auto frame = asked(reading, {{"step", std::int64_t{1}}});
    const auto data = dataOf<AttentionData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    ASSERT_EQ(data->heads.size(), 2u);
    EXPECT_EQ(data->carried, 0);
    for (std::size_t step = 0; step < 4; ++step) {
        EXPECT_NEAR(data->heads[0].entropy[step], std::log(static_cast<double>(step + 1)), 1e-7);
        EXPECT_NEAR(data->heads[0].back[step], static_cast<double>(step) / 2, 1e-6);
        EXPECT_EQ(data->heads[1].entropy[step], 0);
        EXPECT_EQ(data->heads[1].back[step], static_cast<double>(step));
    }
    const Figure figure = data->figure();
    ASSERT_EQ(figure.panels.size(), 6u);
    EXPECT_THAT(figure.panels[0].title, HasSubstr("step 2 (b)"));
    const FigurePanel& bars = figure.panels[1];
    EXPECT_TRUE(bars.x.steps);
    EXPECT_THAT(bars.series.at(0).y, ElementsAre(0.75, 0.25, 0, 0)) << "mean of the heads";
    EXPECT_THAT(bars.series.at(2).y, ElementsAre(1, 0, 0, 0));
    EXPECT_NEAR(figure.panels[3].series.at(1).y.at(3), 4, 1e-6) << "four steps of equal weight";
    const FigureCells& cells = *figure.panels[4].cells;
    EXPECT_EQ(cells.rows, 4);
    EXPECT_EQ(cells.columns, 4);
    EXPECT_EQ(cells.values.at(2 * 4 + 1), 1 / 3.0f);
    EXPECT_EQ(cells.values.at(1 * 4 + 2), 0) << "later steps are not seen";
    EXPECT_TRUE(figure.panels[4].square);
    EXPECT_THAT(figure.findings.at(0), HasSubstr("head 1 attends to 1.00 steps on average, 1.50 steps back"));
    EXPECT_THAT(figure.findings.at(1), HasSubstr("head 0 attends to 2.50 steps on average, 0.75 steps back"));
}

TEST(AttentionLens, OneHeadOfSeveral)
{
    const auto data = dataOf<AttentionData>(asked(readingOf(3, 6, evenAndFirst(3)), {{"head", std::int64_t{1}}}));
    ASSERT_NE(data, nullptr);
    ASSERT_EQ(data->heads.size(), 1u);
    EXPECT_EQ(data->heads[0].head, 1);
    EXPECT_EQ(data->step, 2) << "the last one";
    const Figure figure = data->figure();
    EXPECT_EQ(figure.panels.size(), 5u);
    EXPECT_EQ(figure.panels[1].series.size(), 1u);
    EXPECT_THAT(figure.panels[0].title, HasSubstr("no step is chosen"));
    EXPECT_THAT(figure.panels[1].series[0].y, ElementsAre(1, 0, 0));
}

/// From step 3 an arc to each step, as high as its weight, between the two; the one on itself is narrow.
TEST(AttentionLens, ArcsReachFromTheStepToWhereItLooks)
{
    ProbeFrame reading = readingOf(3, 3, {1, 0, 0, 0.5f, 0.5f, 0, 0.75f, 0.005f, 0.245f});
    reading.characters = {"a", "b", "c"};
    const FigurePanel arcs = dataOf<AttentionData>(asked(reading, {{"step", std::int64_t{2}}}))->figure().panels.at(0);
    EXPECT_EQ(arcs.id, "arcs");
    EXPECT_FALSE(arcs.x.steps) << "places along an arc are no steps";
    EXPECT_THAT(arcs.x.labels, ElementsAre("a", "b", "c"));
    const FigureSeries& head = arcs.series.at(0);
    ASSERT_EQ(head.x.size(), 25u + 1 + 25) << "two arcs and the gap between them: 0.005 has none";
    EXPECT_EQ(head.x[0], 2);
    EXPECT_NEAR(head.x[24], 0, 1e-12);
    EXPECT_NEAR(head.y[12], 0.75, 1e-12);
    EXPECT_NEAR(head.x[12], 1, 1e-12) << "highest in the middle";
    EXPECT_EQ(head.y[24], 0);
    EXPECT_THAT(head.notes[12], "step 1 (a): weight 0.75");
    EXPECT_TRUE(std::isnan(head.x[25]) && std::isnan(head.y[25]));
    EXPECT_NEAR(head.x[26 + 12], 2, 1e-12);
    EXPECT_NEAR(head.y[26 + 12], 0.245, 1e-6);
}

/// Steps before the reading come first: two of them, and two steps.
TEST(AttentionLens, CarriedStepsComeFirst)
{
    const auto data = dataOf<AttentionData>(asked(readingOf(2, 4, {0.25f, 0.25f, 0.5f, 0, 0, 0.5f, 0, 0.5f})));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->carried, 2);
    EXPECT_NEAR(data->heads.at(0).back.at(0), 0.25 * 2 + 0.25 * 1, 1e-7);
    EXPECT_NEAR(data->heads.at(0).back.at(1), 0.5 * 2, 1e-7);
    const FigurePanel bars = data->figure().panels.at(1);
    EXPECT_FALSE(bars.x.steps) << "positions are not the reading's";
    EXPECT_THAT(bars.x.labels, ElementsAre("-2", "-1", "1", "2"));
}

/// A loop shows each step's window, whose last key is the step itself.
TEST(AttentionLens, KeysThatSlideAlongAreLaidOutByStep)
{
    const std::vector<float> windows{0, 0, 1, 0, 0.75f, 0.25f, 0.5f, 0.25f, 0.25f, 0, 1, 0};
    const auto data = dataOf<AttentionData>(asked(readingOf(4, 3, windows)));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->carried, 0);
    EXPECT_THAT(data->heads.at(0).weights,
                ElementsAre(1, 0, 0, 0, 0.75f, 0.25f, 0, 0, 0.5f, 0.25f, 0.25f, 0, 0, 0, 1, 0));
    const auto square = dataOf<AttentionData>(asked(readingOf(2, 2, {0, 1, 0.5f, 0.5f})));
    ASSERT_NE(square, nullptr);
    EXPECT_THAT(square->heads.at(0).weights, ElementsAre(1, 0, 0.5f, 0.5f)) << "as many keys as steps";
}

TEST(AttentionLens, OneStepSeesItself)
{
    for (const auto& values : {std::vector<float>{1}, {0, 0, 1}}) {
        const auto data = dataOf<AttentionData>(asked(readingOf(1, std::ssize(values), values)));
        ASSERT_NE(data, nullptr);
        EXPECT_EQ(data->keys(), 1) << "empty keys are none";
        EXPECT_THAT(data->heads.at(0).weights, ElementsAre(1));
        EXPECT_EQ(data->heads.at(0).entropy.at(0), 0);
    }
}

TEST(AttentionLens, WhatIsNoNumberIsCounted)
{
    const auto data = dataOf<AttentionData>(asked(readingOf(2, 2, {1, 0, kNotANumber, kNotANumber})));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->missing, 2);
    EXPECT_EQ(data->heads.at(0).entropy.at(0), 0);
    EXPECT_TRUE(std::isnan(data->heads.at(0).entropy.at(1)));
    EXPECT_TRUE(std::isnan(data->figure().panels.at(2).series.at(1).y.at(1)));
    EXPECT_EQ(data->figure().missing, 2);
}

/// The signal of the block: three heads, a window of 8 steps.
TEST(AttentionLens, OfABlockThatLooksEightStepsBack)
{
    Experiment experiment = testing::tinyExperiment();
    experiment.graph = testing::makeGraph(
        {testing::makeNode(1, "text", "text"),
         testing::makeNode(2, "embedding", "embedding", {{"width", std::int64_t{12}}}),
         testing::makeNode(3, "attention", "attention", {{"num_heads", std::int64_t{3}}, {"window", std::int64_t{8}}}),
         testing::makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    const testing::BuiltRun run(experiment);
    for (const std::size_t steps : {std::size_t{1}, std::size_t{40}}) {
        const ProbeText text = makeProbeText(*run.data, "", steps);
        const auto frame = asked(probe(*run.model, text, {{"attention", "weights"}}, 0));
        const auto data = dataOf<AttentionData>(frame);
        ASSERT_NE(data, nullptr) << frame->trouble;
        ASSERT_EQ(data->heads.size(), 3u);
        EXPECT_EQ(data->steps, static_cast<std::int64_t>(steps));
        EXPECT_EQ(data->carried, 0);
        for (const AttentionHead& head : data->heads)
            for (std::int64_t step = 0; step < data->steps; ++step)
                for (std::int64_t key = 0; key < data->steps; ++key)
                    EXPECT_EQ(head.weights[static_cast<std::size_t>(step * data->steps + key)] > 0,
                              key <= step && key > step - 8);
    }
}

TEST(AttentionLens, SayWhyThereIsNone)
{
    EXPECT_THAT(asked(readingOf(1, 1, {1}, SignalKind::Gate))->trouble,
                HasSubstr("is not the weights of an attention"));
    EXPECT_THAT(asked(readingOf(0, 0, {}))->trouble, HasSubstr("has no values"));
    EXPECT_THAT(asked(readingOf(2, 2, {0.2f, 0, 0.1f, 0.1f}))->trouble, HasSubstr("do not add up to 1"));
    EXPECT_THAT(asked(readingOf(1, 2, {kNotANumber, 0}))->trouble, HasSubstr("do not add up"));
    EXPECT_THAT(asked(readingOf(1, 1, {kNotANumber}))->trouble, HasSubstr("none of the 1 weights"));
    const ProbeFrame two = readingOf(2, 4, evenAndFirst(2));
    EXPECT_THAT(asked(two, {{"head", std::int64_t{2}}})->trouble, HasSubstr("there are 2 heads, 0 to 1"));
    EXPECT_THAT(asked(two, {{"step", std::int64_t{2}}})->trouble, HasSubstr("step 3 is not one of them"));
}

} // namespace
} // namespace unroll
