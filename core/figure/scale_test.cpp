// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/cell_colours.h"
#include "core/figure/panel_span.h"
#include "core/figure/scale.h"
#include "core/figure/test_sample_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using Kind = FigureSeries::Kind;
using ::testing::ElementsAre;

std::vector<std::string> labelsOf(const std::vector<AxisTick>& ticks)
{
    std::vector<std::string> labels;
    for (const AxisTick& tick : ticks)
        labels.push_back(tick.label);
    return labels;
}

TEST(Ticks, AreRound)
{
    EXPECT_THAT(labelsOf(axisTicks(0, 1, 5)), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
    EXPECT_THAT(labelsOf(axisTicks(-1.1, 1.1, 4)), ElementsAre("−1", "0", "1"));
    EXPECT_THAT(labelsOf(axisTicks(0.97, 3.2, 4)), ElementsAre("1", "2", "3"));
    EXPECT_THAT(labelsOf(axisTicks(0, 0.0003, 3)), ElementsAre("0", "0.0001", "0.0002", "0.0003"));
    EXPECT_THAT(labelsOf(axisTicks(0, 3e-9, 3)), ElementsAre("0", "10⁻⁹", "2×10⁻⁹", "3×10⁻⁹"));
    EXPECT_THAT(labelsOf(axisTicks(0, 2e7, 2)), ElementsAre("0", "10⁷", "2×10⁷"));
    EXPECT_THAT(labelsOf(axisTicks(0.999998, 1.000002, 2)), ElementsAre("0.999998", "1.000000", "1.000002"));
    EXPECT_THAT(labelsOf(wholeTicks(-0.5, 3.5, 10)), ElementsAre("0", "1", "2", "3"));
    EXPECT_THAT(labelsOf(wholeTicks(-0.5, 511.5, 6)), ElementsAre("0", "100", "200", "300", "400", "500"));
    EXPECT_TRUE(axisTicks(1, 1, 5).empty());
    EXPECT_TRUE(axisTicks(0, kInfinite, 5).empty());
    EXPECT_TRUE(axisTicks(kNoNumber, 1, 5).empty());
}

TEST(Ticks, OfLogarithmsArePowers)
{
    EXPECT_THAT(labelsOf(logAxisTicks(1, 100, 2)), ElementsAre("1", "", "", "10", "", "", "100"));
    EXPECT_THAT(labelsOf(logAxisTicks(1, 10, 4)), ElementsAre("1", "2", "5", "10"));
    EXPECT_THAT(labelsOf(logAxisTicks(1e-8, 1e8, 4)), ElementsAre("10⁻⁸", "10⁻⁴", "1", "10⁴", "10⁸"));
    EXPECT_TRUE(logAxisTicks(0, 10, 4).empty());
}

TEST(Scale, PlacesValues)
{
    const Scale plain{-1, 3, 100, 200, false};
    EXPECT_DOUBLE_EQ(plain.at(-1), 100);
    EXPECT_DOUBLE_EQ(plain.at(1), 150);
    EXPECT_TRUE(plain.holds(3));
    EXPECT_FALSE(plain.holds(3.1));
    EXPECT_FALSE(plain.holds(kNoNumber));
    const Scale log{1, 100, 0, 10, true};
    EXPECT_DOUBLE_EQ(log.at(10), 5);
    EXPECT_TRUE(std::isnan(log.at(0)));
    EXPECT_TRUE(std::isnan(log.at(-3)));
    EXPECT_FALSE(log.holds(0));
}

TEST(PanelSpan, HoldsWhatIsThere)
{
    EXPECT_EQ(xSpan(panelOf(seriesOf(Kind::Line, {2, 5}, {1, 3}))), (Span{2, 5}));
    EXPECT_EQ(ySpan(panelOf(seriesOf(Kind::Line, {2, 5}, {10, 20}))), (Span{10 - 0.6, 20 + 0.6}));
    EXPECT_EQ(ySpan(panelOf(seriesOf(Kind::Line, {2, 5}, {0.1, 20}))).low, 0) << "near zero it begins there";
    EXPECT_EQ(ySpan(panelOf(seriesOf(Kind::Bars, {0, 1}, {2, 4}))).low, 0);
    EXPECT_EQ(xSpan(panelOf(seriesOf(Kind::Bars, {0, 1}, {2, 4}))), (Span{-0.5, 1.5}));
    FigurePanel cells{};
    cells.cells = smallCells();
    EXPECT_EQ(xSpan(cells), (Span{-0.5, 2.5}));
    EXPECT_EQ(ySpan(cells), (Span{-0.5, 1.5}));
    FigurePanel ring{};
    ring.circles = {{0, 0, 1, ""}};
    EXPECT_EQ(xSpan(ring), (Span{-1.08, 1.08}));
}

TEST(PanelSpan, IsNeverEmpty)
{
    EXPECT_EQ(xSpan({}), (Span{0, 1}));
    EXPECT_EQ(ySpan({}), (Span{0, 1}));
    for (const double only : {0.0, 5.0, -3.0, 1e300}) { // one point
        const FigurePanel one = panelOf(seriesOf(Kind::Points, {only}, {only}));
        EXPECT_LT(xSpan(one).low, xSpan(one).high) << only;
        EXPECT_LT(ySpan(one).low, ySpan(one).high) << only;
    }
    const FigurePanel none = panelOf(seriesOf(Kind::Line, {kNoNumber, kInfinite}, {kNoNumber, -kInfinite}));
    EXPECT_EQ(xSpan(none), (Span{0, 1}));
    FigurePanel contrary{};
    contrary.y.low = 5;
    contrary.y.high = 1;
    EXPECT_LT(ySpan(contrary).low, ySpan(contrary).high);
}

TEST(PanelSpan, OfLogarithmsIsPositive)
{
    FigurePanel panel = panelOf(seriesOf(Kind::Line, {0, 1, 10, -2}, {0, -1, 100, 10}));
    panel.x.log = panel.y.log = true;
    EXPECT_EQ(xSpan(panel), (Span{1, 10}));
    EXPECT_GT(ySpan(panel).low, 0);
    EXPECT_EQ(leftOutByLog(panel), 3) << "x = 0 with y = 0, y = -1, x = -2";
    panel.y.low = -1; // cannot be
    EXPECT_GT(ySpan(panel).low, 0);
    FigurePanel nothing{};
    nothing.y.log = true;
    EXPECT_EQ(ySpan(nothing), (Span{1, 10}));
}

TEST(Cells, HaveTheRangeOfTheirScale)
{
    FigureCells cells = smallCells();
    EXPECT_EQ(cellRange(cells).low, -1);
    cells.scale = FigureCells::Scale::Share;
    EXPECT_EQ(cellRange(cells).low, 0);
    EXPECT_TRUE(cellRange(cells).clipped);
    cells.scale = FigureCells::Scale::Signed;
    cells.values.assign(600, 0.5f);
    cells.rows = 200;
    cells.values[5] = -30;
    EXPECT_DOUBLE_EQ(cellRange(cells).high, 0.6) << "one large value leaves the others their colours";
    EXPECT_TRUE(cellRange(cells).clipped);
    cells.values.assign(600, std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(cellRange(cells).high, 1);
}

TEST(Cells, ZeroIsNeutral)
{
    for (const bool dark : {false, true}) {
        const Inks& inks = figureInks(dark);
        const Ink& zero = cellInk({-1, 1, true, false}, inks, 0);
        EXPECT_NEAR(zero.red, zero.blue, 0.05);
        EXPECT_NEAR(zero.red, inks.surface.red, 0.1);
    }
}

TEST(Cells, APixelShowsTheLargestOfItsCellsAndLosesNoNaN)
{
    FigureCells cells{};
    cells.rows = 4;
    cells.columns = 6;
    cells.values.assign(24, 0.1f);
    cells.values[7] = -5;                                       // row 1, column 1
    cells.values[22] = std::numeric_limits<float>::quiet_NaN(); // row 3, column 4
    cells.values[23] = 9;
    const std::vector<float> pixels = pixelValues(cells, 3, 2);
    EXPECT_EQ(pixels[0], -5);
    EXPECT_EQ(pixels[1], 0.1f);
    EXPECT_TRUE(std::isnan(pixels[5]));
    const std::vector<float> large = pixelValues(smallCells(), 9, 4); // three by two pixels a cell
    EXPECT_EQ(large[0], 0.5f);
    EXPECT_EQ(large[9 + 2], 0.5f);
    EXPECT_EQ(large[9 + 3], -0.25f);
    EXPECT_EQ(large[18], 1.0f);
    EXPECT_TRUE(std::isnan(large[18 + 4]));
}

} // namespace
} // namespace unroll
