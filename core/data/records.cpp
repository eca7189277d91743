// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/records.h"

#include "core/base/memory.h"
#include "core/data/row_reader.h"
#include "core/data/table_decision.h"
#include "core/data/text_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace unroll {

namespace {

constexpr std::array<char, 4> kDelimiters = {'\t', ';', ',', '|'};
constexpr uint64_t kMemoryPerByte = 6; // cells are texts of their own

const char* delimiterWord(char delimiter)
{
    switch (delimiter) {
    case '\t': return "tabs";
    case ';': return "semicolons";
    case '|': return "bars";
    default: return "commas";
    }
}

std::string lineOf(int64_t line)
{
    return fmt::format("line {}", line);
}

/// How many of the first rows a delimiter divides into as many cells as the first, which has several.
int64_t rowsDivided(std::string_view text, char delimiter)
{
    constexpr int kLooked = 200;
    RowReader reader(text, {.delimiter = delimiter, .comments = {}});
    std::vector<std::string> cells;
    size_t width = 0;
    int64_t alike = 0;
    for (int i = 0; i < kLooked; ++i) {
        const auto more = reader.next(cells);
        if (!more) // a quote that does not fit is no delimiter's doing, but another one may read it
            return alike - 1;
        if (!*more)
            break;
        if (width == 0)
            width = cells.size();
        alike += cells.size() == width && width > 1;
    }
    return alike;
}

char findDelimiter(std::string_view text)
{
    return *std::max_element(kDelimiters.begin(), kDelimiters.end(),
                             [&](char a, char b) { return rowsDivided(text, a) < rowsDivided(text, b); });
}

Result<void> readRows(RowReader reader, Records& records)
{
    std::vector<std::string> cells;
    while (true) {
        const auto more = reader.next(cells);
        if (!more)
            return fail(more.error().text(), records.name);
        if (!*more)
            return {};
        const size_t width = records.rows.empty() ? cells.size() : records.rows.front().cells.size();
        if (cells.size() > width)
            return fail(
                fmt::format("{} has {} cells, the first row has {}: a cell with a delimiter in it stands in quotes",
                            lineOf(reader.line()), cells.size(), width),
                records.name);
        if (cells.size() < width && records.shortRows++ == 0)
            records.firstShort = reader.line();
        cells.resize(width);
        records.rows.push_back({std::move(cells), reader.line()});
        cells = {};
    }
}

bool isNumber(std::string_view cell, const NumberSigns& signs)
{
    return numberIn(cell, signs).has_value();
}

bool firstRowNames(const Records& records)
{
    if (records.rows.size() < 2)
        return false;
    const auto& first = records.rows.front().cells;
    for (size_t column = 0; column < first.size(); ++column) {
        const auto comesAgain = [&](const Records::Row& row) { return row.cells[column] == first[column]; };
        if (first[column].empty() || isNumber(first[column], records.signs) ||
            std::any_of(records.rows.begin() + 1, records.rows.end(), comesAgain))
            return false;
    }
    return std::set<std::string>(first.begin(), first.end()).size() == first.size();
}

void nameColumns(Records& records)
{
    if (records.hasNames) {
        records.names = records.rows.front().cells;
        records.rows.erase(records.rows.begin());
    }
    records.names.resize(records.rows.empty() ? records.names.size() : records.rows.front().cells.size());
    for (size_t column = 0; column < records.names.size(); ++column)
        if (records.names[column].empty())
            records.names[column] = std::to_string(column + 1);
}

Result<void> readTexts(std::string_view text, Records& records)
{
    const char delimiter = findDelimiter(text);
    if (auto read = readRows(RowReader(text, {.delimiter = delimiter, .comments = {}}), records); !read)
        return read;
    records.hasNames = firstRowNames(records);
    nameColumns(records);
    records.form = fmt::format("rows divided by {}, {}", delimiterWord(delimiter),
                               records.hasNames ? "names first" : "without names");
    return {};
}

Result<void> readNumbers(std::string_view text, Records& records)
{
    auto decision = decideTable(text, {});
    if (!decision)
        return fail(decision.error().text(), records.name);
    const TableFormat& format = decision->format;
    if (auto read = readRows(RowReader(text, format.marks, format.skippedLines), records); !read)
        return read;
    records.signs = format.signs;
    records.hasNames = format.headerRows > 0;
    const auto more = std::min<size_t>(format.headerRows > 1 ? static_cast<size_t>(format.headerRows) - 1 : 0,
                                       records.rows.size() - 1);
    records.rows.erase(records.rows.begin() + 1, records.rows.begin() + 1 + static_cast<std::ptrdiff_t>(more));
    nameColumns(records);
    records.form = formatWords(format);
    return {};
}

/// A value as a text; null as none.
std::string textOf(const nlohmann::ordered_json& value)
{
    if (value.is_null())
        return {};
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Columns in the order in which their keys come first.
Result<void> readObjects(std::string_view text, Records& records)
{
    std::unordered_map<std::string, size_t> columns;
    int64_t line = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view object = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (object.find_first_not_of(" \t\r") == std::string_view::npos)
            continue;
        const auto json = nlohmann::ordered_json::parse(object, nullptr, false);
        if (!json.is_object())
            return fail(
                fmt::format("{} is no JSON object; a file that begins with a brace has one on each line", lineOf(line)),
                records.name);
        Records::Row row{std::vector<std::string>(records.names.size()), line};
        for (const auto& [key, value] : json.items()) {
            const auto [found, fresh] = columns.try_emplace(key, records.names.size());
            if (fresh) {
                records.names.push_back(key);
                row.cells.emplace_back();
            }
            row.cells[found->second] = textOf(value);
        }
        records.rows.push_back(std::move(row));
    }
    for (Records::Row& row : records.rows)
        row.cells.resize(records.names.size());
    return {};
}

std::string lowered(std::string text)
{
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

size_t differentIn(const Records& records, size_t column)
{
    std::unordered_set<std::string_view> seen;
    for (const Records::Row& row : records.rows)
        seen.insert(row.cells[column]);
    return seen.size();
}

} // namespace

Result<Records> readRecords(std::string_view text, const std::string& name, RecordKind kind)
{
    Records records;
    records.name = name;
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return fail("holds no record", name);
    const bool objects = text[first] == '{';
    if (objects)
        records.form = "JSON Lines";
    if (auto read = objects                     ? readObjects(text, records)
                    : kind == RecordKind::Texts ? readTexts(text, records)
                                                : readNumbers(text, records);
        !read)
        return tl::unexpected(read.error());
    if (records.rows.empty())
        return fail("holds names and no record", name);
    return records;
}

Result<Records> openRecords(const std::filesystem::path& file, RecordKind kind, uint64_t memoryLimit)
{
    auto bytes = readFile(file, memoryLimit == 0 ? availableMemory() : memoryLimit, kMemoryPerByte);
    if (!bytes)
        return tl::unexpected(bytes.error());
    if (const std::string what = noTextButWhat(*bytes); !what.empty())
        return fail(what, file.string());
    const TextEncoding encoding = findEncoding(*bytes);
    return readRecords(decodedText(std::move(*bytes), encoding), file.string(), kind);
}

Result<size_t> columnCalled(const Records& records, const std::string& wish)
{
    const auto found = std::find(records.names.begin(), records.names.end(), wish);
    if (found != records.names.end())
        return static_cast<size_t>(found - records.names.begin());
    return fail(
        fmt::format("there is no column {} in {}; it has {}", wish, records.name, fmt::join(records.names, ", ")));
}

Result<size_t> columnOfLabels(const Records& records)
{
    for (const char* usual : {"label", "labels", "class", "category", "target", "y"})
        for (size_t column = 0; column < records.width(); ++column)
            if (lowered(records.names[column]) == usual)
                return column;
    size_t best = records.width(), fewest = records.rows.size() / 2 + 1; // each comes twice on the average
    for (size_t column = 0; column < records.width(); ++column)
        if (const size_t different = differentIn(records, column); different < fewest) {
            fewest = different;
            best = column;
        }
    if (best < records.width())
        return best;
    return fail(fmt::format("no column of {} looks like labels, which come several times each; it has {}", records.name,
                            fmt::join(records.names, ", ")));
}

std::optional<double> numberIn(std::string_view cell, const NumberSigns& signs)
{
    if (isMissing(cell))
        return std::numeric_limits<double>::quiet_NaN();
    const auto written = writtenNumber(cell);
    const NumberReading read = written ? readNumber(*written, signs) : NumberReading{};
    return read.fault == NumberReading::Fault::None ? std::optional(read.value) : std::nullopt;
}

} // namespace unroll
