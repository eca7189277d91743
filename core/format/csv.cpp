// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/csv.h"

#include "core/base/csv_parser.h"
#include "core/base/input_file.h"
#include "core/format/atomic_file.h"
#include "core/format/number_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <new>
#include <utility>

namespace unroll::format {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kStepColumn = "step";

// The file's columns, then those of `names` that it has not.
Result<CsvColumns> widened(std::vector<std::string> columns, const std::vector<std::string>& names)
{
    for (const std::string& name : names)
        if (std::find(columns.begin(), columns.end(), name) == columns.end())
            columns.push_back(name);
    return CsvColumns::from(std::move(columns));
}

struct RecordTaker final : CsvParser::Taker {
    std::vector<std::vector<std::string>> records;
    std::vector<std::string> record;

    void takeCell(const char* cell, std::size_t size) override { record.emplace_back(cell, size); }
    void takeRecord() override
    {
        if (record.empty())
            record.emplace_back();
        records.push_back(std::exchange(record, {}));
    }
};

} // namespace

std::string csvCell(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string cell = "\"";
    for (const char c : text)
        cell.append(c == '"' ? 2 : 1, c);
    return cell + '"';
}

Result<CsvColumns> CsvColumns::from(std::vector<std::string> names)
{
    CsvColumns columns;
    columns.m_index.emplace(kStepColumn, 0);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!columns.m_index.emplace(names[i], i).second)
            return fail(fmt::format("the column '{}' occurs twice", names[i]));
    columns.m_index.erase(std::string(kStepColumn));
    columns.m_names = std::move(names);
    return columns;
}

std::string CsvColumns::header() const
{
    std::string line(kStepColumn);
    for (const std::string& name : m_names) {
        line += ',';
        line += csvCell(name);
    }
    return line.append(kLineEnd);
}

Result<void> CsvColumns::appendRow(std::string& out, const LogRow& row) const
{
    std::vector<const double*> cells(m_names.size());
    for (const auto& [name, value] : row.values) {
        const auto column = m_index.find(name);
        if (column == m_index.end())
            return fail(fmt::format("has no column '{}'", name));
        cells[column->second] = &value;
    }
    out += std::to_string(row.step);
    for (const double* cell : cells) {
        out += ',';
        if (cell != nullptr)
            appendNumber(out, *cell);
    }
    out += kLineEnd;
    return {};
}

CsvWriter::CsvWriter(AppendFile file, CsvColumns columns) : m_file(std::move(file)), m_columns(std::move(columns)) {}

Result<CsvWriter> CsvWriter::create(const std::filesystem::path& path, std::vector<std::string> names, FileCalls& calls)
{
    auto columns = CsvColumns::from(std::move(names));
    if (!columns)
        return fail(columns.error().message, path.string());
    auto file = AppendFile::open(path, AppendFile::Start::Replace, calls);
    if (!file)
        return tl::unexpected(file.error());
    file->begin(columns->header());
    return CsvWriter(std::move(*file), std::move(*columns));
}

Result<CsvWriter> CsvWriter::resume(const std::filesystem::path& path, std::vector<std::string> names,
                                    std::int64_t lastStep, FileCalls& calls)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return create(path, std::move(names), calls);
    auto old = readCsvLog(path);
    if (!old)
        return tl::unexpected(old.error());
    std::erase_if(old->rows, [lastStep](const LogRow& row) { return row.step > lastStep; });
    auto columns = widened(std::move(old->columns), names);
    if (!columns)
        return fail(columns.error().message, path.string());
    std::string text = columns->header();
    for (const LogRow& row : old->rows)
        static_cast<void>(columns->appendRow(text, row)); // cannot fail: the columns are the file's own and more
    if (auto replaced = writeFileAtomically(path, text, calls); !replaced)
        return tl::unexpected(replaced.error());
    auto file = AppendFile::open(path, AppendFile::Start::Continue, calls);
    if (!file)
        return tl::unexpected(file.error());
    return CsvWriter(std::move(*file), std::move(*columns));
}

Result<void> CsvWriter::write(std::span<const LogRow> rows)
{
    std::string lines;
    for (const LogRow& row : rows)
        if (auto added = m_columns.appendRow(lines, row); !added)
            return fail(added.error().message, m_file.path().string());
    return m_file.append(lines);
}

std::vector<std::vector<std::string>> parseCsv(std::string_view text)
{
    RecordTaker found;
    CsvParser parser(found, {.emptyRecords = true, .onlyLineFeeds = true});
    if (parser.feed(text) != text.size())
        throw std::bad_alloc(); // nothing else ends it early
    return std::move(found.records);
}

Result<std::vector<std::string>> logColumns(const std::vector<std::string>& record)
{
    if (record.front() != kStepColumn)
        return fail("its first column is not 'step'");
    return std::vector<std::string>(record.begin() + 1, record.end());
}

Result<LogRow> logRow(const std::vector<std::string>& cells, const std::vector<std::string>& columns)
{
    if (cells.size() != columns.size() + 1)
        return fail(fmt::format("has {} cells, the header {}", cells.size(), columns.size() + 1));
    LogRow row;
    const std::string& step = cells[0];
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), row.step);
    if (error != std::errc() || end != step.data() + step.size())
        return fail(fmt::format("'{}' is not a step", step));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (cells[i + 1].empty())
            continue;
        const auto value = numberFrom(cells[i + 1]);
        if (!value)
            return fail(fmt::format("'{}' in column '{}' is not a number", cells[i + 1], columns[i]));
        row.values.emplace_back(columns[i], *value);
    }
    return row;
}

Result<LogTable> readCsvLog(const std::filesystem::path& path)
{
    const auto text = readWholeFile(path);
    if (!text)
        return tl::unexpected(text.error());
    auto records = parseCsv(*text);
    LogTable table;
    if (records.empty())
        return table;
    auto columns = logColumns(records[0]);
    if (!columns)
        return fail(columns.error().message, path.string() + " line 1");
    table.columns = std::move(*columns);
    for (std::size_t i = 1; i < records.size(); ++i) {
        auto row = logRow(records[i], table.columns);
        if (!row)
            return fail(row.error().message, fmt::format("{} line {}", path.string(), i + 1));
        table.rows.push_back(std::move(*row));
    }
    return table;
}

} // namespace unroll::format
