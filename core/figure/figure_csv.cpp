// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/figure_csv.h"

#include "core/base/utf8.h"
#include "core/format/csv.h"
#include "core/format/number_text.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string_view>

namespace unroll {

namespace {

struct Line {
    std::string_view part;
    std::string_view panel = {}, series = {};
    std::optional<double> x = {}, y = {}, value = {}, low = {}, high = {}, shade = {};
    std::optional<std::int64_t> unit = {};
    std::string_view note = {};
};

template <class Value>
std::optional<Value> at(const std::vector<Value>& values, std::size_t i)
{
    return i < values.size() ? std::optional<Value>(values[i]) : std::nullopt;
}

class Table {
public:
    Table() : m_text("part,panel,series,x,y,value,low,high,shade,unit,note\r\n") {}

    void add(const Line& line)
    {
        m_text += line.part;
        for (const std::string_view word : {line.panel, line.series})
            m_text += "," + format::csvCell(repairedUtf8(word));
        for (const auto& number : {line.x, line.y, line.value, line.low, line.high, line.shade}) {
            m_text += ',';
            if (number)
                format::appendNumber(m_text, *number);
        }
        m_text += ',';
        if (line.unit)
            m_text += std::to_string(*line.unit);
        m_text += "," + format::csvCell(repairedUtf8(line.note)) + "\r\n";
    }

    std::string take() { return std::move(m_text); }

private:
    std::string m_text;
};

void addCells(Table& table, const FigurePanel& panel, const FigureCells& cells)
{
    assert(std::ssize(cells.values) == cells.rows * cells.columns);
    for (std::size_t i = 0; i < cells.values.size(); ++i) {
        const auto columns = static_cast<std::size_t>(cells.columns);
        Line line{.part = "cell", .panel = panel.id, .series = cells.name};
        line.x = static_cast<double>(i % columns);
        line.y = static_cast<double>(i / columns);
        line.value = static_cast<double>(cells.values[i]);
        line.unit = at(cells.units, i / columns);
        table.add(line);
    }
}

void addSeries(Table& table, const FigurePanel& panel, const FigureSeries& series)
{
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
        Line line{.part = "series", .panel = panel.id, .series = series.name};
        line.x = series.x[i];
        line.y = series.y[i];
        line.low = at(series.low, i);
        line.high = at(series.high, i);
        line.shade = at(series.shade, i);
        line.unit = at(series.units, i);
        if (i < series.notes.size())
            line.note = series.notes[i];
        table.add(line);
    }
}

void addLabels(Table& table, const FigurePanel& panel, const FigureAxis& axis, bool isX)
{
    for (std::size_t i = 0; i < axis.labels.size(); ++i) {
        Line line{.part = "label", .panel = panel.id, .series = isX ? "x" : "y"};
        (isX ? line.x : line.y) = static_cast<double>(i);
        line.note = axis.labels[i];
        table.add(line);
    }
}

void addPanel(Table& table, const FigurePanel& panel)
{
    if (panel.cells)
        addCells(table, panel, *panel.cells);
    for (const FigureSeries& series : panel.series)
        addSeries(table, panel, series);
    for (const FigureCircle& circle : panel.circles) {
        Line line{.part = "circle", .panel = panel.id, .x = circle.x, .y = circle.y, .value = circle.radius};
        line.note = circle.label;
        table.add(line);
    }
    for (const FigureRule& rule : panel.rules) {
        Line line{.part = "rule", .panel = panel.id};
        (rule.vertical ? line.x : line.y) = rule.at;
        line.note = rule.label;
        table.add(line);
    }
    addLabels(table, panel, panel.x, true);
    addLabels(table, panel, panel.y, false);
}

void addTable(Table& all, const FigureTable& table)
{
    for (std::size_t row = 0; row < table.rows.size(); ++row)
        for (std::size_t i = 0; i < table.rows[row].cells.size(); ++i) {
            const std::string& cell = table.rows[row].cells[i];
            Line line{.part = "table", .panel = table.id, .y = static_cast<double>(row)};
            line.series = i < table.columns.size() ? table.columns[i] : std::string_view();
            line.value = format::numberFrom(cell);
            line.note = cell;
            all.add(line);
        }
}

void addArray(Table& table, const FigureArray& array)
{
    const auto last = static_cast<std::size_t>(array.shape.empty() ? 1 : std::max<std::int64_t>(array.shape.back(), 1));
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        Line line{.part = "array", .series = array.name};
        line.x = static_cast<double>(i % last);
        line.y = static_cast<double>(i / last);
        line.value = array.values[i];
        table.add(line);
    }
}

} // namespace

std::string figureCsv(const Figure& figure)
{
    Table table;
    table.add({.part = "shows", .note = figure.shows});
    for (const std::string& finding : figure.findings)
        table.add({.part = "finding", .note = finding});
    table.add({.part = "missing", .value = static_cast<double>(figure.missing)});
    for (const FigurePanel& panel : figure.panels)
        addPanel(table, panel);
    for (const FigureTable& each : figure.tables)
        addTable(table, each);
    for (const FigureArray& array : figure.arrays)
        addArray(table, array);
    return table.take();
}

} // namespace unroll
