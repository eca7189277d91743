// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table_reader.h"

#include "core/base/memory.h"
#include "core/base/number_text.h"
#include "core/data/column_evidence.h"
#include "core/data/read_column.h"
#include "core/data/table_decision.h"
#include "core/data/text_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <set>

namespace unroll {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMostMarkers = 8;  // that a sentence lists
constexpr size_t kMostFooters = 20; // lines of words below the last number
/// The text, and a number of eight bytes for each of its cells, of which an empty one takes a byte.
constexpr uint64_t kMemoryPerByte = 9;

/// Takes rows in, by what was decided of the table.
class TableBuilder {
public:
    TableBuilder(TableDecision decision, const TableChoices& choices, size_t rows);

    Result<void> add(const std::vector<std::string>& cells, int64_t line);
    Result<NumberTable> finish(const std::string& name, const RowReader& reader);

private:
    void name(const std::vector<std::string>& header);
    Result<void> put(ReadColumn& column, const std::string& text, int64_t line, size_t at);
    bool isPlain(const std::string& text, double& value) const;
    Result<double> number(ReadColumn& column, const std::string& text, const std::string& place);
    void look(ReadColumn& column, const std::string& text, int64_t line);
    bool isFooter(const std::vector<std::string>& cells) const;
    void noteFormat(std::vector<DataNote>& notes, const RowReader& reader) const;

