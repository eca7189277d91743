// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/records.h"

#include "core/base/memory.h"
#include "core/data/record_objects.h"
#include "core/data/row_reader.h"
#include "core/data/table_decision.h"
#include "core/data/text_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>
#include <unordered_set>

namespace unroll {

namespace {

constexpr std::array<char, 4> kSigns = {'\t', ';', ',', '|'};
// Cells are texts of their own, those of numbers hardly longer than what a text needs in any case.
constexpr uint64_t kMemoryPerByte = 8, kMemoryPerByteOfNumbers = 24;

/// How many of the first rows a delimiter divides into as many cells as the first, which has several.
int64_t rowsDivided(std::string_view text, RowMarks marks)
{
    constexpr int kLooked = 200;
    RowReader reader(text, std::move(marks));
    std::vector<std::string> cells;
    size_t width = 0;
    int64_t alike = 0;
    for (int i = 0; i < kLooked; ++i) {
        const auto more = reader.next(cells);
        if (!more) // a quote that does not fit is not a delimiter's doing, but another one may read it
            return alike - 1;
        if (!*more)
            break;
        if (width == 0)
            width = cells.size();
        alike += cells.size() == width && width > 1;
    }
    return alike;
}

char findDelimiter(std::string_view text, char quote)
{
    const auto divides = [&](char sign) {
        return rowsDivided(text, {.delimiter = sign, .quote = quote, .comments = {}});
    };
    return *std::max_element(kSigns.begin(), kSigns.end(), [&](char a, char b) { return divides(a) < divides(b); });
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
        const size_t given = cells.size();
        records.rows.push_back({std::move(cells), reader.line(), given});
        cells = {};
    }
}

/// Rows of texts are as long as the first, or lack cells at their end.
Result<void> refuseLonger(const Records& records)
{
    for (const Records::Row& row : records.rows)
        if (row.given > records.rows.front().given)
            return fail(
                fmt::format("line {} has {} cells, line {} has {}: a cell that contains a delimiter must be quoted",
                            row.line, row.given, records.rows.front().line, records.rows.front().given),
                records.name);
    return {};
}

/// To the longest row.
void fillUp(Records& records)
{
    size_t width = 0;
    for (const Records::Row& row : records.rows)
        width = std::max(width, row.given);
    for (Records::Row& row : records.rows)
        row.cells.resize(width);
}

bool firstRowNames(const Records& records)
{
    if (records.rows.size() < 2)
        return false;
    const auto& first = records.rows.front().cells;
    std::set<std::string> names;
    for (size_t column = 0; column < first.size(); ++column) {
        if (first[column].empty() && column == 0 && first.size() > 1)
            continue;
        const auto comesAgain = [&](const Records::Row& row) { return row.cells[column] == first[column]; };
        if (first[column].empty() || records.numberIn(first[column]) || !names.insert(first[column]).second ||
            std::any_of(records.rows.begin() + 1, records.rows.end(), comesAgain))
            return false;
    }
    return true;
}

void nameColumns(Records& records)
{
    const size_t width = records.rows.empty() ? 0 : records.rows.front().cells.size();
    if (records.hasNames && !records.rows.empty()) {
        records.names = records.rows.front().cells;
        records.rows.erase(records.rows.begin());
    }
    records.names.resize(width);
    for (size_t column = 0; column < records.names.size(); ++column)
        if (records.names[column].empty())
            records.names[column] = std::to_string(column + 1);
}

/// Rows that a user has told to be no records, beyond the first, which may have names.
void dropRows(Records& records, int64_t headerRows)
{
    const auto more =
        std::min<std::ptrdiff_t>(std::max<std::ptrdiff_t>(headerRows - 1, 0), std::ssize(records.rows) - 1);
    if (more > 0)
        records.rows.erase(records.rows.begin() + 1, records.rows.begin() + 1 + more);
}

Result<void> readTexts(std::string_view text, const TableChoices& choices, Records& records)
{
    const char quote = choices.quote.value_or('"');
    const char delimiter = choices.delimiter ? *choices.delimiter : findDelimiter(text, quote);
    if (auto read = readRows(
            RowReader(text, {.delimiter = delimiter, .quote = quote, .comments = {}}, choices.skippedLines.value_or(0)),
            records);
        !read)
        return read;
    if (records.rows.empty())
        return {};
    if (auto good = refuseLonger(records); !good)
        return good;
    fillUp(records);
    records.hasNames = choices.headerRows ? *choices.headerRows > 0 : firstRowNames(records);
    dropRows(records, choices.headerRows.value_or(1));
    nameColumns(records);
    if (records.rows.empty())
        return fail("has no rows below its header", records.name);
    records.form =
        fmt::format("{}-separated, {}", delimiterWord(delimiter), records.hasNames ? "with header" : "no header");
    return {};
}

/// The rows of a table of numbers whose rows differ in length.
struct Ragged {
    char delimiter;
    std::string evened; // the same rows, divided by tabs, with empty cells at the end of shorter ones
};

/// How many of the cells are numbers by this delimiter, between 0 and 1; 0 where some of the first rows are one cell.
double numbersBy(std::string_view text, const RowMarks& marks)
{
    constexpr int kLooked = 200;
    RowReader reader(text, marks);
    std::vector<std::string> cells;
    int64_t all = 0, numbers = 0, alone = 0, rows = 0;
    for (; rows < kLooked; ++rows) {
        const auto more = reader.next(cells);
        if (!more)
            return 0;
        if (!*more)
            break;
        alone += cells.size() < 2;
        all += std::ssize(cells);
        numbers += std::count_if(cells.begin(), cells.end(),
                                 [](const std::string& cell) { return writtenNumber(cell).has_value(); });
    }
    return alone * 20 > rows || all == 0 ? 0 : static_cast<double>(numbers) / static_cast<double>(all);
}

/// A cell between tabs.
std::string betweenTabs(const std::string& cell)
{
    if (cell.find_first_of("\t\"\r\n") == std::string::npos)
        return cell;
    std::string quoted = "\"";
    for (const char c : cell)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::optional<Ragged> ragged(std::string_view text, const TableChoices& choices)
{
    RowMarks marks{.quote = choices.quote.value_or('"'),
                   .comments = choices.comments.value_or(std::vector<std::string>{"#"})};
    double best = 0;
    char delimiter = choices.delimiter.value_or(RowMarks::kNone);
    for (const char sign : {'\t', ';', '|', ',', RowMarks::kBlanks})
        if (marks.delimiter = sign; !choices.delimiter)
            if (const double share = numbersBy(text, marks); share > best) {
                best = share;
                delimiter = sign;
            }
    if (delimiter == RowMarks::kNone)
        return std::nullopt;
    marks.delimiter = delimiter;
    Records records;
    if (!readRows(RowReader(text, marks, choices.skippedLines.value_or(0)), records) || records.rows.empty())
        return std::nullopt;
    const auto differs = [&](const Records::Row& row) { return row.given != records.rows.front().given; };
    if (std::none_of(records.rows.begin(), records.rows.end(), differs))
        return std::nullopt;
    fillUp(records);
    Ragged found{delimiter, {}};
    for (const Records::Row& row : records.rows)
        for (size_t i = 0; i < row.cells.size(); ++i)
            found.evened += betweenTabs(row.cells[i]) + (i + 1 < row.cells.size() ? '\t' : '\n');
    return found;
}

/// As decideTable() does; of rows that differ in length as if the shorter ones had empty cells at their end.
Result<TableDecision> decideNumbers(std::string_view text, const TableChoices& choices)
{
    const auto rows = ragged(text, choices);
    if (!rows)
        return decideTable(text, choices);
    TableChoices even = choices;
    even.delimiter = '\t';
    even.skippedLines = 0;
    auto decision = decideTable(rows->evened, even);
    if (decision) {
        decision->format.marks.delimiter = rows->delimiter;
        decision->format.skippedLines = choices.skippedLines.value_or(0);
    }
    return decision;
}

Result<void> readNumbers(std::string_view text, const TableChoices& choices, Records& records)
{
    auto decision = decideNumbers(text, choices);
    if (!decision)
        return fail(decision.error().message, decision.error().place.empty() ? records.name : decision.error().place);
    const TableFormat& format = decision->format;
    if (auto read = readRows(RowReader(text, format.marks, format.skippedLines), records); !read)
        return read;
    records.signs = format.signs;
    records.missing = choices.missing;
    records.missing.insert(records.missing.end(), format.missing.begin(), format.missing.end());
    records.notes = std::move(decision->notes);
    records.hasNames = format.headerRows > 0;
    if (records.hasNames)
        if (auto good = refuseLonger(records); !good)
            return good;
    fillUp(records);
    dropRows(records, format.headerRows);
    nameColumns(records);
    records.form = formatText(format);
    return {};
}

bool looksLikeLabels(const Records& records, size_t column, size_t& different)
{
    std::unordered_set<std::string_view> seen;
    size_t filled = 0;
    for (const Records::Row& row : records.rows)
        if (!row.cells[column].empty()) {
            seen.insert(row.cells[column]);
            ++filled;
        }
    different = seen.size();
    return different > 1 && different * 2 <= filled && filled * 2 >= records.rows.size();
}

bool holdsText(const Records& records, size_t column)
{
    return std::any_of(records.rows.begin(), records.rows.end(),
                       [&](const Records::Row& row) { return !records.numberIn(row.cells[column]); });
}

} // namespace

Result<Records> readRecords(std::string_view text, const std::string& name, RecordKind kind, const TableWishes& wishes)
{
    const auto choices = choicesOf(wishes);
    if (!choices)
        return tl::unexpected(choices.error());
    Records records;
    records.name = name;
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return fail("contains no record", name);
    if (isJsonList(text))
        return fail("is one JSON list; expected JSON Lines, an object on each line, or a table", name);
    const bool objects = text[first] == '{';
    if (objects)
        records.form = "JSON Lines";
    if (auto read = objects                     ? readObjects(text, kind, records)
                    : kind == RecordKind::Texts ? readTexts(text, *choices, records)
                                                : readNumbers(text, *choices, records);
        !read)
        return tl::unexpected(read.error());
    if (records.rows.empty())
        return fail("contains no record", name);
    return records;
}

Result<Records> openRecords(const std::filesystem::path& file, RecordKind kind, const TableWishes& wishes,
                            uint64_t memoryLimit)
{
    const auto choices = choicesOf(wishes);
    if (!choices)
        return tl::unexpected(choices.error());
    auto bytes = readFile(file, memoryLimit == 0 ? availableMemory() : memoryLimit,
                          kind == RecordKind::Numbers ? kMemoryPerByteOfNumbers : kMemoryPerByte);
    if (!bytes)
        return tl::unexpected(bytes.error());
    if (const std::string what = noTextButWhat(*bytes); !what.empty())
        return fail(what, file.string());
    const TextEncoding encoding = choices->encoding.value_or(findEncoding(*bytes));
    return readRecords(decodedText(std::move(*bytes), encoding), file.string(), kind, wishes);
}

Result<size_t> columnCalled(const Records& records, const std::string& wish)
{
    const auto found = std::find(records.names.begin(), records.names.end(), wish);
    if (found != records.names.end())
        return static_cast<size_t>(found - records.names.begin());
    return fail(
        fmt::format("there is no column {} in {}; it has {}", wish, records.name, fmt::join(records.names, ", ")));
}

bool isCalled(const std::string& name, std::initializer_list<std::string_view> usual)
{
    std::string lowered = name;
    for (char& c : lowered)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return std::find(usual.begin(), usual.end(), lowered) != usual.end();
}

Result<size_t> columnOfLabels(const Records& records, RecordKind kind)
{
    for (const char* usual : {"label", "labels", "class", "category", "target", "y"})
        for (size_t column = 0; column < records.width(); ++column)
            if (isCalled(records.names[column], {usual}))
                return column;
    size_t best = records.width(), fewest = records.rows.size() + 1;
    bool bestHasWords = false;
    for (size_t column = 0; column < records.width(); ++column) {
        size_t different = 0;
        if (column == records.series || !looksLikeLabels(records, column, different))
            continue;
        const bool words = kind == RecordKind::Numbers && holdsText(records, column);
        const bool atEdge = kind == RecordKind::Numbers && !records.hasNames && column == 0;
        if (atEdge && !words) // numbers of classes most often stand first
            different = 0;
        if ((words && !bestHasWords) || (words == bestHasWords && different < fewest)) {
            fewest = different;
            best = column;
            bestHasWords = words;
        }
    }
    if (best < records.width())
        return best;
    return fail(fmt::format("no column of {} looks like labels, which occur several times each; it has {}",
                            records.name, fmt::join(records.names, ", ")));
}

std::optional<double> Records::numberIn(std::string_view cell) const
{
    if (isMissing(cell) || std::find(missing.begin(), missing.end(), withoutBlanks(cell)) != missing.end())
        return std::numeric_limits<double>::quiet_NaN();
    const auto written = writtenNumber(cell);
    const NumberReading read = written ? readNumber(*written, signs) : NumberReading{};
    return read.fault == NumberReading::Fault::None ? std::optional(read.value) : std::nullopt;
}

} // namespace unroll
