// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table_decision.h"

#include "core/base/number_words.h"
#include "core/data/column_evidence.h"
#include "core/data/table_survey.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>

namespace unroll {

namespace {

using Evidence = std::vector<ColumnEvidence>;
constexpr char kSigns[] = {'.', ','};

bool isFilled(const std::string& cell)
{
    return !withoutBlanks(cell).empty();
}

std::string placed(const Sighting& seen, const std::string& column)
{
    return fmt::format("{} (line {}, column {})", quotedCell(seen.text), grouped(seen.line), column);
}

/// Takes the header, the signs and the columns out of one way to divide the text.
class Decider {
public:
    Decider(std::string_view text, const TableChoices& choices, const Layout& layout)
        : m_text(text), m_choices(choices), m_judge(choices), m_layout(layout)
    {
        m_made.format.marks = layout.marks;
        m_made.cells = layout.width;
    }
    Result<TableDecision> decide();

private:
    Result<void> findFirstRow();
    Result<void> takeGivenHeader();
    bool isRow(size_t row, const Evidence& evidence) const;
    void takeRow(size_t row, Evidence& evidence) const;
    Result<void> findNames();
    bool fits(const std::vector<std::string>& cells) const;
    size_t countOf(CellKind kind, const std::vector<std::string>& cells) const;
    bool isShifted(const std::vector<std::string>& cells) const;
    void takeShiftedNames();
    Result<void> refuseMisfits() const;
    void namesFromComment();
    Result<void> namesOfNumbers();
    std::vector<size_t> wholeNumbersOf(const std::vector<std::string>& row) const;
    Result<void> findSigns();
    Result<void> refuseContradictions() const;
    size_t decimalBySize(bool& isSure);
    void noteOpen(size_t decimal);
    std::string nameOf(size_t column) const;
    const std::vector<std::string>& row(size_t i) const { return m_layout.first[i].cells; }

