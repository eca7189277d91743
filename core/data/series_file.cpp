// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_file.h"

#include "core/data/series_notes.h"
#include "core/data/table_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

/// How far the numbers lie from those that a model was trained on, on the mean and in units of their spread.
double distanceFrom(const NumberTable& table, const SeriesScales& learned)
{
    double sum = 0, count = 0;
    for (const auto* scales : {&learned.inputs, &learned.targets})
        for (const ColumnScale& scale : *scales)
            if (const NumberColumn* column = table.find(scale.name); column != nullptr)
                for (const double value : column->values)
                    if (!std::isnan(value)) {
                        sum += std::abs(value - scale.shift) / scale.scale;
                        ++count;
                    }
    return count > 0 ? sum / count : 0;
}

/// Where a sign may stand before a fraction or between thousands, that reading whose numbers are nearer to what the
/// model was trained on.
void readAsLearned(NumberTable& table, const std::filesystem::path& file, const SeriesOptions& options)
{
    const auto open = std::find_if(table.notes.begin(), table.notes.end(),
                                   [](const DataNote& note) { return note.code == "open-signs"; });
    if (open == table.notes.end() || options.learned.inputs.empty())
        return;
    TableWishes wishes = options.table;
    for (const auto& [param, sign] : open->settings)
        (param == "decimal" ? wishes.decimal : wishes.thousands) = sign;
    auto other = openTable(file, wishes, options.memoryLimit);
    if (!other || distanceFrom(*other, options.learned) >= distanceFrom(table, options.learned))
        return;
    other->notes.emplace_back("open-signs",
                              fmt::format("The number format of the file is ambiguous: {} is read as {} separator, "
                                          "which is closest to the data the model was trained on.",
                                          wishes.decimal.empty() ? wishes.thousands : wishes.decimal,
                                          wishes.decimal.empty() ? "thousands" : "decimal"),
                              true);
    table = std::move(*other);
}

} // namespace

Result<NumberTable> openInOrder(const std::filesystem::path& file, const SeriesOptions& options,
                                const TableFormat* like)
{
    auto table = openTable(file, options.table, options.memoryLimit);
    if (!table)
        return table;
    const bool open = std::any_of(table->notes.begin(), table->notes.end(),
                                  [](const DataNote& note) { return note.code.starts_with("open-"); });
    if (open && like != nullptr)
        table = openTable(file, wishesLike(options.table, *like), options.memoryLimit);
    if (!table)
        return table;
    readAsLearned(*table, file, options);
    if (options.rowOrder == RowOrder::Reversed || (options.rowOrder == RowOrder::Auto && isNewestFirst(*table))) {
        for (NumberColumn& column : table->columns)
            std::reverse(column.values.begin(), column.values.end());
        table->notes.emplace_back("row-order", "Rows are read from last to first.");
    }
    return table;
}

Result<SeriesFiles> appendOtherFiles(NumberTable& table, const SeriesOptions& options)
{
    SeriesFiles files{.first = table.rows};
    const auto take = [&](const std::filesystem::path& file, int64_t& rows, std::string& name) -> Result<void> {
        if (file.empty())
            return {};
        const auto other = openInOrder(file, options, table.format ? &*table.format : nullptr);
        if (!other)
            return tl::unexpected(other.error());
        for (NumberColumn& column : table.columns) {
            const NumberColumn* found = other->find(column.name);
            if (found == nullptr)
                return fail(fmt::format("has no column \"{}\", which {} has", column.name, table.name), other->name);
            column.values.insert(column.values.end(), found->values.begin(), found->values.end());
        }
        for (DataNote note : other->notes) {
            note.sentence = other->name + ": " + note.sentence;
            table.notes.push_back(std::move(note));
        }
        name = other->name;
        rows = other->rows;
        table.rows += rows;
        return {};
    };
    if (auto taken = take(options.validationFile, files.validation, files.validationName); !taken)
        return tl::unexpected(taken.error());
    if (auto taken = take(options.testFile, files.test, files.testName); !taken)
        return tl::unexpected(taken.error());
    return files;
}

} // namespace unroll
