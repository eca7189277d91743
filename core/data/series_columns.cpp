// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_columns.h"

#include "core/data/table_reader.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {

namespace {

constexpr size_t kNamesShown = 12; // in a sentence

std::vector<std::string> namesOf(const NumberTable& table)
{
    std::vector<std::string> names;
    for (const NumberColumn& column : table.columns)
        names.push_back(column.name);
    return names;
}

std::string noSuchColumn(const NumberTable& table, const std::string& name)
{
    for (const LeftOutColumn& column : table.leftOut)
        if (column.name == name)
            return fmt::format("the column \"{}\" contains no numbers: {}", name, column.why);
    std::vector<std::string> names = namesOf(table);
    const bool cut = names.size() > kNamesShown;
    names.resize(std::min(names.size(), kNamesShown));
    return fmt::format("there is no column \"{}\"; there {} {}{}", name, names.size() == 1 ? "is" : "are",
                       fmt::join(names, ", "), cut ? " and more" : "");
}

/// The names of a list, each of a column; every column where the list is empty.
Result<std::vector<std::string>> chosenNames(const NumberTable& table, const std::string& list,
                                             const std::string& option)
{
    if (list.find_first_not_of(" \t") == std::string::npos)
        return namesOf(table);
    auto names = readNames(list);
    if (!names)
        return fail(names.error().message, option);
    for (auto name = names->begin(); name != names->end(); ++name) {
        if (table.find(*name) == nullptr)
            return fail(noSuchColumn(table, *name), option);
        if (std::find(names->begin(), name, *name) != name)
            return fail(fmt::format("the column \"{}\" occurs twice", *name), option);
    }
    return names;
}

Result<std::vector<ColumnScale>> scalesOf(const NumberTable& table, const std::string& list, const std::string& option,
                                          Normalisation normalisation, int64_t rows)
{
    const auto names = chosenNames(table, list, option);
    if (!names)
        return tl::unexpected(names.error());
    std::vector<ColumnScale> scales;
    for (const std::string& name : *names)
        scales.push_back(
            scaleOf(name, std::span(table.find(name)->values).first(static_cast<size_t>(rows)), normalisation));
    return scales;
}

/// Subtracted in double precision: what lies between numbers far from zero is kept.
float scaled(double value, const ColumnScale& scale)
{
    return static_cast<float>((value - scale.shift) / scale.scale);
}

} // namespace

Result<SeriesScales> chooseColumns(const NumberTable& table, const SeriesOptions& options, int64_t trainingRows)
{
    if (!options.learned.inputs.empty()) {
        for (const auto* scales : {&options.learned.inputs, &options.learned.targets})
            for (const ColumnScale& scale : *scales)
                if (table.find(scale.name) == nullptr)
                    return fail("the model was trained on other columns: " + noSuchColumn(table, scale.name),
                                table.name);
        return options.learned;
    }
    auto inputs = scalesOf(table, options.inputColumns, "input_columns", options.normalisation, trainingRows);
    if (!inputs)
        return tl::unexpected(inputs.error());
    auto targets = scalesOf(table, options.targetColumns, "target_columns", options.normalisation, trainingRows);
    if (!targets)
        return tl::unexpected(targets.error());
    return SeriesScales{std::move(*inputs), std::move(*targets), options.horizon};
}

Result<void> staysFinite(const NumberColumn& column, const ColumnScale& scale)
{
    for (const double value : column.values)
        if (!std::isnan(value) && !std::isfinite(scaled(value, scale)))
            return fail(
                fmt::format("{} contains {}, which overflows single precision after subtracting {} and dividing by {}",
                            column.name, value, scale.shift, scale.scale));
    return {};
}

std::vector<float> normalised(const NumberTable& table, const std::vector<ColumnScale>& scales, Gaps gaps)
{
    const size_t width = scales.size();
    std::vector<float> numbers(static_cast<size_t>(table.rows) * width);
    for (size_t column = 0; column < width; ++column) {
        float before = 0;
        const std::vector<double>& values = table.find(scales[column].name)->values;
        for (size_t row = 0; row < values.size(); ++row) {
            const bool fills = std::isnan(values[row]) && gaps == Gaps::Filled;
            const float number = fills ? before : scaled(values[row], scales[column]);
            numbers[row * width + column] = before = number;
        }
    }
    return numbers;
}

} // namespace unroll
