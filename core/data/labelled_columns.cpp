// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_columns.h"

#include "core/base/number_text.h"
#include "core/data/table_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

namespace unroll {

namespace {

/// What the cells of a column are.
struct Census {
    int64_t numbers = 0, words = 0;
    const Records::Row* firstWord = nullptr;
};

Census censusOf(const Records& records, size_t column)
{
    Census census;
    for (const Records::Row& row : records.rows) {
        const auto number = records.numberIn(row.cells[column]);
        census.numbers += number && !std::isnan(*number);
        if (!number && census.words++ == 0)
            census.firstWord = &row;
    }
    return census;
}

Error noNumber(const Records& records, size_t column, const Census& census)
{
    return {fmt::format("line {}, column {}: {} is not a number", census.firstWord->line, records.names[column],
                        quotedCell(census.firstWord->cells[column])),
            records.name};
}

/// Those of numbers; the others are left out by name. One that has words among its numbers is a mistake.
Result<void> findInputs(const Records& records, LabelledColumns& columns)
{
    for (size_t column = 0; column < records.width(); ++column) {
        if (column == columns.label || column == columns.id)
            continue;
        const Census census = censusOf(records, column);
        if (census.words > 0 && census.words <= census.numbers)
            return tl::unexpected(noNumber(records, column, census));
        if (census.words == 0 && census.numbers > 0)
            columns.inputs.push_back(column);
        else if (census.words > 0)
            columns.leftOut.push_back(records.names[column]);
    }
    if (columns.inputs.empty())
        return fail("has no numeric column besides the label", records.name);
    return {};
}

Result<void> takeInputs(const Records& records, const std::vector<std::string>& names, LabelledColumns& columns)
{
    for (const std::string& name : names) {
        const auto column = columnCalled(records, name);
        if (!column)
            return fail(column.error().text(), "input_columns");
        if (*column == columns.label || *column == columns.id ||
            std::find(columns.inputs.begin(), columns.inputs.end(), *column) != columns.inputs.end())
            return fail(fmt::format("column {} cannot be read: it is {}", name,
                                    *column == columns.label ? "the label"
                                    : *column == columns.id  ? "the series id"
                                                             : "named twice"),
                        "input_columns");
        const Census census = censusOf(records, *column);
        if (census.words > 0)
            return tl::unexpected(noNumber(records, *column, census));
        columns.inputs.push_back(*column);
    }
    return {};
}

/// The column whose equal texts make rows one series, as LabelledSeriesOptions::idColumn says.
Result<std::optional<size_t>> idColumn(const Records& records, const std::string& wish, size_t label)
{
    if (records.series || wish == "-")
        return records.series;
    if (!wish.empty()) {
        const auto column = columnCalled(records, wish);
        if (!column)
            return fail(column.error().text(), "id_column");
        if (*column == label)
            return fail(fmt::format("column {} contains the labels", wish), "id_column");
        return std::optional(*column);
    }
    for (size_t column = 0; column < records.width(); ++column) {
        if (column == label ||
            !isCalled(records.names[column], {"id", "series", "series_id", "sequence", "sequence_id", "seq", "seq_id",
                                              "sample", "sample_id", "case", "case_id"}))
            continue;
        std::unordered_map<std::string_view, std::string_view> labels;
        bool oneEach = true;
        for (const Records::Row& row : records.rows) {
            std::string_view& known = labels[row.cells[column]]; // a row may lack what another of its series says
            known = known.empty() ? std::string_view(row.cells[label]) : known;
            oneEach = oneEach && (row.cells[label].empty() || known == row.cells[label]);
        }
        if (oneEach && labels.size() * 2 <= records.rows.size())
            return std::optional(column);
    }
    return std::optional<size_t>();
}

} // namespace

Result<LabelledColumns> labelledColumns(const Records& records, const LabelledSeriesOptions& options)
{
    const auto label = options.labelColumn.empty() ? columnOfLabels(records, RecordKind::Numbers)
                                                   : columnCalled(records, options.labelColumn);
    if (!label)
        return fail(label.error().text(), "label_column");
    const auto id = idColumn(records, options.idColumn, *label);
    if (!id)
        return tl::unexpected(id.error());
    LabelledColumns columns{*label, *id, {}, {}};
    std::vector<std::string> names;
    if (options.inputColumns.find_first_not_of(" \t") != std::string::npos) {
        auto listed = readNames(options.inputColumns);
        if (!listed)
            return fail(listed.error().text(), "input_columns");
        names = std::move(*listed);
    } else if (*id) { // a trained model's columns may stand in another order
        for (const ColumnScale& scale : options.learned.inputs)
            names.push_back(scale.name);
    }
    auto found = names.empty() ? findInputs(records, columns) : takeInputs(records, names, columns);
    return found ? Result<LabelledColumns>(std::move(columns)) : tl::unexpected(found.error());
}

Result<void> refuseShort(const Records& records, const LabelledColumns& columns)
{
    for (const Records::Row& row : records.rows) {
        const std::string length =
            fmt::format("line {} has {}", row.line, counted(static_cast<int64_t>(row.given), "cell"));
        if (columns.id && row.given < records.width())
            return fail(fmt::format("{}, expected {}", length, records.width()), records.name);
        if (row.given <= columns.label)
            return fail(
                fmt::format("{} and ends before the label column {}: if series differ in length, put the label first",
                            length, records.names[columns.label]),
                records.name);
    }
    return {};
}

} // namespace unroll
