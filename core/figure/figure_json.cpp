// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/figure_json.h"
#include "core/graph/graph_text.h"

#include <cassert>
#include <cmath>
#include <iterator>
#include <string_view>

namespace unroll {

namespace {

Json numberOrNull(double value)
{
    return std::isfinite(value) ? Json(value) : Json();
}

Json jsonOf(double value)
{
    return numberOrNull(value);
}

Json jsonOf(std::int64_t value)
{
    return Json(value);
}

Json jsonOf(const std::string& text)
{
    return Json(text);
}

template <class Value>
Json listOf(const std::vector<Value>& values)
{
    JsonArray list;
    list.reserve(values.size());
    for (const Value& value : values)
        list.push_back(jsonOf(value));
    return list;
}

template <class Value>
void addSome(Json& object, const char* name, const std::vector<Value>& values)
{
    if (!values.empty())
        object.add(name, listOf(values));
}

void addSome(Json& object, const char* name, const std::string& text)
{
    if (!text.empty())
        object.add(name, text);
}

Json axisJson(const FigureAxis& axis)
{
    Json json{JsonObject{}};
    json.add("title", axis.title);
    if (axis.low)
        json.add("low", numberOrNull(*axis.low));
    if (axis.high)
        json.add("high", numberOrNull(*axis.high));
    if (axis.log)
        json.add("log", true);
    if (axis.steps)
        json.add("steps", true);
    addSome(json, "labels", axis.labels);
    return json;
}

const char* scaleWord(FigureCells::Scale scale)
{
    switch (scale) {
    case FigureCells::Scale::Signed: return "signed";
    case FigureCells::Scale::Bounded: return "bounded";
    case FigureCells::Scale::Share: return "share";
    case FigureCells::Scale::Positive: break;
    }
    return "positive";
}

Json cellsJson(const FigureCells& cells)
{
    assert(std::ssize(cells.values) == cells.rows * cells.columns);
    Json json{JsonObject{}}, rows{JsonArray{}};
    json.add("name", cells.name);
    json.add("rows", cells.rows);
    json.add("columns", cells.columns);
    json.add("scale", scaleWord(cells.scale));
    if (cells.reach > 0)
        json.add("reach", cells.reach);
    if (cells.period > 0)
        json.add("period", cells.period);
    addSome(json, "units", cells.units);
    for (std::int64_t row = 0; row < cells.rows; ++row) {
        const auto from = cells.values.begin() + row * cells.columns;
        rows.push(listOf(std::vector<double>(from, from + cells.columns)));
    }
    json.add("values", std::move(rows));
    return json;
}

const char* kindWord(FigureSeries::Kind kind)
{
    switch (kind) {
    case FigureSeries::Kind::Line: return "line";
    case FigureSeries::Kind::Points: return "points";
    case FigureSeries::Kind::Bars: break;
    }
    return "bars";
}

Json seriesJson(const FigureSeries& series)
{
    Json json{JsonObject{}};
    json.add("name", series.name);
    json.add("kind", kindWord(series.kind));
    json.add("x", listOf(series.x));
    json.add("y", listOf(series.y));
    addSome(json, "low", series.low);
    addSome(json, "high", series.high);
    addSome(json, "units", series.units);
    addSome(json, "shade", series.shade);
    addSome(json, "notes", series.notes);
    if (series.dim)
        json.add("dim", true);
    return json;
}

Json circleJson(const FigureCircle& circle)
{
    Json json{JsonObject{}};
    json.add("x", numberOrNull(circle.x));
    json.add("y", numberOrNull(circle.y));
    json.add("radius", numberOrNull(circle.radius));
    addSome(json, "label", circle.label);
    return json;
}

Json ruleJson(const FigureRule& rule)
{
    Json json{JsonObject{}};
    json.add(rule.vertical ? "x" : "y", numberOrNull(rule.at));
    addSome(json, "label", rule.label);
    return json;
}

/// The elements as an array, each by `make`.
template <class Element, class Make>
void addEach(Json& object, const char* name, const std::vector<Element>& elements, const Make& make)
{
    if (elements.empty())
        return;
    Json list{JsonArray{}};
    for (const Element& element : elements)
        list.push(make(element));
    object.add(name, std::move(list));
}

Json panelJson(const FigurePanel& panel)
{
    Json json{JsonObject{}};
    json.add("id", panel.id);
    json.add("title", panel.title);
    json.add("x", axisJson(panel.x));
    json.add("y", axisJson(panel.y));
    if (panel.cells)
        json.add("cells", cellsJson(*panel.cells));
    addEach(json, "series", panel.series, seriesJson);
    addEach(json, "circles", panel.circles, circleJson);
    addEach(json, "rules", panel.rules, ruleJson);
    if (panel.square)
        json.add("square", true);
    return json;
}

Json rowJson(const FigureTable::Row& row)
{
    Json json{JsonObject{}};
    json.add("cells", listOf(row.cells));
    addSome(json, "node", row.node);
    addSome(json, "signal", row.signal);
    addSome(json, "units", row.units);
    if (row.step)
        json.add("step", *row.step);
    return json;
}

Json tableJson(const FigureTable& table)
{
    Json json{JsonObject{}};
    json.add("id", table.id);
    json.add("title", table.title);
    json.add("columns", listOf(table.columns));
    Json rows{JsonArray{}};
    for (const FigureTable::Row& row : table.rows)
        rows.push(rowJson(row));
    json.add("rows", std::move(rows));
    return json;
}

Json arrayJson(const FigureArray& array)
{
    Json json{JsonObject{}};
    json.add("name", array.name);
    json.add("shape", listOf(array.shape));
    if (!array.axes.empty())
        json.add("axes", listOf(array.axes));
    json.add("values", listOf(array.values));
    return json;
}

} // namespace

Json figureJson(const Figure& figure, const FigureSource& source)
{
    Json json{JsonObject{}}, settings{JsonObject{}};
    json.add("lens", source.lens);
    json.add("title", source.title);
    addSome(json, "node", source.node);
    addSome(json, "signal", source.signal);
    for (const auto& [name, value] : source.settings)
        settings.add(name, paramToJson(value));
    json.add("settings", std::move(settings));
    if (source.ofRun)
        json.add("training_step", source.step);
    if (source.compared) {
        Json sides{JsonObject{}};
        sides.add("as", source.compared->as);
        sides.add("first", source.compared->first);
        sides.add("second", source.compared->second);
        sides.add("second_training_step", source.compared->step);
        json.add("compared", std::move(sides));
    }
    json.add("shows", figure.shows);
    json.add("missing", figure.missing);
    json.add("findings", listOf(figure.findings)); // a reader finds the key where there is nothing to tell, too
    addEach(json, "panels", figure.panels, panelJson);
    addEach(json, "tables", figure.tables, tableJson);
    addEach(json, "arrays", figure.arrays, arrayJson);
    return json;
}

} // namespace unroll
