// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/gates/gates.h"

#include "core/lens/probe.h"
#include "tests/support/model_over_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

namespace unroll {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kGateNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kGateInf = std::numeric_limits<float>::infinity();

std::shared_ptr<const LensFrame> asked(std::int64_t steps, std::int64_t width, std::vector<float> values,
                                       SignalKind look = SignalKind::Gate)
{
    const ProbeFrame reading{
        .step = 3, .characters = {}, .signalFrames = {{"lstm", "f", look, steps, width, std::move(values)}}};
    return frameOf({reading}, {"gates", "lstm", "f", {}});
}

TEST(Gates, KnownAnswer)
{
    // Unit 0: 0, 0.05, 1, 0.5; unit 1: 0.95, 0.95, 0.95, 0.95; unit 2: 0.1 and 0.9 themselves are neither.
    const auto frame = asked(4, 3, {0, 0.95f, 0.5f, 0.05f, 0.95f, 0.1f, 1, 0.95f, 0.9f, 0.5f, 0.95f, 0.25f});
    const auto data = dataOf<GatesData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    EXPECT_THAT(data->units, ElementsAre(GateUnit{0, 4, 2, 1}, GateUnit{1, 4, 0, 4}, GateUnit{2, 4, 0, 0}));
    const Figure figure = data->figure();
    const FigureSeries& points = figure.panels.at(0).series.at(1);
    EXPECT_THAT(points.x, ElementsAre(0.5, 0, 0));
    EXPECT_THAT(points.y, ElementsAre(0.25, 1, 0));
    EXPECT_THAT(points.units, ElementsAre(0, 1, 2));
    EXPECT_THAT(figure.findings.at(0),
                HasSubstr("58.3 % of 12 values are saturated: 16.7 % closed (below 0.1), 41.7 % open"));
    EXPECT_THAT(figure.findings.at(1), HasSubstr("1 of 3 units"));
    EXPECT_THAT(figure.findings.at(2), HasSubstr("Unit 0 is closed most often: at 50.0 %"));
    EXPECT_THAT(figure.findings.at(3), HasSubstr("Unit 1 is open most often: at 100.0 %"));
    EXPECT_THAT(figure.arrays.at(0).values, ElementsAre(4, 2, 1, 4, 0, 4, 4, 0, 0));
}

/// Bins are b/20 .. (b+1)/20, 1 is in the last one.
TEST(Gates, TheHistogramCountsEveryValueOnce)
{
    const auto data = dataOf<GatesData>(asked(8, 1, {0, 0.04f, 0.0625f, 0.5f, 0.25f, 0.99f, 1, 0.75f}));
    ASSERT_NE(data, nullptr);
    std::array<std::int64_t, GatesData::kBins> expected{};
    expected[0] = 2;
    expected[1] = expected[5] = expected[10] = expected[15] = 1;
    expected[19] = 2;
    EXPECT_EQ(data->histogram, expected);
    const FigureSeries& bars = data->figure().panels.at(1).series.at(0);
    EXPECT_EQ(bars.y.at(19), 2);
    EXPECT_DOUBLE_EQ(bars.x.at(19), 0.975);
}

/// A row a unit: shares of its own values.
TEST(Gates, EachUnitHasAHistogram)
{
    const auto data = dataOf<GatesData>(asked(4, 2, {0, 0.5f, 0.04f, 0.5f, 1, kGateNaN, 0.99f, 0.25f}));
    ASSERT_NE(data, nullptr);
    const FigurePanel panel = data->figure().panels.at(2);
    ASSERT_TRUE(panel.cells);
    EXPECT_EQ(panel.id, "histogram_by_unit");
    ASSERT_EQ(panel.cells->rows, 2);
    ASSERT_EQ(panel.cells->columns, 20);
    EXPECT_FLOAT_EQ(panel.cells->values.at(0), 0.5f);
    EXPECT_FLOAT_EQ(panel.cells->values.at(19), 0.5f);
    EXPECT_FLOAT_EQ(panel.cells->values.at(20 + 10), 2.f / 3);
    EXPECT_FLOAT_EQ(panel.cells->values.at(20 + 5), 1.f / 3);
    for (std::size_t row = 0; row < 2; ++row)
        EXPECT_FLOAT_EQ(std::accumulate(panel.cells->values.begin() + static_cast<std::ptrdiff_t>(20 * row),
                                        panel.cells->values.begin() + static_cast<std::ptrdiff_t>(20 * row + 20), 0.f),
                        1);
}

TEST(Gates, CountsAreThoseOfPlainLoops)
{
    std::mt19937 random(5);
    std::uniform_real_distribution<float> draw(0, 1);
    for (const auto& [steps, width] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 7}, {97, 5}}) {
        std::vector<float> values(static_cast<std::size_t>(steps * width));
        for (float& value : values)
            value = draw(random);
        const auto data = dataOf<GatesData>(asked(steps, width, values));
        ASSERT_NE(data, nullptr);
        std::int64_t all = 0;
        for (std::int64_t unit = 0; unit < width; ++unit) {
            std::int64_t closed = 0, open = 0;
            for (std::int64_t t = 0; t < steps; ++t) {
                const double value = static_cast<double>(values[static_cast<std::size_t>(t * width + unit)]);
                closed += value < 0.1;
                open += value > 0.9;
            }
            EXPECT_EQ(data->units[static_cast<std::size_t>(unit)], (GateUnit{unit, steps, closed, open}));
        }
        for (const std::int64_t count : data->histogram)
            all += count;
        EXPECT_EQ(all, steps * width);
    }
}

