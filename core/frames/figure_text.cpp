// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/figure_text.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace unroll {

namespace {

Nearness alongX(const FigureAxis& axis)
{
    return axis.log ? Nearness::Relative : Nearness::Exact;
}

Nearness alongY(const FigureAxis& axis)
{
    return axis.log ? Nearness::Relative : Nearness::Largest;
}

Json textsJson(const std::vector<std::string>& texts)
{
    Json list{JsonArray{}};
    for (const std::string& text : texts)
        list.push(text);
    return list;
}

/// Makes the members of one figure.
class FigureWriter {
public:
    explicit FigureWriter(NumberPools& numbers) : m_numbers(numbers) {}

    Json figure(const Figure& figure)
    {
        Json json{JsonObject{}};
        json.add("shows", figure.shows);
        json.add("missing", figure.missing);
        texts(json, "findings", figure.findings);
        each(json, "panels", figure.panels, [this](const FigurePanel& each) { return panel(each); });
        each(json, "tables", figure.tables, [this](const FigureTable& each) { return table(each); });
        each(json, "arrays", figure.arrays, [this](const FigureArray& each) { return array(each); });
        return json;
    }

private:
    template <class Element, class Make>
    static void each(Json& json, const char* name, const std::vector<Element>& elements, const Make& make)
    {
        if (elements.empty())
            return;
        Json list{JsonArray{}};
        for (const Element& element : elements)
            list.push(make(element));
        json.add(name, std::move(list));
    }
    static void texts(Json& json, const char* name, const std::vector<std::string>& values)
    {
        if (!values.empty())
            json.add(name, textsJson(values));
    }
    static void text(Json& json, const char* name, const std::string& value)
    {
        if (!value.empty())
            json.add(name, value);
    }
    static void flag(Json& json, const char* name, bool value)
    {
        if (value)
            json.add(name, true);
    }
    template <class Value>
    void numbers(Json& json, const char* name, const std::vector<Value>& values, Nearness nearness)
    {
        if (!values.empty())
            json.add(name, m_numbers.put({values.begin(), values.end()}, nearness));
    }

    static Json axis(const FigureAxis& axis)
    {
        Json json{JsonObject{}};
        text(json, "title", axis.title);
        if (axis.low)
            json.add("low", *axis.low);
        if (axis.high)
            json.add("high", *axis.high);
        flag(json, "log", axis.log);
        flag(json, "steps", axis.steps);
        texts(json, "labels", axis.labels);
        return json;
    }
    Json cells(const FigureCells& cells)
    {
        Json json{JsonObject{}};
        json.add("name", cells.name);
        json.add("rows", cells.rows);
        json.add("columns", cells.columns);
        json.add("scale", static_cast<int>(cells.scale));
        if (cells.reach > 0)
            json.add("reach", cells.reach);
        if (cells.period > 0)
            json.add("period", cells.period);
        numbers(json, "values", cells.values, Nearness::Largest);
        numbers(json, "units", cells.units, Nearness::Exact);
        return json;
    }
    Json series(const FigureSeries& series, const FigurePanel& panel)
    {
        Json json{JsonObject{}};
        json.add("name", series.name);
        json.add("kind", static_cast<int>(series.kind));
        numbers(json, "x", series.x, alongX(panel.x));
        numbers(json, "y", series.y, alongY(panel.y));
        numbers(json, "lower", series.low, alongY(panel.y));
        numbers(json, "upper", series.high, alongY(panel.y));
        numbers(json, "units", series.units, Nearness::Exact);
        numbers(json, "shade", series.shade, Nearness::Largest);
        texts(json, "notes", series.notes);
        flag(json, "dim", series.dim);
        return json;
    }
    static Json circle(const FigureCircle& circle)
    {
        Json json{JsonObject{}};
        json.add("x", circle.x);
        json.add("y", circle.y);
        json.add("radius", circle.radius);
        text(json, "label", circle.label);
        return json;
    }
    static Json rule(const FigureRule& rule)
    {
        Json json{JsonObject{}};
        flag(json, "vertical", rule.vertical);
        json.add("at", rule.at);
        text(json, "label", rule.label);
        return json;
    }
    Json panel(const FigurePanel& panel)
    {
        Json json{JsonObject{}};
        json.add("id", panel.id);
        text(json, "title", panel.title);
        json.add("x", axis(panel.x));
        json.add("y", axis(panel.y));
        if (panel.cells)
            json.add("cells", cells(*panel.cells));
        each(json, "series", panel.series, [&](const FigureSeries& each) { return series(each, panel); });
        each(json, "circles", panel.circles, circle);
        each(json, "rules", panel.rules, rule);
        flag(json, "square", panel.square);
        json.add("height", panel.height);
        return json;
    }
    Json row(const FigureTable::Row& row)
    {
        Json json{JsonObject{}};
        json.add("cells", textsJson(row.cells));
        text(json, "node", row.node);
        text(json, "signal", row.signal);
        numbers(json, "units", row.units, Nearness::Exact);
        if (row.step)
            json.add("step", *row.step);
        return json;
    }
    Json table(const FigureTable& table)
    {
        Json json{JsonObject{}};
        json.add("id", table.id);
        text(json, "title", table.title);
        texts(json, "columns", table.columns);
        each(json, "rows", table.rows, [this](const FigureTable::Row& each) { return row(each); });
        return json;
    }
    Json array(const FigureArray& array)
    {
        Json json{JsonObject{}}, shape{JsonArray{}};
        json.add("name", array.name);
        for (const std::int64_t size : array.shape)
            shape.push(size);
        json.add("shape", std::move(shape));
        texts(json, "axes", array.axes);
        numbers(json, "values", array.values, Nearness::Largest);
        return json;
    }

    NumberPools& m_numbers;
};

} // namespace

Json figureText(const Figure& figure, NumberPools& numbers)
{
    return FigureWriter(numbers).figure(figure);
}

} // namespace unroll
