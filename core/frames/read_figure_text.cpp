// SPDX-License-Identifier: GPL-3.0-or-later
// The other way of figure_text.cpp: nothing that the file says is taken for granted.
#include "core/frames/figure_text.h"

#include "core/base/member_reader.h"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace unroll {

namespace {

/// Reads the members of one figure; the first that is not as it must be is remembered, and all is void then.
class FigureReader {
public:
    explicit FigureReader(const ReadPools& numbers) : m_numbers(numbers) {}

    const char* fault() const { return m_fault; } ///< null: none

    Figure figure(const Json& json)
    {
        Figure figure;
        figure.shows = text(json, "shows");
        figure.missing = whole(json, "missing");
        figure.findings = texts(json, "findings");
        figure.panels = each<FigurePanel>(json, "panels", [this](const Json& each) { return panel(each); });
        figure.tables = each<FigureTable>(json, "tables", [this](const Json& each) { return table(each); });
        figure.arrays = each<FigureArray>(json, "arrays", [this](const Json& each) { return array(each); });
        return figure;
    }

private:
    void wrong(const char* name)
    {
        if (m_fault == nullptr)
            m_fault = name;
    }
    std::string text(const Json& json, const char* name)
    {
        const Json* found = json.find(name);
        if (found != nullptr && found->asString() != nullptr)
            return *found->asString();
        if (found != nullptr)
            wrong(name);
        return {};
    }
    std::int64_t whole(const Json& json, const char* name)
    {
        const Json* found = json.find(name);
        const auto number = found != nullptr ? found->asInt() : std::nullopt;
        if (!number)
            wrong(name);
        return number.value_or(0);
    }
    double real(const Json& json, const char* name)
    {
        const Json* found = json.find(name);
        const auto number = found != nullptr ? realOfJson(*found) : std::nullopt;
        if (!number)
            wrong(name);
        return number.value_or(0);
    }
    std::optional<double> maybe(const Json& json, const char* name)
    {
        return json.find(name) != nullptr ? std::optional(real(json, name)) : std::nullopt;
    }
    bool flag(const Json& json, const char* name)
    {
        const Json* found = json.find(name);
        if (found != nullptr && found->asBool() == nullptr)
            wrong(name);
        return found != nullptr && found->asBool() != nullptr && *found->asBool();
    }
    const JsonArray* list(const Json& json, const char* name)
    {
        const Json* found = json.find(name);
        if (found != nullptr && found->asArray() == nullptr)
            wrong(name);
        return found != nullptr ? found->asArray() : nullptr;
    }
    std::vector<std::string> texts(const Json& json, const char* name)
    {
        std::vector<std::string> found;
        if (const JsonArray* all = list(json, name))
            for (const Json& each : *all) {
                if (each.asString() == nullptr)
                    wrong(name);
                found.push_back(each.asString() != nullptr ? *each.asString() : std::string());
            }
        return found;
    }
    template <class Element, class Make>
    std::vector<Element> each(const Json& json, const char* name, const Make& make)
    {
        std::vector<Element> found;
        if (const JsonArray* all = list(json, name))
            for (const Json& each : *all)
                found.push_back(make(each));
        return found;
    }
    std::vector<double> numbers(const Json& json, const char* name)
    {
        const Json* place = json.find(name);
        auto found = place != nullptr ? m_numbers.take(*place) : std::vector<double>{};
        if (!found)
            wrong(name);
        return found.value_or(std::vector<double>{});
    }
    /// Indices.
    std::vector<std::int64_t> wholes(const Json& json, const char* name)
    {
        std::vector<std::int64_t> found;
        for (const double value : numbers(json, name)) {
            if (!(std::fabs(value) < 9e15) || value != std::floor(value)) {
                wrong(name);
                return {};
            }
            found.push_back(static_cast<std::int64_t>(value));
        }
        return found;
    }
    /// One of an enumeration.
    template <class Kind>
    Kind kind(const Json& json, const char* name, Kind last)
    {
        const std::int64_t value = whole(json, name);
        if (value < 0 || value > static_cast<std::int64_t>(last)) {
            wrong(name);
            return last;
        }
        return static_cast<Kind>(value);
    }
    /// As many as there are others, or none.
    template <class Value>
    void fit(const std::vector<Value>& values, std::size_t count, const char* name)
    {
        if (!values.empty() && values.size() != count)
            wrong(name);
    }

