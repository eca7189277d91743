// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/unit_stats/unit_stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kStatsNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kStatsInf = std::numeric_limits<float>::infinity();

SignalFrame signalWith(std::int64_t steps, std::int64_t width, std::vector<float> values,
                       SignalKind look = SignalKind::Signed)
{
    return {"lstm", "h", look, steps, width, std::move(values)};
}

/// What the lens answers about the frame, the units in this order; empty: as it is.
std::shared_ptr<const LensFrame> asked(const SignalFrame& frame, const std::string& order = {})
{
    LensQuery query{"unit_stats", "lstm", "h", {}};
    if (!order.empty())
        query.settings["order"] = order;
    const ProbeFrame look{.step = 3, .characters = {}, .signalFrames = {frame}};
    return frameOf({look}, query);
}

std::vector<std::int64_t> unitsIn(const SignalFrame& frame, const std::string& order)
{
    std::vector<std::int64_t> units;
    const auto stats = dataOf<UnitStatsData>(asked(frame, order));
    for (const UnitStats& each : stats->units)
        units.push_back(each.unit);
    return units;
}

TEST(UnitStats, AreThoseOfPlainLoops)
{
    std::mt19937 random(11);
    std::normal_distribution<float> draw(100, 0.01f); // a small deviation about a large mean
    for (const auto& [steps, width] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {7, 5}, {96, 3}, {40, 24}}) {
        std::vector<float> values(static_cast<std::size_t>(steps * width));
        for (float& value : values)
            value = draw(random);
        const std::vector<UnitStats> units = unitStats(signalWith(steps, width, values));
        ASSERT_EQ(std::ssize(units), width);
        for (std::int64_t unit = 0; unit < width; ++unit) {
            double sum = 0, squares = 0;
            for (std::int64_t t = 0; t < steps; ++t)
                sum += static_cast<double>(values[static_cast<std::size_t>(t * width + unit)]);
            const double mean = sum / static_cast<double>(steps);
            for (std::int64_t t = 0; t < steps; ++t)
                squares += std::pow(static_cast<double>(values[static_cast<std::size_t>(t * width + unit)]) - mean, 2);
            const UnitStats& found = units[static_cast<std::size_t>(unit)];
            EXPECT_EQ(found.unit, unit);
            EXPECT_EQ(found.count, steps);
            EXPECT_NEAR(found.mean, mean, 1e-10);
            EXPECT_NEAR(found.deviation, std::sqrt(squares / static_cast<double>(steps)), 1e-10);
        }
    }
}

TEST(UnitStats, KnownAnswer)
{
    // Units 1 2 3 4 and 5 5 5 5 over four steps.
    const auto frame = asked(signalWith(4, 2, {1, 5, 2, 5, 3, 5, 4, 5}));
    EXPECT_EQ(frame->step, 3);
    const auto stats = dataOf<UnitStatsData>(frame);
    ASSERT_NE(stats, nullptr) << frame->trouble;
    EXPECT_EQ(stats->steps, 4);
    EXPECT_EQ(stats->missing, 0);
    ASSERT_EQ(stats->units.size(), 2u);
    EXPECT_DOUBLE_EQ(stats->units[0].mean, 2.5);
    EXPECT_DOUBLE_EQ(stats->units[0].deviation, std::sqrt(1.25));
    EXPECT_DOUBLE_EQ(stats->units[1].mean, 5);
    EXPECT_DOUBLE_EQ(stats->units[1].deviation, 0);
}

TEST(UnitStats, WhatIsNoNumberIsCountedAndLeftOut)
{
    const auto stats = dataOf<UnitStatsData>(
        asked(signalWith(3, 3, {1, kStatsNaN, kStatsNaN, 3, 7, kStatsInf, kStatsInf, -1, -kStatsInf})));
    ASSERT_NE(stats, nullptr);
    EXPECT_EQ(stats->missing, 5);
    EXPECT_EQ(stats->units[0].count, 2);
    EXPECT_DOUBLE_EQ(stats->units[0].mean, 2);
    EXPECT_DOUBLE_EQ(stats->units[0].deviation, 1);
    EXPECT_EQ(stats->units[1].count, 2);
    EXPECT_DOUBLE_EQ(stats->units[1].mean, 3);
    EXPECT_DOUBLE_EQ(stats->units[1].deviation, 4);
    EXPECT_EQ(stats->units[2].count, 0);
    EXPECT_TRUE(std::isnan(stats->units[2].mean));
    EXPECT_TRUE(std::isnan(stats->units[2].deviation));
}

TEST(UnitStats, GoByIndexMeanOrDeviation)
{
    // Means 1, none, 3, 3; deviations 2, none, 0, 1.
    const SignalFrame frame = signalWith(2, 4, {-1, kStatsNaN, 3, 2, 3, kStatsNaN, 3, 4});
    EXPECT_THAT(unitsIn(frame, ""), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(unitsIn(frame, "index"), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(unitsIn(frame, "mean"), ElementsAre(2, 3, 0, 1)) << "equal ones by their index, none last";
    EXPECT_THAT(unitsIn(frame, "deviation"), ElementsAre(0, 3, 2, 1));
}

TEST(UnitStats, AComplexSignalIsReadByItsModuli)
{
    const auto stats =
        dataOf<UnitStatsData>(asked(signalWith(2, 4, {3, 4, 0, 1, 0, 5, kStatsNaN, 1}, SignalKind::Complex)));
    ASSERT_NE(stats, nullptr);
    EXPECT_TRUE(stats->moduli);
    ASSERT_EQ(stats->units.size(), 2u);
    EXPECT_DOUBLE_EQ(stats->units[0].mean, 5);
    EXPECT_DOUBLE_EQ(stats->units[0].deviation, 0);
    EXPECT_EQ(stats->units[1].count, 1);
    EXPECT_DOUBLE_EQ(stats->units[1].mean, 1);
    EXPECT_EQ(stats->missing, 1);
}

TEST(UnitStats, SayWhyThereAreNone)
{
    EXPECT_THAT(asked(signalWith(0, 4, {}))->trouble, HasSubstr("has no values"));
    EXPECT_THAT(asked(signalWith(2, 0, {}))->trouble, HasSubstr("has no values"));
    EXPECT_THAT(asked(signalWith(1, 1, {1}), "size")->trouble, HasSubstr("order"));
}

} // namespace
} // namespace unroll
