// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Figures that tests write and draw.

#include "core/lens/figure.h"

#include <cmath>
#include <limits>

namespace unroll {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

inline FigureSeries seriesOf(FigureSeries::Kind kind, std::vector<double> x, std::vector<double> y,
                             std::string name = "values")
{
    FigureSeries series{};
    series.name = std::move(name);
    series.kind = kind;
    series.x = std::move(x);
    series.y = std::move(y);
    return series;
}

inline FigurePanel panelOf(FigureSeries series)
{
    FigurePanel panel{};
    panel.id = "p";
    panel.title = "A panel";
    panel.series.push_back(std::move(series));
    return panel;
}

inline Figure figureOf(FigurePanel panel)
{
    Figure figure{};
    figure.shows = "What it shows.";
    figure.panels.push_back(std::move(panel));
    return figure;
}

/// Two rows of three cells, one of them no number.
inline FigureCells smallCells()
{
    FigureCells cells{};
    cells.name = "lstm.h";
    cells.rows = 2;
    cells.columns = 3;
    cells.values = {0.5f, -0.25f, 0.0f, 1.0f, std::numeric_limits<float>::quiet_NaN(), -1.0f};
    cells.scale = FigureCells::Scale::Bounded;
    cells.units = {7, 4};
    return cells;
}

/// One of everything.
inline Figure fullFigure()
{
    FigureSeries line = seriesOf(FigureSeries::Kind::Line, {0, 1, 2}, {1.5, kNoNumber, -kInfinite}, "loss");
    line.low = {1, 2, 3};
    line.high = {2, 3, 4};
    line.units = {5, 6, 7};
    line.shade = {0, 0.5, 1};
    line.notes = {"first", "", "a \"quoted\", one"};
    FigurePanel panel = panelOf(std::move(line));
    panel.x = {};
    panel.x.title = "step";
    panel.x.steps = true;
    panel.x.labels = {"a", "ä", "\n"};
    panel.cells = smallCells();
    panel.circles.push_back({0, 1, 2, "ring"});
    panel.rules.push_back({true, 1, "here"});
    panel.rules.push_back({false, 0.1, ""});
    Figure figure = figureOf(std::move(panel));
    figure.findings = {"One finding."};
    FigureTable table{};
    table.id = "ranked";
    table.title = "Ranked";
    table.columns = {"unit", "AUC"};
    FigureTable::Row row{};
    row.cells = {"lstm h 3", "0.99"};
    row.node = "lstm";
    row.signal = "h";
    row.units = {3};
    row.step = 12;
    table.rows.push_back(std::move(row));
    figure.tables.push_back(std::move(table));
    figure.arrays.push_back({"all", {2, 2, 1}, {1, 2, 3, kNoNumber}});
    figure.missing = 4;
    return figure;
}

} // namespace unroll