    FigureAxis axis(const Json& json, const char* name)
    {
        const Json* found = json.find(name);
        if (found == nullptr) {
            wrong(name);
            return {};
        }
        return {.title = text(*found, "title"),
                .low = maybe(*found, "low"),
                .high = maybe(*found, "high"),
                .log = flag(*found, "log"),
                .steps = flag(*found, "steps"),
                .labels = texts(*found, "labels")};
    }
    FigureCells cells(const Json& json)
    {
        const std::vector<double> values = numbers(json, "values");
        FigureCells cells{.name = text(json, "name"),
                          .rows = whole(json, "rows"),
                          .columns = whole(json, "columns"),
                          .values = {values.begin(), values.end()},
                          .scale = kind(json, "scale", FigureCells::Scale::Positive),
                          .units = wholes(json, "units"),
                          .reach = maybe(json, "reach").value_or(0),
                          .period = maybe(json, "period").value_or(0)};
        const auto count = static_cast<std::int64_t>(values.size());
        const bool fits =
            cells.rows >= 0 && cells.columns >= 0 &&
            (cells.rows == 0 ? count == 0 : count % cells.rows == 0 && count / cells.rows == cells.columns);
        if (!fits)
            wrong("rows");
        fit(cells.units, static_cast<std::size_t>(std::max<std::int64_t>(cells.rows, 0)), "units");
        return cells;
    }
    FigureSeries series(const Json& json)
    {
        FigureSeries series{.name = text(json, "name"),
                            .kind = kind(json, "kind", FigureSeries::Kind::Bars),
                            .x = numbers(json, "x"),
                            .y = numbers(json, "y"),
                            .low = numbers(json, "lower"),
                            .high = numbers(json, "upper"),
                            .units = wholes(json, "units"),
                            .shade = numbers(json, "shade"),
                            .notes = texts(json, "notes"),
                            .dim = flag(json, "dim")};
        if (series.x.size() != series.y.size())
            wrong("x");
        const std::size_t count = series.y.size();
        fit(series.low, count, "lower");
        fit(series.high, count, "upper");
        fit(series.units, count, "units");
        fit(series.shade, count, "shade");
        fit(series.notes, count, "notes");
        return series;
    }
    FigurePanel panel(const Json& json)
    {
        FigurePanel panel{.id = text(json, "id"), .title = text(json, "title")};
        panel.x = axis(json, "x");
        panel.y = axis(json, "y");
        if (const Json* found = json.find("cells"))
            panel.cells = cells(*found);
        panel.series = each<FigureSeries>(json, "series", [this](const Json& each) { return series(each); });
        panel.circles = each<FigureCircle>(json, "circles", [this](const Json& each) {
            return FigureCircle{real(each, "x"), real(each, "y"), real(each, "radius"), text(each, "label")};
        });
        panel.rules = each<FigureRule>(json, "rules", [this](const Json& each) {
            return FigureRule{flag(each, "vertical"), real(each, "at"), text(each, "label")};
        });
        panel.square = flag(json, "square");
        panel.height = real(json, "height");
        return panel;
    }
    FigureTable table(const Json& json)
    {
        FigureTable table{
            .id = text(json, "id"), .title = text(json, "title"), .columns = texts(json, "columns"), .rows = {}};
        table.rows = each<FigureTable::Row>(json, "rows", [this](const Json& each) {
            FigureTable::Row row{.cells = texts(each, "cells"),
                                 .node = text(each, "node"),
                                 .signal = text(each, "signal"),
                                 .units = wholes(each, "units")};
            if (each.find("step") != nullptr)
                row.step = whole(each, "step");
            return row;
        });
        return table;
    }
    FigureArray array(const Json& json)
    {
        FigureArray array{text(json, "name"), {}, numbers(json, "values"), texts(json, "axes")};
        std::int64_t count = 1;
        if (const JsonArray* shape = list(json, "shape"))
            for (const Json& size : *shape) {
                const std::int64_t number = size.asInt().value_or(-1);
                const std::int64_t most = std::ssize(array.values);
                if (number < 0 || (number > 0 && count > std::max<std::int64_t>(most, 1) / number)) {
                    wrong("shape");
                    return array;
                }
                count *= number;
                array.shape.push_back(number);
            }
        if (count != std::ssize(array.values))
            wrong("shape");
        return array;
    }

    const ReadPools& m_numbers;
    const char* m_fault = nullptr;
};

} // namespace

Result<Figure> figureOfText(const Json& words, const ReadPools& numbers)
{
    FigureReader reader(numbers);
    Figure figure = reader.figure(words);
    if (reader.fault() != nullptr)
        return fail(fmt::format("is not a figure: its {} cannot be read", reader.fault()));
    return figure;
}

} // namespace unroll
