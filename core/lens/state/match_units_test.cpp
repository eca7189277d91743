// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/match_units.h"

#include "core/lens/state/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace unroll {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

HeatCells drawnCells(std::int64_t steps, std::int64_t width, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> draw;
    HeatCells cells{steps, width, {}, 0, 0};
    for (std::int64_t i = 0; i < steps * width; ++i)
        cells.values.push_back(draw(random));
    return cells;
}

/// The cells with unit order[u] at u, each times scale[u] plus shift.
HeatCells shuffled(const HeatCells& cells, const std::vector<std::int64_t>& order, const std::vector<float>& scale)
{
    HeatCells made = cells;
    for (std::int64_t t = 0; t < cells.steps; ++t)
        for (std::int64_t u = 0; u < cells.width; ++u)
            made.values[static_cast<std::size_t>(t * cells.width + u)] =
                scale[static_cast<std::size_t>(u)] * cells.at(t, order[static_cast<std::size_t>(u)]) + 0.25f;
    return made;
}

std::shared_ptr<StateData> stateWith(const HeatCells& cells, SignalKind kind = SignalKind::Signed)
{
    auto data = std::make_shared<StateData>();
    data->look.signalFrames = {{"lstm", "h", kind, cells.steps, cells.width, cells.values}};
    return data;
}

TEST(MatchUnits, FindUnitsThatWereShuffledScaledAndTurned)
{
    const HeatCells cells = drawnCells(60, 12, 1);
    std::vector<std::int64_t> order(12);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(2));
    std::vector<float> scale(12, 3);
    scale[5] = -2;
    const auto pairs = matchUnits(cells, shuffled(cells, order, scale));
    ASSERT_TRUE(pairs);
    ASSERT_EQ(pairs->size(), 12u);
    for (const UnitPair& pair : *pairs) {
        EXPECT_EQ(order[static_cast<std::size_t>(pair.second)], pair.first);
        EXPECT_NEAR(pair.r, pair.second == 5 ? -1 : 1, 1e-6);
    }
    EXPECT_NEAR(medianSize(*pairs), 1, 1e-6);
    EXPECT_LT(chanceSize(cells, cells), 0.5) << "moved by half, nothing goes together but by chance";
}

/// r by its definition.
TEST(MatchUnits, CorrelationsAreThoseOfTheFormula)
{
    const HeatCells one = drawnCells(9, 1, 3), other = drawnCells(9, 1, 4);
    double a = 0, b = 0, ab = 0, aa = 0, bb = 0;
    for (int t = 0; t < 9; ++t) {
        a += static_cast<double>(one.at(t, 0)) / 9;
        b += static_cast<double>(other.at(t, 0)) / 9;
    }
    for (int t = 0; t < 9; ++t) {
        const double x = static_cast<double>(one.at(t, 0)) - a, y = static_cast<double>(other.at(t, 0)) - b;
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    EXPECT_NEAR(matchUnits(one, other)->at(0).r, ab / std::sqrt(aa * bb), 1e-12);
}

TEST(MatchUnits, UnitsThatDoNotChangeHaveNoCorrelation)
{
    HeatCells one = drawnCells(8, 3, 5), other = one;
    for (std::int64_t t = 0; t < 8; ++t)
        one.values[static_cast<std::size_t>(t * 3 + 1)] = 0.3f;
    other.values[2] = std::numeric_limits<float>::quiet_NaN(); // unit 2 of the other
    const auto pairs = matchUnits(one, other);
    ASSERT_TRUE(pairs);
    EXPECT_EQ(pairs->at(0).second, 0);
    EXPECT_NEAR(pairs->at(0).r, 1, 1e-6);
    EXPECT_EQ(std::count_if(pairs->begin(), pairs->end(), [](const UnitPair& pair) { return std::isnan(pair.r); }), 1)
        << "the third may go with what the second left";
}

TEST(MatchUnits, WhatHasNoUnitsOrOtherStepsIsRefused)
{
    const HeatCells cells = drawnCells(8, 4, 6);
    EXPECT_THAT(matchUnits(cells, drawnCells(9, 4, 6)).error().message, HasSubstr("8 and 9 steps"));
    HeatCells attention = cells;
    attention.heads = 1;
    EXPECT_THAT(matchUnits(attention, attention).error().message, HasSubstr("not units"));
    EXPECT_FALSE(matchUnits(drawnCells(2, 4, 6), drawnCells(2, 4, 7)));
}

/// A shuffled copy with a unit turned over, matched, differs from itself nowhere.
TEST(MatchUnits, AMatchedStateIsDrawnUnitBesideUnit)
{
    const HeatCells cells = drawnCells(40, 6, 8);
    std::vector<float> scale(6, 1);
    scale[2] = -1;
    HeatCells other = shuffled(cells, {3, 1, 0, 5, 4, 2}, scale);
    for (float& value : other.values)
        value -= 0.25f;
    const auto matched = stateWith(cells)->matched(*stateWith(other));
    ASSERT_TRUE(matched) << matched.error().text();
    const FigureCells &one = *matched->first.panels.at(0).cells, &two = *matched->second.panels.at(0).cells;
    ASSERT_EQ(one.values.size(), two.values.size());
    for (std::size_t i = 0; i < one.values.size(); ++i)
        EXPECT_NEAR(one.values[i], two.values[i], 1e-6) << i;
    EXPECT_THAT(matched->findings, Contains(HasSubstr("6 of 6 pairs reach 0.9")));
    EXPECT_THAT(matched->findings, Contains(HasSubstr("1 units of the second side are anticorrelated with their")));
    EXPECT_EQ(matched->pairs.rows.size(), 6u);
    const auto gates = stateWith(cells, SignalKind::Gate)->matched(*stateWith(other, SignalKind::Gate));
    ASSERT_TRUE(gates);
    EXPECT_THAT(gates->findings, Contains(HasSubstr("have no sign to flip")));
}

TEST(MatchUnits, SidesMayHaveOtherNumbersOfUnits)
{
    const HeatCells cells = drawnCells(30, 5, 9);
    HeatCells fewer{30, 2, {}, 0, 0};
    for (std::int64_t t = 0; t < 30; ++t)
        for (const std::int64_t unit : {4, 1})
            fewer.values.push_back(cells.at(t, unit));
    const auto matched = stateWith(cells)->matched(*stateWith(fewer));
    ASSERT_TRUE(matched);
    EXPECT_EQ(matched->first.panels.at(0).cells->units, (std::vector<std::int64_t>{1, 4}));
    EXPECT_EQ(matched->second.panels.at(0).cells->units, (std::vector<std::int64_t>{1, 0}));
    EXPECT_EQ(matched->first.panels.at(0).cells->rows, 2);
}

} // namespace
} // namespace unroll
