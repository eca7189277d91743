// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table_header.h"

#include "core/base/number_text.h"
#include "core/data/header_notes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {

namespace {

using Evidence = std::vector<ColumnEvidence>;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// "Week 12" -> "Aaaa 9"
std::string shapeOf(std::string_view cell)
{
    std::string shape;
    for (const char c : withoutBlanks(cell))
        if (!isDigit(c))
            shape += c >= 'a' && c <= 'z' ? 'a' : c >= 'A' && c <= 'Z' ? 'A' : c;
        else if (shape.empty() || shape.back() != '9')
            shape += '9';
    return shape;
}

/// What a row has, seen from the rows below it.
struct RowLook {
    size_t numbers = 0;       // where they have numbers
    size_t dates = 0;         // where they have dates, or words of this shape
    size_t words = 0;         // where they have numbers or dates
    size_t almostNumbers = 0; // of those words: written like a number, but none

    bool isHeader() const { return numbers + dates + almostNumbers == 0; }
};

class TopFinder {
public:
    TopFinder(const TableChoices& choices, const Layout& layout)
        : m_choices(choices), m_judge(choices), m_layout(layout)
    {}
    Result<TableTop> find();

private:
    Result<void> findFirstRow();
    Result<void> takeGivenHeader();
    bool isRow(size_t at, const Evidence& evidence) const;
    bool isGap(size_t at) const;
    RowLook lookAt(size_t at) const;
    bool comesBelow(size_t at, size_t column) const;
    bool isNumberedHeader(size_t at, bool strictly) const;
    void takeMisfits();
    void takeRow(size_t at, Evidence& evidence) const;
    Result<void> findNames();
    size_t headerBegin() const;
    bool fits(const std::vector<std::string>& cells) const;
    size_t countOf(CellKind kind, const std::vector<std::string>& cells) const;
    bool isShifted(const std::vector<std::string>& cells) const;
    void takeShiftedNames();
    Result<void> refuseMisfits() const;
    void namesFromComment();
    const std::vector<std::string>& row(size_t i) const { return m_layout.first[i].cells; }
    int64_t line(size_t i) const { return m_layout.first[i].line; }