    TableDecision m_decision;
    CellJudge m_judge;
    NumberSigns m_signs;
    std::vector<double> m_missingNumbers; // as the user has set them
    std::vector<ReadColumn> m_columns;
    int64_t m_added = 0;
    int64_t m_emptyRows = 0;  // since the last row with something in it
    int64_t m_footerLine = 0; // of the first line of words since then
    size_t m_footers = 0;
    std::string m_footer;
    std::map<std::string, int64_t> m_markers;
};

TableBuilder::TableBuilder(TableDecision decision, const TableChoices& choices, size_t rows)
    : m_decision(std::move(decision)), m_judge(choices), m_signs(m_decision.format.signs)
{
    m_signs.thousands = choices.thousands; // any, where none is set
    for (const std::string& word : choices.missing)
        if (const auto written = writtenNumber(word))
            for (const NumberSigns& signs :
                 {m_signs, NumberSigns{'.', GroupSign::None}}) // as the file has it, else as programs do
                if (const auto read = readNumber(*written, signs); read.fault == NumberReading::Fault::None) {
                    m_missingNumbers.push_back(read.value);
                    break;
                }
    m_columns.resize(m_decision.names.size());
    for (size_t i = 0; i < m_columns.size(); ++i) {
        m_columns[i].isNumbers = m_decision.isNumbers[i];
        if (m_columns[i].isNumbers)
            m_columns[i].values.reserve(rows);
    }
    name(m_decision.names);
}

/// Without a header, and where a name is missing, the column's number. A name that comes again gets a number behind it.
void TableBuilder::name(const std::vector<std::string>& header)
{
    std::set<std::string> taken;
    for (const bool given : {true, false}) // a number that stands in for a name gives way to names
        for (size_t i = 0; i < m_columns.size(); ++i) {
            const std::string_view written = withoutBlanks(header[i]);
            if (written.empty() == given)
                continue;
            const std::string wish = given ? std::string(written) : std::to_string(i + 1);
            std::string made = wish;
            for (int again = 2; !taken.insert(made).second; ++again)
                made = fmt::format("{} ({})", wish, again);
            m_columns[i].name = std::move(made);
        }
}

/// The short way for most numbers: digits, a point and an exponent, where nothing else is to be heeded.
bool TableBuilder::isPlain(const std::string& text, double& value) const
{
    if (m_signs.decimal != '.' || !m_missingNumbers.empty() || text.find_first_of("0123456789") > 1)
        return false;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

/// NaN for a missing one.
Result<double> TableBuilder::number(ReadColumn& column, const std::string& text, const std::string& place)
{
    if (m_judge.isMarked(text)) {
        ++m_markers[std::string(withoutBlanks(text))];
        return kMissing;
    }
    if (double value = 0; isPlain(text, value)) {
        ++column.filled;
        return value;
    }
    const auto written = writtenNumber(text);
    const NumberReading read = written ? readNumber(*written, m_signs) : NumberReading{};
    if (read.fault == NumberReading::Fault::TooLarge)
        return fail(fmt::format("{}: {} exceeds the range of double precision", place, quotedCell(text)));
    if (read.fault == NumberReading::Fault::NoNumber) {
        if (isMissing(text)) {
            ++m_markers[std::string(withoutBlanks(text))];
            return kMissing;
        }
        if (isInfinite(text))
            return fail(fmt::format("{}: {} is not a finite number; if it means missing, set missing to {}", place,
                                    quotedCell(text), withoutBlanks(text)));
        return fail(fmt::format("{}: {} is not a number", place, quotedCell(text)));
    }
    column.percent += written->percent;
    column.currency += !written->currency.empty();
    if (column.currencySign.empty())
        column.currencySign = written->currency;
    else if (!written->currency.empty() && written->currency != column.currencySign)
        column.otherSign = written->currency;
    if (std::find(m_missingNumbers.begin(), m_missingNumbers.end(), read.value) != m_missingNumbers.end()) {
        ++m_markers[std::string(withoutBlanks(text))];
        return kMissing;
    }
    ++column.filled;
    return read.value;
}

/// At a cell of a column that is left out: whether its dates follow each other.
void TableBuilder::look(ReadColumn& column, const std::string& text, int64_t line)
{
    if (const auto stamp = readTimeStamp(text)) {
        ++column.dates;
        column.other.dayFirst.add(stamp->dayFirst, line);
        column.other.monthFirst.add(stamp->monthFirst, line);
    } else if (const CellKind kind = m_judge.kindOf(text); kind == CellKind::Number) {
        ++column.rightNumbers;
        column.firstNumber.add(text, line);
    } else if (kind == CellKind::Text) {
        ++column.words;
        column.almostNumbers += beginsAsNumber(text, true);
        column.firstWord.add(text, line);
    }
}

Result<void> TableBuilder::put(ReadColumn& column, const std::string& text, int64_t line, size_t at)
{
    if (!column.isNumbers) {
        look(column, text, line);
        return {};
    }
    if (!isFilled(text)) {
        column.values.push_back(kMissing);
        return {};
    }
    const auto read = number(column, text, placeInTable(line, at));
    if (!read)
        return tl::unexpected(read.error());
    column.values.push_back(*read);
    return {};
}

/// A line of words below the table: one cell, or cells that are not a row of it.
bool TableBuilder::isFooter(const std::vector<std::string>& cells) const
{
    size_t filled = 0, words = 0;
    bool belongs = false; // a word where words stand in other rows
    const bool fits = cells.size() == m_decision.cells;
    for (size_t i = 0; i < cells.size(); ++i)
        if (const CellKind kind = m_judge.kindOf(cells[i]); kind != CellKind::Blank) {
            ++filled;
            words += kind == CellKind::Text;
            belongs = fits && i < m_columns.size() && !m_columns[i].isNumbers && m_columns[i].dates == 0;
        }
    const bool isAlone = filled == 1 && words == 1 && m_columns.size() > 1;
    return (isAlone && !belongs) || ((!fits || m_footers > 0) && words > 0 && words == filled);
}

Result<void> TableBuilder::add(const std::vector<std::string>& cells, int64_t line)
{
    if (std::none_of(cells.begin(), cells.end(), isFilled)) {
        ++m_emptyRows;
        return {};
    }
    if (m_footers < kMostFooters && isFooter(cells)) {
        if (m_footers++ == 0) {
            m_footerLine = line;
            m_footer = cells.empty() ? "" : *std::find_if(cells.begin(), cells.end(), isFilled);
        }
        return {};
    }
    const size_t columns = m_columns.size();
    const bool extra = std::any_of(cells.begin() + static_cast<std::ptrdiff_t>(std::min(columns, cells.size())),
                                   cells.end(), isFilled);
    if (m_footers > 0)
        return fail(fmt::format("line {}: {} is not a row of numbers, but rows of numbers follow", m_footerLine,
                                quotedCell(m_footer)));
    if (cells.size() < columns || extra)
        return fail(fmt::format("line {} has {}; the first row has {}", line,
                                counted(static_cast<int64_t>(cells.size()), "cell"),
                                grouped(static_cast<int64_t>(m_decision.cells))));
    for (; m_emptyRows > 0; --m_emptyRows, ++m_added) // between rows they are rows
        for (ReadColumn& column : m_columns)
            if (column.isNumbers)
                column.values.push_back(kMissing);
    for (size_t i = 0; i < columns; ++i)
        if (auto good = put(m_columns[i], cells[i], line, i); !good)
            return fail(good.error().message + (m_added == 0 ? m_decision.doubt : ""));
    ++m_added;
    return {};
}

void TableBuilder::noteFormat(std::vector<DataNote>& notes, const RowReader& reader) const
{
    notes.emplace_back("table-format", fmt::format("Read as: {}.", formatText(m_decision.format)));
    if (m_emptyRows > 0)
        notes.emplace_back("empty-rows", fmt::format("{} at the end {} left out.", counted(m_emptyRows, "empty row"),
                                                     m_emptyRows == 1 ? "is" : "are"));
    if (const int64_t blank = reader.blankLines();
        blank > 0) { // of one column they may be rows; not where every second line is blank
        const bool doubtful = m_columns.size() == 1 && blank + 1 < m_added;
        notes.emplace_back("blank-lines",
                           fmt::format("{} between rows {} skipped{}.", counted(blank, "blank line"),
                                       blank == 1 ? "is" : "are",
                                       doubtful ? "; where a number is missing, write NA" : ""),
                           doubtful);
    }
    if (m_footers > 0)
        notes.emplace_back("footer", fmt::format("{} of text below the last row {} left out, from line {} on: {}.",
                                                 counted(static_cast<int64_t>(m_footers), "line"),
                                                 m_footers == 1 ? "is" : "are", m_footerLine, quotedCell(m_footer)));
}

Result<NumberTable> TableBuilder::finish(const std::string& name, const RowReader& reader)
{
    if (m_added == 0)
        return fail("has a header and no rows below it");
    NumberTable table;
    table.name = name;
    table.rows = m_added;
    TableFormat& format = m_decision.format;
    for (const auto& [word, count] : m_markers)
        if (format.missing.size() < kMostMarkers)
            format.missing.push_back(word);
    noteFormat(table.notes, reader);
    table.notes.insert(table.notes.end(), m_decision.notes.begin(), m_decision.notes.end());
    noteCells(m_columns, table.notes);
    for (ReadColumn& column : m_columns) {
        if (column.isNumbers)
            table.columns.push_back({std::move(column.name), std::move(column.values)});
        else
            table.leftOut.push_back(leftOut(std::move(column)));
    }
    table.format = std::move(format);
    return table;
}

Result<NumberTable> readText(std::string_view text, const std::string& name, const TableChoices& choices,
                             TextEncoding encoding)
{
    auto decision = decideTable(text, choices);
    if (!decision)
        return tl::unexpected(decision.error());
    decision->format.encoding = encoding;
    const TableFormat format = decision->format;
    const auto lines =
        static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; })) + 1;
    TableBuilder builder(std::move(*decision), choices, lines);
    RowReader reader(text, format.marks, format.skippedLines);
    std::vector<std::string> cells;
    for (int64_t row = 0;; ++row) {
        const auto more = reader.next(cells);
        if (!more)
            return tl::unexpected(more.error());
        if (!*more)
            return builder.finish(name, reader);
        if (row < format.headerRows)
            continue;
        if (auto added = builder.add(cells, reader.line()); !added)
            return tl::unexpected(added.error());
    }
}

