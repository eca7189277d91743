// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table_reader.h"

#include "core/base/memory.h"
#include "core/base/number_words.h"
#include "core/base/utf8.h"
#include "core/data/character_reader.h"
#include "core/data/row_reader.h"
#include "core/data/text_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>

namespace unroll {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMostColumns = 4096;
constexpr size_t kShownCharacters = 30; // of a cell in a sentence
constexpr int kLooked = 20;             // rows that are looked at for the delimiter
/// The text, and a number of eight bytes for each of its cells, of which an empty one takes a byte.
constexpr uint64_t kMemoryPerByte = 9;

enum class CellKind { Missing, Number, Text };

struct Cell {
    CellKind kind = CellKind::Missing;
    double value = kMissing;
};

bool isMissing(std::string_view text)
{
    const auto same = [&](std::string_view word) {
        return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                          [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
    };
    return text.empty() || same("na") || same("nan") || same("null") || same("n/a");
}

Cell cellOf(const std::string& text, char delimiter)
{
    if (isMissing(text))
        return {};
    std::string number = text;
    if (const size_t comma = number.find(','); delimiter != ',' && comma != std::string::npos)
        number[comma] = '.';
    const char* begin = number.data() + (number.front() == '+' ? 1 : 0);
    const char* end = number.data() + number.size();
    Cell cell{CellKind::Number, 0};
    const auto parsed = std::from_chars(begin, end, cell.value);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(cell.value);
    return whole ? cell : Cell{CellKind::Text, kMissing};
}

/// The cell as a sentence quotes it.
std::string quoted(const std::string& text)
{
    std::string shown;
    size_t at = 0;
    for (size_t i = 0; i < kShownCharacters && at < text.size(); ++i) {
        const DecodedCharacter decoded = decodeUtf8(text, at);
        appendUtf8(shown, decoded.point < 0x20 ? kReplacementCharacter : decoded.point);
        at += decoded.length;
    }
    return '"' + shown + (at < text.size() ? "…\"" : "\"");
}

/// Whether the first rows have the same number of cells, more than one.
bool divides(std::string_view text, char delimiter)
{
    RowReader rows(text, delimiter);
    std::vector<std::string> cells;
    size_t width = 0;
    for (int looked = 0; looked < kLooked; ++looked) {
        const auto read = rows.next(cells);
        if (!read)
            return false;
        if (!*read)
            break;
        if (cells.size() < 2 || (width != 0 && cells.size() != width))
            return false;
        width = cells.size();
    }
    return width > 1;
}

/// A semicolon before a comma: numbers with decimal commas would divide as well. Where none divides all rows alike, the first that
/// divides the first row: reading on then says which row differs.
char findDelimiter(std::string_view text)
{
    constexpr char candidates[] = {'\t', ';', ','};
    for (const char candidate : candidates)
        if (divides(text, candidate))
            return candidate;
    const std::string_view first = text.substr(0, text.find_first_of("\r\n", text.find_first_not_of("\r\n \t")));
    for (const char candidate : candidates)
        if (first.find(candidate) != std::string_view::npos)
            return candidate;
    return ',';
}

/// The first row is a header where none of its cells is a number, or where one is a word above a number.
bool isHeader(const std::vector<std::string>& first, const std::vector<std::string>& second, char delimiter)
{
    bool words = false, numbers = false, above = false;
    for (size_t i = 0; i < first.size(); ++i) {
        const CellKind kind = cellOf(first[i], delimiter).kind;
        numbers = numbers || kind == CellKind::Number;
        words = words || kind == CellKind::Text;
        above = above ||
                (kind == CellKind::Text && i < second.size() && cellOf(second[i], delimiter).kind == CellKind::Number);
    }
    return words && (!numbers || above);
}

/// Takes rows in; columns find out what they are by their first cell that is there.
class TableBuilder {
public:
    TableBuilder(size_t columns, size_t rows, char delimiter) : m_columns(columns), m_rows(rows), m_delimiter(delimiter)
    {}

    void name(std::vector<std::string> header);
    Result<void> add(const std::vector<std::string>& cells, int64_t line);
    Result<NumberTable> finish(const std::string& name);

private:
    struct Column {
        std::string name;
        CellKind kind = CellKind::Missing;
        std::vector<double> values;
    };
    Result<void> put(Column& column, const std::string& text, const std::string& place);

    std::vector<Column> m_columns;
    size_t m_rows; // how many may come
    char m_delimiter;
    int64_t m_added = 0;
};

/// Without a header, and where a name is missing, the column's number. A name that comes again gets a number behind it.
void TableBuilder::name(std::vector<std::string> header)
{
    header.resize(m_columns.size());
    std::set<std::string> taken;
    for (size_t i = 0; i < m_columns.size(); ++i) {
        const std::string wish = header[i].empty() ? std::to_string(i + 1) : repairedUtf8(header[i]);
        std::string made = wish;
        for (int again = 2; !taken.insert(made).second; ++again)
            made = fmt::format("{} ({})", wish, again);
        m_columns[i].name = std::move(made);
    }
}

Result<void> TableBuilder::put(Column& column, const std::string& text, const std::string& place)
{
    const Cell cell = cellOf(text, m_delimiter);
    if (column.kind == CellKind::Missing && cell.kind == CellKind::Text) {
        column.kind = CellKind::Text;
        column.values = {};
    }
    if (column.kind == CellKind::Text)
        return {};
    if (cell.kind == CellKind::Text)
        return fail(fmt::format("{}: {} is no number", place, quoted(text)));
    if (cell.kind == CellKind::Number)
        column.kind = CellKind::Number;
    if (column.values.capacity() == 0)
        column.values.reserve(m_rows);
    column.values.push_back(cell.value);
    return {};
}

Result<void> TableBuilder::add(const std::vector<std::string>& cells, int64_t line)
{
    if (cells.size() != m_columns.size())
        return fail(fmt::format("line {} has {}; the first row has {}", line,
                                counted(static_cast<int64_t>(cells.size()), "cell"),
                                grouped(static_cast<int64_t>(m_columns.size()))));
    for (size_t i = 0; i < cells.size(); ++i)
        if (auto good = put(m_columns[i], cells[i], placeInTable(line, i)); !good)
            return good;
    ++m_added;
    return {};
}

Result<NumberTable> TableBuilder::finish(const std::string& name)
{
    NumberTable table{name, m_added, {}, {}};
    for (Column& column : m_columns) {
        if (column.kind == CellKind::Number)
            table.columns.push_back({std::move(column.name), std::move(column.values)});
        else
            table.leftOut.push_back(std::move(column.name));
    }
    if (m_added == 0)
        return fail("has names of columns and no row below them");
    if (table.columns.empty())
        return fail("has no column of numbers");
    return table;
}

Result<NumberTable> readRows(std::string_view text, const std::string& name)
{
    const char delimiter = findDelimiter(text);
    RowReader reader(text, delimiter);
    std::vector<std::string> first, cells;
    if (const auto read = reader.next(first); !read || !*read)
        return read ? fail("holds no rows") : tl::unexpected(read.error());
    if (first.size() > kMostColumns)
        return fail(fmt::format("has {} columns; at most {} are possible", grouped(static_cast<int64_t>(first.size())),
                                grouped(static_cast<int64_t>(kMostColumns))));
    const int64_t firstLine = reader.line();
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    TableBuilder builder(first.size(), lines, delimiter);
    auto more = reader.next(cells);
    if (more && isHeader(first, cells, delimiter)) {
        builder.name(first);
    } else {
        builder.name({});
        if (auto added = builder.add(first, firstLine); !added)
            return tl::unexpected(added.error());
    }
    for (; more && *more; more = reader.next(cells))
        if (auto added = builder.add(cells, reader.line()); !added)
            return tl::unexpected(added.error());
    if (!more)
        return tl::unexpected(more.error());
    return builder.finish(name);
}

} // namespace

Result<NumberTable> readTable(std::string_view text, const std::string& name)
{
    if (looksLikeUtf16(text))
        return fail("is UTF-16 (it begins with that byte order mark); save it as UTF-8", name);
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    auto table = readRows(text, name);
    if (!table)
        return fail(table.error().message, name);
    return table;
}

Result<NumberTable> openTable(const std::filesystem::path& file, uint64_t memoryLimit)
{
    const auto text = readFile(file, memoryLimit > 0 ? memoryLimit : availableMemory(), kMemoryPerByte);
    if (!text)
        return tl::unexpected(text.error());
    return readTable(*text, file.string());
}

Result<std::vector<std::string>> readNames(const std::string& list)
{
    std::vector<std::string> names;
    const auto read = RowReader(list, ',').next(names);
    if (!read)
        return fail("the quote in the list is never closed");
    return names;
}

} // namespace unroll