    const TableChoices& m_choices;
    CellJudge m_judge;
    const Layout& m_layout;
    std::vector<Evidence> m_from; // of the rows from each of the first ones on
    TableTop m_top;
};

/// Whether the row is one of numbers, with what the rows from it on say of the columns.
bool TopFinder::isRow(size_t at, const Evidence& evidence) const
{
    bool hasNumber = false;
    for (size_t i = 0; i < evidence.size() && i < row(at).size(); ++i) {
        const CellKind kind = m_judge.kindOf(row(at)[i]);
        const bool isWord = kind == CellKind::Text || kind == CellKind::Date;
        if ((evidence[i].isNumbers() && isWord) || (evidence[i].isDates() && kind == CellKind::Text))
            return false;
        hasNumber = hasNumber || (evidence[i].isNumbers() && kind == CellKind::Number);
    }
    return hasNumber;
}

void TopFinder::takeRow(size_t at, Evidence& evidence) const
{
    for (size_t i = 0; i < evidence.size() && i < row(at).size(); ++i)
        m_judge.judge(row(at)[i], line(at), evidence[i]);
}

/// Whether a row that lacks every number belongs to the table all the same: by words for a missing number, by dates, by
/// words that come again. A dash alone may as well be the unit of what has none.
bool TopFinder::isGap(size_t at) const
{
    if (isRuleRow(row(at)))
        return false;
    bool marked = false, again = true;
    for (size_t i = 0; i < row(at).size(); ++i) {
        const CellKind kind = m_judge.kindOf(row(at)[i]);
        const ColumnEvidence& below = m_top.evidence[i];
        const bool isText = kind == CellKind::Text;
        const bool isName = isText || kind == CellKind::Date;
        if (kind == CellKind::Number || (isName && below.isNumbers()) || (isText && below.isDates()))
            return false;
        again = again && (!isText || comesBelow(at, i));
        marked = marked || kind == CellKind::Date || (kind == CellKind::Missing && withoutBlanks(row(at)[i]) != "-");
        marked = marked || ((kind == CellKind::Missing || isText) && again);
    }
    return marked;
}

/// The highest row that fits the columns as the rows from it on make them. Rows above it that lack every number belong
/// to the table too.
Result<void> TopFinder::findFirstRow()
{
    Evidence below = m_layout.later;
    below.resize(m_layout.width);
    size_t found = m_layout.first.size();
    m_from.resize(m_layout.first.size());
    for (size_t at = m_layout.first.size(); at-- > 0;) {
        if (row(at).size() == m_layout.width)
            takeRow(at, below);
        m_from[at] = below;
        if (row(at).size() == m_layout.width && isRow(at, below))
            found = at;
    }
    if (found == m_layout.first.size())
        return fail(m_layout.rows == 1 ? "has a header and no rows below it" : noNumbers(m_choices, m_layout));
    m_top.begin = found;
    m_top.evidence = m_from[found];
    while (m_top.begin > 0 && row(m_top.begin - 1).size() == m_layout.width && isGap(m_top.begin - 1))
        --m_top.begin;
    takeMisfits();
    return {};
}

bool TopFinder::comesBelow(size_t at, size_t column) const
{
    const std::string& cell = row(at)[column];
    const bool numbered = cell.find_first_of("0123456789") != std::string::npos;
    const std::string shape = numbered ? shapeOf(cell) : "";
    for (size_t i = m_top.begin; i < m_layout.first.size(); ++i)
        if (column < row(i).size() && (row(i)[column] == cell || (numbered && shapeOf(row(i)[column]) == shape)))
            return true;
    return false;
}

RowLook TopFinder::lookAt(size_t at) const
{
    RowLook look;
    const Evidence& below = m_top.evidence;
    for (size_t i = 0; i < below.size() && i < row(at).size(); ++i) {
        const CellKind kind = m_judge.kindOf(row(at)[i]);
        const bool isWord = kind == CellKind::Text || kind == CellKind::Date;
        if (below[i].isNumbers()) {
            look.numbers += kind == CellKind::Number;
            look.words += isWord;
            look.almostNumbers += kind == CellKind::Text && (beginsAsNumber(row(at)[i]) || isInfinite(row(at)[i]));
        } else if (below[i].isDates()) {
            look.dates += kind == CellKind::Date;
            look.words += kind == CellKind::Text;
        } else if (kind == CellKind::Text) {
            look.dates += comesBelow(at, i);
        }
    }
    return look;
}

/// Names of which some are numbers, as "Id, 400.5, 401, 401.5". `strictly`: numbers that step one way behind words
/// alone.
bool TopFinder::isNumberedHeader(size_t at, bool strictly) const
{
    const RowLook look = lookAt(at);
    if (look.dates > 0 || look.words == 0 || look.numbers == 0)
        return false;
    std::vector<double> numbers;
    bool behind = true, up = true, down = true;
    for (const std::string& cell : row(at)) {
        const auto written = writtenNumber(cell);
        const auto read = written ? readNumber(*written, {}) : NumberReading{};
        if (read.fault != NumberReading::Fault::None) {
            behind = behind && numbers.empty();
            continue;
        }
        up = up && (numbers.empty() || read.value > numbers.back());
        down = down && (numbers.empty() || read.value < numbers.back());
        numbers.push_back(read.value);
    }
    constexpr size_t kSeries = 3; // numbers: two step one way by chance
    const bool follows = numbers.size() == 2 && std::abs(numbers[1] - numbers[0]) == 1;
    const bool steps = behind && (numbers.size() >= kSeries || follows) && (up || down);
    return steps || (!strictly && look.almostNumbers == 0 && look.words >= look.numbers);
}

/// Rows directly above the first that fits which have numbers and dates where that one has them are rows of the table
/// that do not fit it: to take them for a header would drop them without a word.
void TopFinder::takeMisfits()
{
    size_t top = m_top.begin, at = m_top.begin;
    const auto goesOn = [&] {
        return at > 0 && !m_layout.first[at].blankAbove && row(at - 1).size() == m_layout.width;
    };
    for (; goesOn() && !isRuleRow(row(at - 1)) && !lookAt(at - 1).isHeader(); --at)
        top = at - 1;
    if (top == m_top.begin)
        return;
    const bool isHeaded = goesOn();
    if (!isHeaded && m_top.begin - top == 1 && isNumberedHeader(top, false)) {
        if (!isNumberedHeader(top, true))
            m_top.notes.emplace_back(
                "header",
                fmt::format("Line {} is read as header although it has numbers where the rows below have them.",
                            line(top)),
                true);
        return;
    }
    const int64_t last = line(m_top.begin) - 1;
    const std::string lines =
        line(top) == last ? fmt::format("line {} is", last) : fmt::format("lines {} to {} are", line(top), last);
    m_top.doubt = isHeaded
                      ? fmt::format("; if {} part of the header, set header_rows to {}", lines, m_top.begin - at + 1)
                      : fmt::format("; if {} not part of the table, set skip_rows to {}", lines, last);
    m_top.begin = top;
    m_top.evidence = m_from[top];
}

/// The user says how many rows have names: those of this table's width from the top on.
Result<void> TopFinder::takeGivenHeader()
{
    size_t top = 0;
    while (!m_choices.skippedLines && top < m_layout.first.size() && row(top).size() != m_layout.width)
        ++top;
    const auto wanted = static_cast<size_t>(*m_choices.headerRows);
    m_top.begin = top + wanted;
    if (m_top.begin >= m_layout.first.size() && m_layout.rows <= static_cast<int64_t>(m_top.begin))
        return fail("has no rows below its header");
    m_top.evidence = m_layout.later;
    m_top.evidence.resize(m_layout.width);
    for (size_t at = m_top.begin; at < m_layout.first.size(); ++at)
        if (row(at).size() == m_layout.width)
            takeRow(at, m_top.evidence);
    if (wanted > 0) {
        m_top.named = top;
        m_top.names = row(top);
    }
    return {};
}

/// The first row of words of those that stand together directly above the numbers; a blank line may part them from
/// these.
size_t TopFinder::headerBegin() const
{
    size_t begin = m_top.begin;
    for (bool isNearest = true; begin > 0; --begin) {
        const size_t at = begin - 1;
        if ((!isNearest && m_layout.first[begin].blankAbove) || !(fits(row(at)) || isRuleRow(row(at))))
            break;
        const bool isEmpty = std::none_of(row(at).begin(), row(at).end(), isFilled);
        if (!isNearest && isEmpty)
            break;
        if (!isNearest && !isRuleRow(row(at)) && !lookAt(at).isHeader())
            return isNumberedHeader(at, true) ? at : begin;
        isNearest = isNearest && isEmpty;
    }
    return begin;
}

/// Of the header's rows the first one that has most cells filled. A first cell may be empty: an index has no name.
Result<void> TopFinder::findNames()
{
    size_t most = 0, only = m_top.named;
    for (size_t at = headerBegin(); at < m_top.begin; ++at) {
        const auto& cells = row(at);
        auto filled = static_cast<size_t>(std::count_if(cells.begin(), cells.end(), isFilled));
        only = filled > 0 && at + 1 == m_top.begin && !m_layout.first[m_top.begin].blankAbove ? at : only;
        filled += filled + 1 == m_top.columns && filled > 0 && !isFilled(cells.front()) ? 1 : 0;
        if (filled < std::min<size_t>(2, m_top.columns) || filled <= most || isRuleRow(cells))
            continue;
        most = filled;
        m_top.named = at;
    }
    if (!m_top.hasNames())
        m_top.named = only;
    if (auto good = refuseMisfits(); !good)
        return good;
    if (m_top.hasNames())
        m_top.names = row(m_top.named);
    else if (m_top.begin > 0)
        takeShiftedNames();
    else
        namesFromComment();
    return {};
}

bool TopFinder::fits(const std::vector<std::string>& cells) const
{
    return cells.size() >= m_top.columns &&
           std::none_of(cells.begin() + static_cast<std::ptrdiff_t>(std::min(cells.size(), m_layout.width)),
                        cells.end(), isFilled);
}

size_t TopFinder::countOf(CellKind kind, const std::vector<std::string>& cells) const
{
    return static_cast<size_t>(std::count_if(cells.begin(), cells.end(),
                                             [&](const std::string& cell) { return m_judge.kindOf(cell) == kind; }));
}

/// As R writes a table: the names of rows have none above them.
bool TopFinder::isShifted(const std::vector<std::string>& cells) const
{
    const bool blanks = m_layout.marks.delimiter == RowMarks::kBlanks || m_layout.marks.delimiter == '\t';
    return blanks && cells.size() + 1 == m_top.columns && countOf(CellKind::Text, cells) == cells.size();
}

void TopFinder::takeShiftedNames()
{
    if (!isShifted(row(m_top.begin - 1)))
        return;
    m_top.named = m_top.begin - 1;
    m_top.names = row(m_top.named);
    m_top.names.insert(m_top.names.begin(), "");
}

/// What stands above the numbers and cannot be skipped without a word: several words directly above them, or
/// numbers alone, and another number of cells than the rows below.
Result<void> TopFinder::refuseMisfits() const
{
    for (size_t at = 0; at < m_top.begin; ++at) {
        const auto& cells = row(at);
        const size_t numbers = countOf(CellKind::Number, cells);
        const bool isHeader = at + 1 == m_top.begin && at != m_top.named && countOf(CellKind::Text, cells) > 1;
        const bool isNumbers = numbers > 1 && numbers + countOf(CellKind::Blank, cells) == cells.size();
        if (fits(cells) || !(isHeader || isNumbers) || (isHeader && !m_top.hasNames() && isShifted(cells)))
            continue;
        return fail(fmt::format(
            "line {0} has {1} and line {2} has {3}; if line {0} is not part of the table, set skip_rows to {0}",
            line(at), counted(static_cast<int64_t>(cells.size()), "cell"), line(m_top.begin),
            grouped(static_cast<int64_t>(m_layout.width))));
    }
    return {};
}

/// numpy and gnuplot write names as a comment above the numbers.
void TopFinder::namesFromComment()
{
    const std::string comment = m_layout.first[m_top.begin].commentAbove;
    if (m_top.begin > 0 || comment.empty() || m_layout.width < 2)
        return;
    std::vector<std::string> cells;
    RowMarks marks = m_layout.marks;
    marks.comments.clear();
    const auto read = RowReader(comment, marks).next(cells);
    const bool words = std::none_of(cells.begin(), cells.end(), [&](const std::string& cell) {
        const CellKind kind = m_judge.kindOf(cell);
        return kind == CellKind::Number || kind == CellKind::Date;
    });
    if (!read || !*read || cells.size() != m_layout.width || !words)
        return;
    m_top.names = cells;
    m_top.namesAreComment = true;
}

Result<TableTop> TopFinder::find()
{
    if (auto found = m_choices.headerRows ? takeGivenHeader() : findFirstRow(); !found)
        return tl::unexpected(found.error());
    m_top.columns = m_top.evidence.size();
    while (m_top.columns > 1 && m_top.evidence[m_top.columns - 1].isEmpty())
        --m_top.columns;
    if (!m_choices.headerRows)
        if (auto named = findNames(); !named)
            return tl::unexpected(named.error());
    const size_t most = std::min(m_top.evidence.size(), m_top.names.size());
    while (m_top.columns < most && isFilled(m_top.names[m_top.columns]))
        ++m_top.columns;
    noteHeader(m_top, m_choices, m_layout);
    return std::move(m_top);
}

} // namespace

Result<TableTop> findTop(const TableChoices& choices, const Layout& layout)
{
    return TopFinder(choices, layout).find();
}

} // namespace unroll
