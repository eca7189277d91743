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

/// "there are a, b"; of many the first ones.
std::string thereAre(std::vector<std::string> names)
{
    const bool cut = names.size() > kNamesShown;
    names.resize(std::min(names.size(), kNamesShown));
    return fmt::format("there {} {}{}", names.size() == 1 ? "is" : "are", fmt::join(names, ", "),
                       cut ? " and more" : "");
}

std::string noSuchColumn(const NumberTable& table, const std::string& name)
{
    for (const LeftOutColumn& column : table.leftOut)
        if (column.name == name)
            return fmt::format("the column \"{}\" contains no numbers: {}", name, column.why);
    return fmt::format("there is no column \"{}\"; {}", name, thereAre(namesOf(table)));
}

bool isBlank(const std::string& list)
{
    return list.find_first_not_of(" \t") == std::string::npos;
}

bool has(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The names of a list, each of a column; every column where the list is empty.
Result<std::vector<std::string>> chosenNames(const NumberTable& table, const std::string& list,
                                             const std::string& option)
{
    if (isBlank(list))
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

std::vector<ColumnScale> scalesOf(const NumberTable& table, const std::vector<std::string>& names,
                                  const std::vector<std::string>& unscaled, Normalisation normalisation, int64_t rows)
{
    std::vector<ColumnScale> scales;
    for (const std::string& name : names)
        scales.push_back(scaleOf(name, std::span(table.find(name)->values).first(static_cast<size_t>(rows)),
                                 has(unscaled, name) ? Normalisation::None : normalisation));
    return scales;
}

/// Subtracted in double precision: what lies between numbers far from zero is kept.
float scaled(double value, const ColumnScale& scale)
{
    return static_cast<float>((value - scale.shift) / scale.scale);
}

} // namespace

Result<std::vector<std::string>> unscaledNames(const std::string& list, const std::vector<std::string>& columns)
{
    if (isBlank(list))
        return std::vector<std::string>{};
    auto names = readNames(list);
    if (!names)
        return fail(names.error().message, "unscaled_columns");
    for (const std::string& name : *names)
        if (!has(columns, name))
            return fail(fmt::format("no column \"{}\" is read or forecast; {}", name, thereAre(columns)),
                        "unscaled_columns");
    return names;
}

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
    const auto inputs = chosenNames(table, options.inputColumns, "input_columns");
    if (!inputs)
        return tl::unexpected(inputs.error());
    const auto targets = chosenNames(table, options.targetColumns, "target_columns");
    if (!targets)
        return tl::unexpected(targets.error());
    std::vector<std::string> either = *inputs;
    for (const std::string& target : *targets)
        if (!has(either, target))
            either.push_back(target);
    const auto unscaled = unscaledNames(options.unscaledColumns, either);
    if (!unscaled)
        return tl::unexpected(unscaled.error());
    return SeriesScales{scalesOf(table, *inputs, *unscaled, options.normalisation, trainingRows),
                        scalesOf(table, *targets, *unscaled, options.normalisation, trainingRows), options.horizon};
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