    std::string_view m_text;
    const TableChoices& m_choices;
    CellJudge m_judge;
    const Layout& m_layout;
    TableDecision m_made;
    size_t m_begin = 0;                                  // the first row of numbers, among the layout's first ones
    size_t m_named = std::numeric_limits<size_t>::max(); // the row of names; the largest: there is none
    Evidence m_evidence;                                 // of the rows from m_begin on
};

std::string Decider::nameOf(size_t column) const
{
    const bool named = column < m_made.names.size() && !m_made.names[column].empty();
    return named ? m_made.names[column] : std::to_string(column + 1);
}

/// Whether the row is one of numbers, with what the rows from it on say of the columns.
bool Decider::isRow(size_t at, const Evidence& evidence) const
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

void Decider::takeRow(size_t at, Evidence& evidence) const
{
    for (size_t i = 0; i < evidence.size() && i < row(at).size(); ++i)
        m_judge.judge(row(at)[i], m_layout.first[at].line, evidence[i]);
}

/// The highest row that fits the columns as the rows from it on make them. Rows above it that lack every number belong to the table too.
Result<void> Decider::findFirstRow()
{
    Evidence below = m_layout.later;
    below.resize(m_layout.width);
    size_t found = m_layout.first.size();
    std::vector<Evidence> from(m_layout.first.size());
    for (size_t at = m_layout.first.size(); at-- > 0;) {
        if (row(at).size() == m_layout.width)
            takeRow(at, below);
        from[at] = below;
        if (row(at).size() == m_layout.width && isRow(at, below))
            found = at;
    }
    if (found == m_layout.first.size())
        return fail(m_layout.rows == 1 ? "has names of columns and no row below them" : "has no column of numbers");
    const auto isGap = [&](size_t at) {
        bool marked = false;
        for (size_t i = 0; i < row(at).size(); ++i) {
            const CellKind kind = m_judge.kindOf(row(at)[i]);
            const bool words = kind == CellKind::Text && !from[found][i].isNumbers() && !from[found][i].isDates();
            if (kind == CellKind::Number || kind == CellKind::Text)
                return false;
            marked = marked || kind == CellKind::Missing || kind == CellKind::Date || words;
        }
        return marked;
    };
    while (found > 0 && row(found - 1).size() == m_layout.width && isGap(found - 1))
        --found;
    m_begin = found;
    m_evidence = from[found];
    return {};
}

/// The user says how many rows have names: those of this table's width from the top on.
Result<void> Decider::takeGivenHeader()
{
    size_t top = 0;
    while (!m_choices.skippedLines && top < m_layout.first.size() && row(top).size() != m_layout.width)
        ++top;
    const auto wanted = static_cast<size_t>(*m_choices.headerRows);
    m_begin = top + wanted;
    if (m_begin >= m_layout.first.size() && m_layout.rows <= static_cast<int64_t>(m_begin))
        return fail("has no row below its header");
    m_evidence = m_layout.later;
    m_evidence.resize(m_layout.width);
    for (size_t at = m_begin; at < m_layout.first.size(); ++at)
        if (row(at).size() == m_layout.width)
            takeRow(at, m_evidence);
    if (wanted > 0)
        m_named = top;
    return {};
}

/// Of the rows above the numbers the first one that has most cells filled. A first cell may be empty: an index has no name.
Result<void> Decider::findNames()
{
    size_t most = 0;
    const size_t columns = m_made.isNumbers.size();
    for (size_t at = 0; at < m_begin; ++at) {
        const auto& cells = row(at);
        if (!fits(cells))
            continue;
        auto filled = static_cast<size_t>(std::count_if(cells.begin(), cells.end(), isFilled));
        filled += filled + 1 == columns && !isFilled(cells.front()) ? 1 : 0;
        if (filled >= std::min<size_t>(2, columns) && filled > most) {
            most = filled;
            m_named = at;
        }
    }
    if (auto good = refuseMisfits(); !good)
        return good;
    if (m_named < m_begin)
        m_made.names = row(m_named);
    else if (m_begin > 0)
        takeShiftedNames();
    else
        namesFromComment();
    return {};
}

bool Decider::fits(const std::vector<std::string>& cells) const
{
    return cells.size() >= m_made.isNumbers.size() &&
           std::none_of(cells.begin() + static_cast<std::ptrdiff_t>(std::min(cells.size(), m_layout.width)),
                        cells.end(), isFilled);
}

size_t Decider::countOf(CellKind kind, const std::vector<std::string>& cells) const
{
    return static_cast<size_t>(std::count_if(cells.begin(), cells.end(),
                                             [&](const std::string& cell) { return m_judge.kindOf(cell) == kind; }));
}

/// As R writes a table: the names of rows have none above them.
bool Decider::isShifted(const std::vector<std::string>& cells) const
{
    const bool blanks = m_layout.marks.delimiter == RowMarks::kBlanks || m_layout.marks.delimiter == '\t';
    return blanks && cells.size() + 1 == m_made.isNumbers.size() && countOf(CellKind::Text, cells) == cells.size();
}

void Decider::takeShiftedNames()
{
    if (!isShifted(row(m_begin - 1)))
        return;
    m_named = m_begin - 1;
    m_made.names = row(m_named);
    m_made.names.insert(m_made.names.begin(), "");
}

/// What stands above the numbers and cannot be passed over without a word: several words directly above them, or numbers alone, and another
/// number of cells than the rows below.
Result<void> Decider::refuseMisfits() const
{
    for (size_t at = 0; at < m_begin; ++at) {
        const auto& cells = row(at);
        const size_t numbers = countOf(CellKind::Number, cells);
        const bool isHeader = at + 1 == m_begin && at != m_named && countOf(CellKind::Text, cells) > 1;
        const bool isNumbers = numbers > 1 && numbers + countOf(CellKind::Blank, cells) == cells.size();
        if (fits(cells) || !(isHeader || isNumbers) || (isHeader && m_named > m_begin && isShifted(cells)))
            continue;
        return fail(fmt::format("line {0} has {1} and line {2} has {3}; if line {0} is no part of the table, set "
                                "skip_rows to {0}",
                                m_layout.first[at].line, counted(static_cast<int64_t>(cells.size()), "cell"),
                                m_layout.first[m_begin].line, grouped(static_cast<int64_t>(m_layout.width))));
    }
    return {};
}

/// numpy and gnuplot write names as a comment above the numbers.
void Decider::namesFromComment()
{
    const std::string comment = m_layout.first[m_begin].commentAbove;
    if (m_begin > 0 || comment.empty() || m_layout.width < 2)
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
    m_made.names = cells;
    m_made.format.namesAreComment = true;
}

/// Columns of numbers where the row has a whole number without a sign; empty where one of them has something else that is not blank.
std::vector<size_t> Decider::wholeNumbersOf(const std::vector<std::string>& cells) const
{
    std::vector<size_t> columns;
    for (size_t i = 0; i < m_evidence.size() && i < cells.size(); ++i) {
        if (!m_evidence[i].isNumbers() || withoutBlanks(cells[i]).empty())
            continue;
        const bool digits = cells[i].find_first_not_of("0123456789") == std::string::npos && cells[i].size() < 10 &&
                            (cells[i].size() == 1 || cells[i].front() != '0');
        if (!digits)
            return {};
        columns.push_back(i);
    }
    return columns;
}

/// Names may be numbers: years, 0 1 2 ... They are whole, all different, and of another kind than what is below.
Result<void> Decider::namesOfNumbers()
{
    const auto& top = row(m_begin);
    const std::vector<size_t> columns = wholeNumbersOf(top);
    if (columns.empty() || m_layout.rows < 4)
        return {};
    std::vector<int64_t> names;
    for (const size_t i : columns)
        names.push_back(std::stoll(top[i]));
    if (std::set<int64_t>(names.begin(), names.end()).size() != names.size())
        return {};
    Evidence others(m_layout.width);
    std::vector<double> least(m_layout.width, std::numeric_limits<double>::infinity()),
        greatest(m_layout.width, -least[0]);
    if (auto all = forEachRow(m_text, m_layout,
                              [&](const std::vector<std::string>& cells, int64_t line) {
                                  if (line <= m_layout.first[m_begin].line || cells.size() != m_layout.width)
                                      return;
                                  for (size_t i = 0; i < cells.size(); ++i) {
                                      m_judge.judge(cells[i], line, others[i]);
                                      if (const auto written = writtenNumber(cells[i])) {
                                          const auto read = readNumber(*written, m_made.format.signs);
                                          if (read.fault == NumberReading::Fault::None) {
                                              least[i] = std::min(least[i], read.value);
                                              greatest[i] = std::max(greatest[i], read.value);
                                          }
                                      }
                                  }
                              });
        !all)
        return all;
    const auto isOutside = [&](size_t k) {
        const auto name = static_cast<double>(names[k]);
        return name < least[columns[k]] || name > greatest[columns[k]];
    };
    bool fractions = true, outside = true, counting = names.size() > 1;
    for (size_t k = 0; k < columns.size(); ++k) {
        const ColumnEvidence& column = others[columns[k]];
        const int64_t pointed = column.numbers - column.whole[0] - column.whole[1] - column.whole[2];
        fractions = fractions && column.numbers > 0 && pointed == column.numbers;
        outside = outside && isOutside(k);
        counting = counting && (k == 0 || names[k] - names[k - 1] == names[1] - names[0]) && names[1] > names[0];
    }
    const bool indexed = withoutBlanks(top.front()).empty() && !others.front().isEmpty();
    const bool are = columns.size() > 1 ? fractions || (counting && (outside || indexed)) : fractions && outside;
    if (!are) {
        if (counting && columns.size() > 2 && names[1] - names[0] == 1) {
            DataNote note("header",
                          fmt::format("Line {} counts up ({}, {} ...) and is read as numbers; if these are names, "
                                      "set header_rows to 1.",
                                      m_layout.first[m_begin].line, names[0], names[1]),
                          true);
            note.param = "header_rows";
            note.remedy = "Read the First Row as Names";
            note.settings = {{"header_rows", "1"}};
            m_made.notes.push_back(std::move(note));
        }
        return {};
    }
    m_named = m_begin++;
    m_made.names = top;
    m_evidence = std::move(others);
    return {};
}

/// Numbers that only one decimal sign can read, of both kinds.
Result<void> Decider::refuseContradictions() const
{
    const auto first = [&](size_t decimal) {
        std::pair<const Sighting*, size_t> found{nullptr, 0};
        for (size_t i = 0; i < m_evidence.size(); ++i)
            if (const Sighting& seen = m_evidence[i].certain[decimal];
                m_evidence[i].isNumbers() && seen.count > 0 &&
                (found.first == nullptr || seen.line < found.first->line))
                found = {&seen, i};
        return found;
    };
    const auto contradict = [&](const Sighting& point, size_t a, const Sighting& comma, size_t b) {
        return fail(
            fmt::format("{} has a decimal point, and {} has a decimal comma: one file is written in one way; set "
                        "decimal to . or ,",
                        placed(point, nameOf(a)), placed(comma, nameOf(b))));
    };
    for (size_t i = 0; i < m_evidence.size(); ++i)
        if (const auto& certain = m_evidence[i].certain;
            m_evidence[i].isNumbers() && certain[0].count > 0 && certain[1].count > 0)
            return contradict(certain[0], i, certain[1], i);
    const auto [point, a] = first(ColumnEvidence::Point);
    const auto [comma, b] = first(ColumnEvidence::Comma);
    if (point != nullptr && comma != nullptr)
        return contradict(*point, a, *comma, b);
    return {};
}

/// Where "1.012" stands among whole numbers of three digits and none of four is written without a sign, the sign divides thousands; beside
/// 1012 it does not. 2: no column says so, or columns disagree.
size_t Decider::decimalBySize(bool& isSure)
{
    std::array<bool, 2> votes{};
    std::string thousands;
    for (size_t i = 0; i < m_evidence.size(); ++i)
        for (const size_t sign : {0, 1}) {
            const ColumnEvidence& column = m_evidence[i];
            if (!column.isNumbers() || column.open[sign].count == 0)
                continue;
            if (column.whole[2] > 0)
                votes[sign] = true;
            else if (column.whole[1] > 0) {
                votes[1 - sign] = true;
                thousands =
                    fmt::format("{} is read with a {} between thousands: its column has whole numbers of three digits "
                                "without one, and none of four.",
                                placed(column.open[sign], nameOf(i)), sign == 0 ? "point" : "comma");
            }
        }
    isSure = votes[0] != votes[1];
    if (isSure && !thousands.empty())
        m_made.notes.emplace_back("thousands", thousands);
    return votes[0] ? 0 : 1;
}

/// Says what was taken where nothing in the file decides.
void Decider::noteOpen(size_t decimal)
{
    for (size_t i = 0; i < m_evidence.size(); ++i)
        for (const size_t sign : {0, 1}) {
            const Sighting& seen = m_evidence[i].open[sign];
            if (!m_evidence[i].isNumbers() || seen.count == 0)
                continue;
            const bool asDecimal = sign == decimal;
            DataNote note(
                "open-signs",
                fmt::format("Nothing in the file says whether {} has a decimal {} or one between thousands: it "
                            "is read as {}; if that is wrong, set {} to \"{}\".",
                            placed(seen, nameOf(i)), sign == 0 ? "point" : "comma",
                            asDecimal ? "a decimal" : "thousands", asDecimal ? "thousands" : "decimal", kSigns[sign]),
                true);
            // A program that delimits by commas writes decimal points.
            note.warning = !(asDecimal && sign == 0 && m_layout.marks.delimiter == ',');
            note.param = asDecimal ? "thousands" : "decimal";
            note.remedy = asDecimal ? "Read It as Thousands" : "Read It as a Decimal";
            note.settings = {{note.param, std::string(1, kSigns[sign])}};
            m_made.notes.push_back(std::move(note));
            return;
        }
}

Result<void> Decider::findSigns()
{
    if (auto good = refuseContradictions(); !good)
        return good;
    std::array<int64_t, 2> certain{}, open{}, fractions{};
    std::array<unsigned, 2> groups{};
    for (const ColumnEvidence& column : m_evidence)
        for (size_t sign = 0; sign < 2 && column.isNumbers(); ++sign) {
            certain[sign] += column.certain[sign].count;
            open[sign] += column.open[sign].count;
            fractions[sign] += column.fractions[sign];
            groups[sign] |= column.groups[sign];
        }
    size_t decimal = certain[1] > 0 ? 1 : 0;
    if (m_choices.decimal) {
        decimal = *m_choices.decimal == ',' ? 1 : 0;
    } else if (certain[0] + certain[1] == 0 && open[0] + open[1] > 0) {
        bool isSure = false;
        const size_t bySize = decimalBySize(isSure);
        // Between commas "14,373" has quotes around it, which who writes decimal commas seldom does.
        const bool comma = open[0] == 0 && m_layout.marks.delimiter != ',';
        decimal = isSure ? bySize : comma ? 1 : 0;
        if (!isSure && !m_choices.thousands)
            noteOpen(decimal);
    }
    TableFormat& format = m_made.format;
    format.signs.decimal = kSigns[decimal];
    format.usesDecimals = fractions[decimal] > 0;
    format.signs.thousands = m_choices.thousands;
    for (const GroupSign sign : {GroupSign::Comma, GroupSign::Point, GroupSign::Apostrophe, GroupSign::Space})
        if (!m_choices.thousands && groups[decimal] == 1U << static_cast<unsigned>(sign))
            format.signs.thousands = sign;
    if (!m_choices.thousands && groups[decimal] == 0)
        format.signs.thousands = GroupSign::None;
    return {};
}

Result<TableDecision> Decider::decide()
{
    if (auto found = m_choices.headerRows ? takeGivenHeader() : findFirstRow(); !found)
        return tl::unexpected(found.error());
    size_t columns = m_evidence.size();
    while (columns > 1 && m_evidence[columns - 1].isEmpty())
        --columns;
    m_made.isNumbers.resize(columns);
    if (m_choices.headerRows && m_named < m_begin)
        m_made.names = row(m_named);
    if (!m_choices.headerRows)
        if (auto named = findNames(); !named)
            return tl::unexpected(named.error());
    while (columns < std::min(m_evidence.size(), m_made.names.size()) && isFilled(m_made.names[columns]))
        ++columns;
    m_made.isNumbers.resize(columns);
    if (auto signs = findSigns(); !signs)
        return tl::unexpected(signs.error());
    if (!m_choices.headerRows && m_made.names.empty())
        if (auto named = namesOfNumbers(); !named)
            return tl::unexpected(named.error());
    for (size_t i = 0; i < columns; ++i)
        m_made.isNumbers[i] = m_evidence[i].isNumbers();
    if (std::none_of(m_made.isNumbers.begin(), m_made.isNumbers.end(), [](bool is) { return is; }))
        return fail("has no column of numbers");
    if (m_named < m_begin && m_named + 1 < m_begin)
        m_made.units = row(m_named + 1);
    m_made.names.resize(columns);
    m_made.format.headerRows = m_named < m_begin ? static_cast<int64_t>(m_begin - m_named) : 0;
    const size_t top = std::min(m_named, m_begin);
    m_made.format.skippedLines = m_choices.skippedLines.value_or(m_layout.skippedLines);
    if (top > 0)
        m_made.format.skippedLines = m_layout.first[top].line - 1;
    return std::move(m_made);
}

} // namespace

Result<TableDecision> decideTable(std::string_view text, const TableChoices& choices)
{
    auto layout = findLayout(text, choices);
    if (!layout)
        return tl::unexpected(layout.error());
    auto decision = Decider(text, choices, *layout).decide();
    if (!decision)
        return decision;
    decision->notes.insert(decision->notes.begin(), layout->notes.begin(), layout->notes.end());
    return decision;
}

} // namespace unroll
