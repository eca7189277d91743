// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/column_evidence.h"

#include "core/data/time_stamp.h"

#include <algorithm>

namespace unroll {

namespace {

constexpr size_t kKeptBytes = 80; // of a cell in a sentence
constexpr char kSigns[] = {'.', ','};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Digits before and behind a point: most cells there are. False where the cell is anything else.
bool isPlain(std::string_view cell, size_t& whole, size_t& fraction, bool& pointed)
{
    if (!cell.empty() && cell.front() == '-')
        cell.remove_prefix(1);
    whole = std::min(cell.find_first_not_of("0123456789"), cell.size());
    pointed = whole < cell.size();
    if (whole == 0 || (pointed && cell[whole] != '.'))
        return false;
    fraction = cell.size() - whole - (pointed ? 1 : 0);
    return std::all_of(cell.begin() + static_cast<std::ptrdiff_t>(whole) + (pointed ? 1 : 0), cell.end(), isDigit) &&
           (!pointed || fraction > 0);
}

} // namespace

void Sighting::add(std::string_view cell, int64_t at)
{
    if (count++ == 0 || at < line) {
        line = at;
        text = cell.substr(0, kKeptBytes);
    }
}

void Sighting::add(const Sighting& other)
{
    if (other.count == 0)
        return;
    if (count == 0 || other.line < line) {
        line = other.line;
        text = other.text;
    }
    count += other.count;
}

void ColumnEvidence::add(const ColumnEvidence& other)
{
    blank += other.blank;
    missing += other.missing;
    numbers += other.numbers;
    dates += other.dates;
    texts.add(other.texts);
    for (size_t i = 0; i < 2; ++i) {
        certain[i].add(other.certain[i]);
        open[i].add(other.open[i]);
        fractions[i] += other.fractions[i];
        groups[i] |= other.groups[i];
    }
    for (size_t i = 0; i < whole.size(); ++i)
        whole[i] += other.whole[i];
    typedBytes += other.typedBytes;
    bytes += other.bytes;
}

CellJudge::CellJudge(const TableChoices& choices)
    : m_possible{choices.decimal.value_or('.') == '.', choices.decimal.value_or(',') == ','},
      m_thousands(choices.thousands),
      m_missing(choices.missing)
{}

bool CellJudge::isMarked(std::string_view cell) const
{
    return std::find(m_missing.begin(), m_missing.end(), withoutBlanks(cell)) != m_missing.end();
}

bool CellJudge::judgeNumber(std::string_view cell, int64_t line, ColumnEvidence& column) const
{
    size_t whole = 0, fraction = 0;
    bool pointed = false;
    std::array<NumberReading, 2> as;
    const bool plain = isPlain(cell, whole, fraction, pointed);
    if (plain && !pointed) {
        ++column.whole[whole < 3 ? 0 : whole == 3 ? 1 : 2];
        ++column.numbers;
        return true;
    }
    if (plain && m_possible[0] && (fraction != 3 || whole > 3)) {
        ++column.fractions[0];
        ++column.numbers;
        column.certain[0].add(cell, line);
        return true;
    }
    const auto written = writtenNumber(cell);
    if (!written)
        return false;
    for (size_t i = 0; i < 2; ++i)
        if (m_possible[i])
            as[i] = readNumber(*written, {kSigns[i], m_thousands});
    const auto reads = [&](size_t i) { return as[i].fault != NumberReading::Fault::NoNumber; };
    if (!reads(0) && !reads(1))
        return false;
    for (size_t i = 0; i < 2; ++i)
        if (reads(i)) {
            column.fractions[i] += as[i].fraction;
            column.groups[i] |= as[i].group == GroupSign::None ? 0U : 1U << static_cast<unsigned>(as[i].group);
        }
    if (reads(0) != reads(1))
        column.certain[reads(0) ? 0 : 1].add(cell, line);
    else if (as[0].fraction != as[1].fraction)
        column.open[as[0].fraction ? 0 : 1].add(cell, line);
    ++column.numbers;
    return true;
}

CellKind CellJudge::judge(std::string_view cell, int64_t line, ColumnEvidence& column) const
{
    const auto bytes = static_cast<int64_t>(cell.size());
    column.bytes += bytes;
    if (cell.empty() || withoutBlanks(cell).empty()) {
        ++column.blank;
        return CellKind::Blank;
    }
    column.typedBytes += bytes;
    if (isMarked(cell)) {
        ++column.missing;
        return CellKind::Missing;
    }
    if (judgeNumber(cell, line, column))
        return CellKind::Number;
    if (isMissing(cell)) {
        ++column.missing;
        return CellKind::Missing;
    }
    if (readTimeStamp(cell)) {
        ++column.dates;
        return CellKind::Date;
    }
    column.typedBytes -= bytes;
    column.texts.add(cell, line);
    return CellKind::Text;
}

CellKind CellJudge::kindOf(std::string_view cell) const
{
    ColumnEvidence none;
    return judge(cell, 0, none);
}

} // namespace unroll
