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
    if (std::find(table.leftOut.begin(), table.leftOut.end(), name) != table.leftOut.end())
        return fmt::format("the column \"{}\" holds no numbers", name);
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
            return fail(fmt::format("the column \"{}\" comes twice", *name), option);
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

std::vector<float> normalised(const NumberTable& table, const std::vector<ColumnScale>& scales, Gaps gaps)
{
    const size_t width = scales.size();
    std::vector<float> numbers(static_cast<size_t>(table.rows) * width);
    for (size_t column = 0; column < width; ++column) {
        const auto [name, shift, scale] = scales[column];
        float before = 0;
        const std::vector<double>& values = table.find(name)->values;
        for (size_t row = 0; row < values.size(); ++row) {
            const bool fills = std::isnan(values[row]) && gaps == Gaps::Filled;
            const float number = fills ? before : static_cast<float>((values[row] - shift) / scale);
            numbers[row * width + column] = before = number;
        }
    }
    return numbers;
}

} // namespace unroll
