// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_picture.h"

#include <fmt/format.h>

namespace unroll {

namespace {

std::string quoted(const std::string& text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string all = "\"";
    for (const char letter : text)
        all += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return all + '"';
}

std::string at(const std::vector<double>& values, std::size_t i)
{
    return i < values.size() ? fmt::format("{}", values[i]) : std::string();
}

void addSeries(std::string& csv, const FigurePanel& panel)
{
    for (const FigureSeries& series : panel.series)
        for (std::size_t i = 0; i < series.x.size(); ++i)
            csv += fmt::format("{},{},{},{},{},{},{}\n", quoted(panel.id), quoted(series.name), series.x[i],
                               at(series.y, i), at(series.low, i), at(series.high, i),
                               i < series.units.size() ? std::to_string(series.units[i]) : std::string());
}

void addCells(std::string& csv, const FigurePanel& panel)
{
    const FigureCells& cells = *panel.cells;
    csv += fmt::format("\npanel,cells,row,column,value,unit\n");
    for (std::int64_t row = 0; row < cells.rows; ++row)
        for (std::int64_t column = 0; column < cells.columns; ++column)
            csv += fmt::format("{},{},{},{},{},{}\n", quoted(panel.id), quoted(cells.name), row, column,
                               cells.values[static_cast<std::size_t>(row * cells.columns + column)],
                               static_cast<std::size_t>(row) < cells.units.size()
                                   ? std::to_string(cells.units[static_cast<std::size_t>(row)])
                                   : std::string());
}

void addTable(std::string& csv, const FigureTable& table)
{
    const auto line = [&](const std::vector<std::string>& cells) {
        csv += quoted(table.id);
        for (const std::string& cell : cells)
            csv += ',' + quoted(cell);
        csv += '\n';
    };
    csv += '\n';
    line(table.columns);
    for (const FigureTable::Row& row : table.rows)
        line(row.cells);
}

} // namespace

std::string csvOf(const Figure& figure)
{
    std::string csv = "panel,series,x,y,low,high,unit\n";
    for (const FigurePanel& panel : figure.panels)
        addSeries(csv, panel);
    for (const FigurePanel& panel : figure.panels)
        if (panel.cells)
            addCells(csv, panel);
    for (const FigureTable& table : figure.tables)
        addTable(csv, table);
    if (!figure.arrays.empty())
        csv += "\narray,index,value\n";
    for (const FigureArray& array : figure.arrays)
        for (std::size_t i = 0; i < array.values.size(); ++i)
            csv += fmt::format("{},{},{}\n", quoted(array.name), i, array.values[i]);
    return csv;
}

} // namespace unroll