/// What a text is that has no rows of numbers: empty where it may have some.
std::string noTableButWhat(std::string_view text)
{
    const size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const std::string_view rest = text.substr(begin);
    if (rest.starts_with("<?xml") || rest.starts_with("<table") || rest.starts_with("<TABLE") ||
        rest.starts_with("<!--"))
        return "is XML or HTML: save the table as CSV";
    if (rest.starts_with("{\\rtf"))
        return "is formatted text (RTF): save it as plain text";
    const size_t nul = text.find('\0');
    if (nul == text.npos)
        return "";
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n') + 1;
    return fmt::format("contains NUL characters, the first in line {}: it is not text, or part of it is lost",
                       grouped(line));
}

} // namespace

Result<NumberTable> readTable(std::string bytes, const std::string& name, const TableWishes& wishes)
{
    const auto choices = choicesOf(wishes);
    if (!choices)
        return tl::unexpected(choices.error());
    if (const std::string what = noTextButWhat(bytes); !what.empty())
        return fail(what, name);
    const TextEncoding encoding = choices->encoding.value_or(findEncoding(bytes));
    const std::string text = decodedText(std::move(bytes), encoding);
    if (const std::string what = noTableButWhat(text); !what.empty())
        return fail(what, name);
    auto table = readText(text, name, *choices, encoding);
    if (!table && table.error().place.empty())
        return fail(table.error().message, name);
    return table;
}

Result<NumberTable> openTable(const std::filesystem::path& file, const TableWishes& wishes, uint64_t memoryLimit)
{
    auto bytes = readFile(file, memoryLimit > 0 ? memoryLimit : availableMemory(), kMemoryPerByte);
    if (!bytes)
        return tl::unexpected(bytes.error());
    return readTable(std::move(*bytes), file.string(), wishes);
}

Result<std::vector<std::string>> readNames(const std::string& list)
{
    std::vector<std::string> names;
    const auto read = RowReader(list, {}).next(names);
    if (!read)
        return fail("unclosed quote in the list");
    return names;
}

std::string listOfNames(const std::vector<std::string>& names)
{
    std::string list;
    for (const std::string& name : names) {
        list += list.empty() ? "" : ", ";
        const bool plain = name.find_first_of(",\"\r\n") == std::string::npos && withoutBlanks(name) == name;
        if (plain) {
            list += name;
            continue;
        }
        list += '"';
        for (const char c : name)
            list.append(c == '"' ? 2 : 1, c);
        list += '"';
    }
    return list;
}

} // namespace unroll
