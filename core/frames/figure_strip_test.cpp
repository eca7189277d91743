// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/figure_strip.h"

#include "core/figure/test_sample_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const KeptFrame> kept(std::int64_t step, Figure figure, const std::string& reading = "r")
{
    return std::make_shared<const KeptFrame>(
        KeptFrame{{"state", "lstm", "h", {}}, step, reading, "", std::move(figure)});
}

/// Two units over two steps, in this order of rows.
Figure cellsFigure(std::vector<float> values, std::vector<std::int64_t> units)
{
    FigurePanel panel{.id = "values", .title = "h"};
    panel.cells =
        FigureCells{.name = "h", .rows = 2, .columns = 2, .values = std::move(values), .units = std::move(units)};
    panel.x.steps = true;
    panel.x.title = "step";
    return figureOf(panel);
}

TEST(FigureStrip, CellsStandSideBySideARowAUnit)
{
    const auto strip =
        figureStrip({kept(1, cellsFigure({1, 2, 3, 4}, {5, 9})), kept(20, cellsFigure({30, 40, 10, 20}, {9, 5}))});
    ASSERT_TRUE(strip) << strip.error().text();
    const FigurePanel& panel = strip->panels.at(0);
    EXPECT_EQ(panel.cells->columns, 4);
    EXPECT_EQ(panel.cells->units, (std::vector<std::int64_t>{9, 5})) << "as the newest";
    EXPECT_EQ(panel.cells->values, (std::vector<float>{3, 4, 30, 40, 1, 2, 10, 20}));
    ASSERT_EQ(panel.rules.size(), 2u);
    EXPECT_EQ(panel.rules[0].label, "1");
    EXPECT_EQ(panel.rules[1].label, "20");
    EXPECT_EQ(panel.rules[1].at, 1.5);
    EXPECT_EQ(panel.x.title, "step, 2 columns for each update");
    EXPECT_FALSE(panel.x.steps) << "a column is no step of the reading any more";
    EXPECT_EQ(panel.x.low, -0.5);
    EXPECT_EQ(panel.x.high, 3.5);
    EXPECT_THAT(strip->shows, HasSubstr("2 updates: 1 to 20"));
}

TEST(FigureStrip, EachUpdateHasAxesOfItsOwnWithTheSameEnds)
{
    const auto disc = [](double x, double reach) {
        FigurePanel panel = panelOf(seriesOf(FigureSeries::Kind::Points, {x}, {0.5}, "eigenvalues"));
        panel.x.low = panel.y.low = -reach;
        panel.x.high = panel.y.high = reach;
        panel.square = true;
        panel.circles.push_back({0, 0, 1, "1"});
        return figureOf(panel);
    };
    const auto strip = figureStrip({kept(0, disc(0.1, 1)), kept(5, disc(0.2, 2)), kept(9, disc(0.3, 1.5))});
    ASSERT_TRUE(strip);
    ASSERT_EQ(strip->panels.size(), 3u);
    for (const FigurePanel& panel : strip->panels) {
        EXPECT_EQ(panel.x.low, -2);
        EXPECT_EQ(panel.x.high, 2);
        EXPECT_EQ(panel.y.low, -2);
        EXPECT_EQ(panel.y.high, 2);
        EXPECT_EQ(panel.circles.at(0).x, 0);
        EXPECT_TRUE(panel.square);
        EXPECT_EQ(panel.x.title, strip->panels[0].x.title);
    }
    EXPECT_EQ(strip->panels[1].series.at(0).x, std::vector<double>{0.2}) << "its numbers are its own";
    EXPECT_THAT(strip->panels[1].title, HasSubstr("update 5"));
    EXPECT_EQ(strip->panels[0].id, "p_0");
    EXPECT_EQ(strip->panels[0].circles[0].label, "1");
    EXPECT_EQ(strip->panels[1].circles[0].label, "") << "said once";
}

TEST(FigureStrip, EndsThatNoPanelSaysGoRoundAllValues)
{
    const auto line = [](std::vector<double> x, std::vector<double> y) {
        FigurePanel panel = panelOf(seriesOf(FigureSeries::Kind::Line, std::move(x), std::move(y)));
        panel.x.low = panel.x.high = panel.y.low = panel.y.high = {};
        return figureOf(panel);
    };
    const auto strip = figureStrip({kept(0, line({0, 1}, {5, 6})), kept(5, line({1, 10}, {-4, 0}))});
    ASSERT_TRUE(strip) << strip.error().text();
    ASSERT_EQ(strip->panels.size(), 2u);
    for (const FigurePanel& panel : strip->panels) {
        EXPECT_DOUBLE_EQ(*panel.x.low, -0.4);
        EXPECT_DOUBLE_EQ(*panel.x.high, 10.4);
        EXPECT_DOUBLE_EQ(*panel.y.low, -4.4);
        EXPECT_DOUBLE_EQ(*panel.y.high, 6.4);
    }
    FigurePanel wide = panelOf(seriesOf(FigureSeries::Kind::Line, {1, 100}, {1, 2}));
    wide.x.log = true;
    EXPECT_TRUE(figureStrip({kept(1, figureOf(wide))})) << "an axis of logarithms stands by itself";
}

TEST(FigureStrip, WhatCannotBeComparedIsLeftOutAndTold)
{
    const auto strip =
        figureStrip({kept(1, cellsFigure({1, 2, 3, 4}, {5, 9}), "another"), kept(2, cellsFigure({1, 2, 3, 4}, {5, 8})),
                     kept(3, figureOf(panelOf(seriesOf(FigureSeries::Kind::Line, {0}, {1})))),
                     kept(4, cellsFigure({1, 2, 3, 4}, {5, 9}))});
    ASSERT_TRUE(strip);
    EXPECT_EQ(strip->panels.at(0).cells->columns, 2);
    EXPECT_THAT(strip->findings.at(0), HasSubstr("3 frames of another reading"));
    EXPECT_FALSE(figureStrip({}));
    EXPECT_FALSE(figureStrip({kept(1, Figure{})}));
    EXPECT_FALSE(figureStrip({kept(1, figureOf(panelOf(seriesOf(FigureSeries::Kind::Line, {kNoNumber}, {1}))))}));
}

TEST(FigureStrip, UpdatesAreEvenlySpread)
{
    std::vector<KeptSeries::Frame> frames;
    for (std::int64_t step = 0; step <= 1000; step += 10)
        frames.push_back({step, 1});
    EXPECT_EQ(spreadUpdates(frames, 5), (std::vector<std::int64_t>{0, 250, 500, 750, 1000}));
    EXPECT_EQ(spreadUpdates(frames, 1), std::vector<std::int64_t>{1000});
    EXPECT_EQ(spreadUpdates({{3, 1}, {9, 1}}, 8), (std::vector<std::int64_t>{3, 9}));
    EXPECT_EQ(spreadUpdates({{3, 1}, {4, 1}, {90, 1}}, 3), (std::vector<std::int64_t>{3, 4, 90})) << "all there are";
    EXPECT_TRUE(spreadUpdates({}, 8).empty());
}

} // namespace
} // namespace unroll
