// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/compared.h"

#include "core/figure/cell_colours.h"
#include "core/figure/side_names.h"
#include "core/figure/test_sample_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

namespace unroll {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = FigureSeries::Kind;

ComparedSide sideWith(FigurePanel panel, const std::string& name)
{
    return {figureOf(std::move(panel)), name};
}

Figure differenceOf(const ComparedSide& first, const ComparedSide& second, bool paired = false)
{
    const auto made = compared(first, second, CompareWay::Difference, paired);
    EXPECT_TRUE(made) << made.error().text();
    return made ? *made : Figure{};
}

Figure besideOf(const ComparedSide& first, const ComparedSide& second)
{
    const auto made = compared(first, second, CompareWay::Beside);
    EXPECT_TRUE(made) << made.error().text();
    return made ? *made : Figure{};
}

std::string reasonFor(const ComparedSide& first, const ComparedSide& second)
{
    const auto made = compared(first, second, CompareWay::Difference);
    return made ? "none" : made.error().text();
}

FigurePanel cellsPanel(std::vector<float> values, std::int64_t rows, std::vector<std::int64_t> units,
                       FigureCells::Scale scale = FigureCells::Scale::Signed)
{
    const auto columns = std::ssize(values) / rows;
    FigurePanel panel{.id = "values", .title = "lstm h"};
    panel.x = {.title = "step", .steps = true, .labels = {"a", "b", "c"}};
    panel.y.title = "unit";
    panel.cells = FigureCells{.name = "lstm.h",
                              .rows = rows,
                              .columns = columns,
                              .values = std::move(values),
                              .scale = scale,
                              .units = std::move(units)};
    for (const std::int64_t unit : panel.cells->units)
        panel.y.labels.push_back(std::to_string(unit));
    return panel;
}

TEST(Compared, CellsAreSubtractedUnitByUnit)
{
    const auto first = sideWith(cellsPanel({1, 2, 3, 10, 20, 30}, 2, {4, 7}), "one");
    const auto second = sideWith(cellsPanel({11, 22, kNoNumber, 1, 2, 3.5f}, 2, {7, 4}), "two"); // in another order
    const Figure figure = differenceOf(first, second);
    ASSERT_EQ(figure.panels.size(), 1u);
    const FigureCells& cells = *figure.panels[0].cells;
    EXPECT_THAT(std::vector<float>(cells.values.begin(), cells.values.begin() + 5), ElementsAre(0, 0, 0.5f, 1, 2));
    EXPECT_TRUE(std::isnan(cells.values[5]));
    EXPECT_THAT(cells.units, ElementsAre(4, 7));
    EXPECT_EQ(cells.scale, FigureCells::Scale::Signed);
    EXPECT_THAT(figure.findings,
                Contains(HasSubstr("at most +2 (step 2 (\"b\"), unit 7). 1 differences are not numbers")));
    EXPECT_THAT(figure.shows, HasSubstr("two less one."));
}

TEST(Compared, PairedRowsGoByTheirPlace)
{
    const auto first = sideWith(cellsPanel({1, 2, 3, 4}, 2, {0, 1}), "one");
    const auto second = sideWith(cellsPanel({1, 2, 3, 5}, 2, {9, 3}), "two");
    EXPECT_THAT(reasonFor(first, second), HasSubstr("the rows are different units"));
    const Figure figure = differenceOf(first, second, true);
    EXPECT_THAT(figure.panels.at(0).cells->values, ElementsAre(0, 0, 0, 1));
    EXPECT_THAT(figure.panels.at(0).y.labels, ElementsAre("0 | 9", "1 | 3"));
}

TEST(Compared, PhasesDifferTheShorterWay)
{
    FigurePanel one = cellsPanel({3, -3, 0}, 1, {0}), other = cellsPanel({-3, 3, 1}, 1, {0});
    one.cells->period = other.cells->period = 2 * std::numbers::pi;
    const Figure figure = differenceOf(sideWith(one, "one"), sideWith(other, "two"));
    const std::vector<float>& values = figure.panels.at(0).cells->values;
    EXPECT_NEAR(values[0], 2 * std::numbers::pi - 6, 1e-6);
    EXPECT_NEAR(values[1], 6 - 2 * std::numbers::pi, 1e-6);
    EXPECT_EQ(values[2], 1);
}

TEST(Compared, EqualSidesSaySo)
{
    const auto side = sideWith(cellsPanel({1, 2, 3}, 1, {0}), "one");
    const Figure figure = differenceOf(side, side);
    EXPECT_THAT(figure.findings, Contains("lstm h: all 3 values are equal."));
    EXPECT_THAT(figure.panels.at(0).cells->values, ElementsAre(0, 0, 0));
}

TEST(Compared, WhatDoesNotFitIsNotSubtracted)
{
    const auto plain = sideWith(cellsPanel({1, 2, 3}, 1, {0}), "one");
    EXPECT_THAT(reasonFor(plain, sideWith(cellsPanel({1, 2, 3, 1, 2, 3}, 2, {0, 1}), "two")),
                HasSubstr("1 rows against 2"));
    EXPECT_THAT(reasonFor(plain, sideWith(cellsPanel({1, 2}, 1, {0}), "two")), HasSubstr("3 columns against 2"));
    FigurePanel elsewhere = cellsPanel({1, 2, 3}, 1, {0});
    elsewhere.x.labels = {"a", "b", "d"};
    EXPECT_THAT(reasonFor(plain, sideWith(elsewhere, "two")), HasSubstr("have different readings"));
    ComparedSide one = plain, other = plain; // the same labels, but other rows of numbers
    one.reading = "r1";
    other.reading = "r2";
    EXPECT_THAT(reasonFor(one, other), HasSubstr("have different readings"));
    EXPECT_THAT(reasonFor(plain, sideWith(panelOf(seriesOf(Kind::Line, {0}, {1})), "two")), HasSubstr("one alone"));
    FigurePanel plane = panelOf(seriesOf(Kind::Points, {0, 1}, {1, 2}));
    plane.square = true;
    EXPECT_THAT(reasonFor(sideWith(plane, "one"), sideWith(plane, "two")), HasSubstr("points in a plane"));
    const auto bars = [](double first) { return panelOf(seriesOf(Kind::Bars, {first, 2}, {1, 2})); };
    EXPECT_THAT(reasonFor(sideWith(bars(0), "one"), sideWith(bars(1), "two")), HasSubstr("different bins"));
}

TEST(Compared, OneReasonLeavesTheOtherPanels)
{
    ComparedSide first = sideWith(cellsPanel({1, 2, 3}, 1, {0}), "one"), second = first;
    second.name = "two";
    FigurePanel more = panelOf(seriesOf(Kind::Line, {0, 1}, {1, 1}));
    first.figure.panels.push_back(more);
    const Figure figure = differenceOf(first, second);
    EXPECT_EQ(figure.panels.size(), 1u);
    EXPECT_THAT(figure.findings, Contains(HasSubstr("n/a: A panel: there is one of one alone")));
}

/// Bars that each side ranks in its own way go together by their labels.
TEST(Compared, LabelledPointsGoByTheirLabels)
{
    const auto ranked = [](std::vector<std::string> labels, std::vector<double> y) {
        FigurePanel panel = panelOf(seriesOf(Kind::Bars, {0, 1, 2}, std::move(y)));
        panel.x.labels = std::move(labels);
        return panel;
    };
    const auto first = sideWith(ranked({"quote", "depth", "name"}, {0.9, 0.8, 0.7}), "one");
    const auto second = sideWith(ranked({"depth", "name", "quote"}, {0.95, 0.7, 0.6}), "two");
    const Figure apart = differenceOf(first, second);
    ASSERT_EQ(apart.panels.at(0).series.size(), 1u);
    EXPECT_THAT(apart.panels[0].series[0].y, ElementsAre(0.6 - 0.9, 0.95 - 0.8, 0.0));
    const Figure beside = besideOf(first, second);
    ASSERT_EQ(beside.panels.size(), 1u);
    EXPECT_EQ(beside.panels[0].series.at(0).name, "one");
    EXPECT_EQ(beside.panels[0].series.at(1).name, "two");
    EXPECT_THAT(beside.panels[0].series[1].x, ElementsAre(1, 2, 0));
}

TEST(Compared, CurvesShareAPanelWhereTheyCan)
{
    FigurePanel one = panelOf(seriesOf(Kind::Line, {0, 1, 2}, {1, 2, 3}, "loss"));
    FigureSeries chance = seriesOf(Kind::Line, {0, 1, 2}, {4, 4, 4}, "chance");
    chance.dim = true;
    one.series.push_back(chance);
    one.y.low = 0;
    FigurePanel other = one;
    other.series[0].y = {5, 6, 7};
    const Figure beside = besideOf(sideWith(one, "one"), sideWith(other, "two"));
    ASSERT_EQ(beside.panels.size(), 1u);
    std::vector<std::string> names;
    for (const FigureSeries& series : beside.panels[0].series)
        names.push_back(series.name);
    EXPECT_THAT(names, ElementsAre("one", "chance", "two")) << "the reference of both stands once";
    EXPECT_EQ(beside.panels[0].y.low, 0);
    const Figure apart = differenceOf(sideWith(one, "one"), sideWith(other, "two"));
    ASSERT_EQ(apart.panels.at(0).series.size(), 1u) << "the reference is the same, and gone";
    EXPECT_THAT(apart.panels[0].series[0].y, ElementsAre(4, 4, 4));
    EXPECT_FALSE(apart.panels[0].y.low.has_value());
    other.series[1].y = {5, 5, 5};
    const Figure both = besideOf(sideWith(one, "one"), sideWith(other, "two"));
    EXPECT_EQ(both.panels.at(0).series.at(1).name, "chance, one");
    EXPECT_EQ(both.panels.at(0).series.at(3).name, "chance, two");
}

TEST(Compared, MatricesStandBesideEachOtherInOneScale)
{
    const auto first = sideWith(cellsPanel({0.1f, 0.2f, -0.1f}, 1, {0}), "one");
    const auto second = sideWith(cellsPanel({5, -3, 1}, 1, {0}), "two");
    const Figure figure = besideOf(first, second);
    ASSERT_EQ(figure.panels.size(), 2u);
    EXPECT_EQ(figure.panels[0].id, "values_first");
    EXPECT_EQ(figure.panels[1].title, "lstm h: two");
    const CellRange one = cellRange(*figure.panels[0].cells), other = cellRange(*figure.panels[1].cells);
    EXPECT_EQ(one.high, other.high);
    EXPECT_GE(one.high, 3);
    EXPECT_THAT(figure.panels[0].cells->values, ElementsAre(0.1f, 0.2f, -0.1f));
}

TEST(Compared, RowsOfBothSidesAreInOneOrder)
{
    const Figure made = besideOf(sideWith(cellsPanel({1, 2, 3, 4, 5, 6}, 3, {2, 0, 1}), "one"),
                                 sideWith(cellsPanel({10, 20, 30, 40, 50, 60}, 3, {0, 1, 2}), "two"));
    ASSERT_EQ(made.panels.size(), 2U);
    EXPECT_THAT(made.panels[1].cells->units, ElementsAre(2, 0, 1));
    EXPECT_THAT(made.panels[1].y.labels, ElementsAre("2", "0", "1"));
    EXPECT_THAT(made.panels[1].cells->values, ElementsAre(50, 60, 10, 20, 30, 40));
    EXPECT_THAT(made.findings, Contains(HasSubstr("in the order of one")));
    const Figure others =
        besideOf(sideWith(cellsPanel({1, 2}, 2, {0, 1}), "one"), sideWith(cellsPanel({3, 4}, 2, {5, 4}), "two"));
    EXPECT_THAT(others.panels[1].cells->units, ElementsAre(5, 4)); // of other units: as they are
}

TEST(Compared, RowsAreInOneOrderWithAnotherNumberOfColumnsToo)
{
    const Figure made = besideOf(sideWith(cellsPanel({1, 2, 3, 4, 5, 6}, 2, {1, 0}), "one"),
                                 sideWith(cellsPanel({10, 20, 30, 40}, 2, {0, 1}), "two"));
    ASSERT_EQ(made.panels.size(), 2U);
    EXPECT_THAT(made.panels[1].cells->units, ElementsAre(1, 0));
    EXPECT_THAT(made.panels[1].cells->values, ElementsAre(30, 40, 10, 20));
}

TEST(Compared, PlanesHaveTheSameEnds)
{
    FigurePanel one = panelOf(seriesOf(Kind::Points, {0, 1}, {0, 1})),
                other = panelOf(seriesOf(Kind::Points, {0, 9}, {0, -4}));
    one.square = other.square = true;
    one.series[0].shade = other.series[0].shade = {0, 1};
    const Figure figure = besideOf(sideWith(one, "one"), sideWith(other, "two"));
    ASSERT_EQ(figure.panels.size(), 2u);
    EXPECT_EQ(figure.panels[0].x.high, figure.panels[1].x.high);
    EXPECT_EQ(figure.panels[0].y.low, figure.panels[1].y.low);
    EXPECT_LE(*figure.panels[0].y.low, -4);
}

TEST(Compared, TablesAndArraysAreOfBoth)
{
    ComparedSide first{fullFigure(), "one"}, second{fullFigure(), "two"};
    second.figure.tables[0].rows[0].cells[1] = "0.5";
    second.figure.findings = {"Another finding."};
    const Figure figure = besideOf(first, second);
    ASSERT_EQ(figure.tables.size(), 2u);
    EXPECT_EQ(figure.tables[0].id, "ranked_first");
    EXPECT_EQ(figure.tables[1].title, "Ranked: two");
    ASSERT_EQ(figure.arrays.size(), 2u);
    EXPECT_EQ(figure.arrays[1].name, "all_second");
    EXPECT_EQ(figure.missing, 8);
    EXPECT_THAT(figure.findings, ElementsAre("one: One finding.", "two: Another finding."));
}

TEST(Compared, OtherDataAreSaid)
{
    ComparedSide first = sideWith(cellsPanel({1, 2, 3}, 1, {0}), "one"), second = first;
    first.source = "a.txt";
    second.source = "b.txt";
    EXPECT_THAT(besideOf(first, second).findings, Contains(HasSubstr("of different data: a.txt")));
}

TEST(Compared, NamesSayWhatTellsTheSidesApart)
{
    using Names = std::pair<std::string, std::string>;
    const SideFacts side{"/runs/fable-1", 2000, "lstm", ""};
    SideFacts other = side;
    EXPECT_EQ(sideNames(side, other).first, sideNames(side, other).second);
    other.run = "/runs/fable-2";
    EXPECT_EQ(sideNames(side, other), Names("fable-1", "fable-2"));
    other.step = 500;
    EXPECT_EQ(sideNames(side, other), Names("fable-1, step 2,000", "fable-2, step 500"));
    EXPECT_EQ(sideNames({"/a/run", 1}, {"/b/run", 1}), Names("/a/run", "/b/run"));
    other = side;
    other.edit = "lstm.h[3] = 0";
    EXPECT_EQ(sideNames(side, other), Names("untouched", "with lstm.h[3] = 0"));
    other = side;
    other.node = "gru";
    EXPECT_EQ(sideNames(side, other), Names("lstm", "gru"));
}

} // namespace
} // namespace unroll
