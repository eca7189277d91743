// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unroll {
namespace {

using ::testing::ElementsAre;

TEST(LensHistory, HasARowForEachStep)
{
    LensHistory history;
    history.add(3, {{"auc.a", 0.5}, {"r.b", -1}});
    history.add(7, {{"auc.a", 0.75}, {"auc.c", 1}});
    EXPECT_THAT(history.steps, ElementsAre(3, 7));
    EXPECT_THAT(history.values.at("auc.a"), ElementsAre(0.5, 0.75));
    EXPECT_TRUE(std::isnan(history.values.at("r.b")[1]) && std::isnan(history.values.at("auc.c")[0]));
    const auto curves = curvesOf(history, "auc.");
    ASSERT_EQ(curves.size(), 2u);
    EXPECT_EQ(curves[0].name, "a");
    EXPECT_THAT(curves[0].steps, ElementsAre(3, 7));
    EXPECT_THAT(curves[1].steps, ElementsAre(7)) << "what is not known is left out";
    EXPECT_TRUE(curvesOf(history, "none.").empty());
}

/// A run that went back trains the same steps again.
TEST(LensHistory, AStepThatComesAgainTakesThePlaceOfAllFromThereOn)
{
    LensHistory history;
    for (const std::int64_t step : {1, 2, 5, 9})
        history.add(step, {{"n", static_cast<double>(step)}});
    history.add(4, {{"n", 40}});
    EXPECT_THAT(history.steps, ElementsAre(1, 2, 4));
    EXPECT_THAT(history.values.at("n"), ElementsAre(1, 2, 40));
    history.add(4, {{"n", 41}});
    EXPECT_THAT(history.steps, ElementsAre(1, 2, 4));
    EXPECT_THAT(history.values.at("n"), ElementsAre(1, 2, 41));
}

TEST(LensHistory, ThinningKeepsEverySecondRowAndTheNewest)
{
    LensHistory history;
    for (std::int64_t step = 1; step <= 6; ++step)
        history.add(step, {{"n", static_cast<double>(10 * step)}});
    history.thin();
    EXPECT_THAT(history.steps, ElementsAre(2, 4, 6));
    EXPECT_THAT(history.values.at("n"), ElementsAre(20, 40, 60));
    history.thin();
    EXPECT_THAT(history.steps, ElementsAre(2, 6));
}

} // namespace
} // namespace unroll