TEST(Gates, WhatIsNoNumberIsCountedAndLeftOut)
{
    const auto data = dataOf<GatesData>(asked(3, 2, {kGateNaN, 0.95f, kGateInf, -0.5f, kGateNaN, 1.5f}));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->missing, 3);
    EXPECT_EQ(data->outside, 2);
    EXPECT_THAT(data->units, ElementsAre(GateUnit{0, 0, 0, 0}, GateUnit{1, 1, 0, 1}));
    const Figure figure = data->figure();
    EXPECT_EQ(figure.missing, 3);
    EXPECT_TRUE(std::isnan(figure.panels.at(0).series.at(1).x.at(0))) << "a unit without values is no point";
    EXPECT_THAT(figure.findings.at(2), HasSubstr("No unit is ever closed"));
    EXPECT_THAT(figure.findings.at(3), HasSubstr("Unit 1"));
    EXPECT_THAT(figure.findings.back(), HasSubstr("2 values are not within"));
}

TEST(Gates, SayWhyThereAreNone)
{
    EXPECT_THAT(asked(0, 4, {})->trouble, HasSubstr("has no values"));
    EXPECT_THAT(asked(2, 0, {})->trouble, HasSubstr("has no values"));
    EXPECT_THAT(asked(1, 1, {0.5f}, SignalKind::Bounded)->trouble, HasSubstr("is not a gate"));
    EXPECT_THAT(asked(1, 2, {kGateNaN, 7})->trouble, HasSubstr("none of the 2 values"));
}

/// All of these are open: the steps tell them apart.
TEST(Gates, AGateThatKeepsIsToldInSteps)
{
    GatesData data = gateCounts({"gla", "a", SignalKind::Gate, 2, 3, {0.95f, 0.98f, 1, 0.95f, 1, 1}});
    EXPECT_THAT(data.means, ElementsAre(::testing::DoubleNear(0.95, 1e-6), ::testing::DoubleNear(0.99, 1e-6), 1));
    for (const std::string& finding : data.figure().findings)
        EXPECT_THAT(finding, ::testing::Not(HasSubstr("steps, "))) << "not of a gate that keeps no state";
    data.keeps = true;
    EXPECT_THAT(data.figure().findings.at(4), HasSubstr("is 0.950 to 1.000, 0.990 in the middle: 1 / (1 - mean) is 20 "
                                                        "to ∞ steps, 100 in the middle."));
    const auto model = testing::modelOverClasses("lstm", 5);
    const ProbeText text = testing::someClasses(9);
    for (const std::string signal : {"f", "i"}) {
        const ProbeFrame reading = probe(*model, text, {{"lstm", signal}}, 0);
        const auto shown =
            dataOf<GatesData>(frameOf({reading, model.get(), nullptr, &text, {}}, {"gates", "lstm", signal, {}}));
        ASSERT_NE(shown, nullptr);
        EXPECT_EQ(shown->keeps, signal == "f");
    }
}

/// What the stabiliser scales is near 1 where the stabiliser follows it, however open the gate is.
TEST(Gates, OfScaledOnesTheScaleIsSaid)
{
    const ProbeText text = testing::someClasses(9);
    for (const std::string block : {"mlstm", "slstm"}) {
        const auto model = testing::modelOverClasses(block, 8, {{"num_heads", std::int64_t{2}}});
        for (const std::string signal : {"f", "i", "o"}) {
            SCOPED_TRACE(block + " " + signal);
            const ProbeFrame reading = probe(*model, text, {{block, signal}}, 0);
            const auto shown =
                dataOf<GatesData>(frameOf({reading, model.get(), nullptr, &text, {}}, {"gates", block, signal, {}}));
            ASSERT_NE(shown, nullptr);
            const std::vector<std::string> findings = shown->figure().findings;
            EXPECT_EQ(shown->scale, signal == "o" ? "" : "m");
            EXPECT_THAT(findings, ::testing::Not(Contains(HasSubstr("1 / (1 - mean)"))));
            if (signal == "f")
                EXPECT_THAT(findings, Contains(HasSubstr("scaled by exp(m_(t-1) - m_t)")));
            else if (signal == "i")
                EXPECT_THAT(findings, Contains(HasSubstr("scaled by exp(-m_t), and 1 where m follows it: open and "
                                                         "closed are said of the scaled value")));
            else
                EXPECT_THAT(findings, ::testing::Not(Contains(HasSubstr("scaled"))));
        }
    }
}

/// Within 0 to 1 it is a gate; with negative eigenvalues it reaches 2.
TEST(Gates, TheStrengthOfTheDeltaRuleIsOneByItsParameters)
{
    for (const std::string block : {"delta_net", "gated_delta_net", "delta_product"})
        for (const bool negative : {false, true}) {
            const auto model = testing::modelOverClasses(
                block, 6, {{"num_heads", std::int64_t{2}}, {"negative_eigenvalues", negative}});
            const ProbeFrame reading = probe(*model, testing::someClasses(9), {{block, "beta"}}, 0);
            const auto frame = frameOf({reading}, {"gates", block, "beta", {}});
            if (negative)
                EXPECT_THAT(frame->trouble, HasSubstr("is not a gate"));
            else
                EXPECT_EQ(frame->trouble, "") << block;
        }
}

} // namespace
} // namespace unroll
